// SPDX-License-Identifier: MIT
// A row of memcheckdemo's table: everything that is known about one planted defect. plants.awk writes it from the head
// of the plant's file.
#pragma once

#include <vector>

#include "kernels/memcheckdemo/plants.cuh"
#include "tools/memcheckdemo/sources.hpp"

namespace BACKEND {

#ifdef __SIMCC__
constexpr bool simulated = true;
#else
constexpr bool simulated = false;
#endif

// A file of kernels/memcheckdemo, compiled.
struct Code {
    using Run = cudaError_t (*)(const std::vector<int>& in, std::vector<int>& out);

    const char* file;
    std::vector<int> (*input)(unsigned seed);
    std::vector<int> (*expected)(const std::vector<int>& in);
    Run faulty, fixed;
};

struct Plant {
    const char* name;
    const char* category;  // the tool for such defects, or "unreported"
    const char* defect;    // one line
    const char* flags;     // of compute-sanitizer
    const char* report;    // regular expression for the first line of its report; "" if it reports nothing
    const char* bare;      // what a GPU shows without a tool
    const char* toolkit;   // the first whose compute-sanitizer has what the flags and the report need
    char simulator;        // the checked simulator finds: Y the same, + what no tool of 13.0 does, ~ part of it
    const char* simulator_category;  // which category it reports
    const char* simulator_flags;     // besides --check
    const char* hints[3];            // from the symptom to the place
    const char* reveal;              // the defect and its cure
    Code code;
    bool hangs;
    bool named;                    // compute-sanitizer's report names the line
    const char* simulator_report;  // the first line of the simulator's finding, where it is another

    bool is_reported() const { return *report != '\0'; }
    const char* report_of_simulator() const { return *simulator_report != '\0' ? simulator_report : report; }
};

}  // namespace BACKEND
