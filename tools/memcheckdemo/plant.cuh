// SPDX-License-Identifier: MIT
// A row of memcheckdemo's table: everything that is known about one planted defect. plants.awk writes it from the head
// of the plant's file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/text.hpp"
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

// ---- one run of a plant, and what it shows

enum class Symptom {
    right,    // the result is what it should be, whatever happened on the way
    wrong,    // it is not
    refused,  // a runtime call returned an error, and the device goes on
    crash,    // a kernel crashed: the context is lost
};

struct Outcome {
    Symptom symptom;
    std::string detail;
};

// A sticky error comes from a kernel.
inline Outcome outcome_of(cudaError_t error) {
    static_cast<void>(cudaGetLastError());
    const bool lost = cudaDeviceSynchronize() != cudaSuccess;
    return {lost ? Symptom::crash : Symptom::refused, cudaGetErrorName(error)};
}

inline Outcome compare(const std::vector<int>& result, const std::vector<int>& expected) {
    if (result.size() != expected.size())
        return {Symptom::wrong, text("{} elements, should be {}", result.size(), expected.size())};
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (result[i] != expected[i])
            return {Symptom::wrong, text("element {} is {}, should be {}", i, result[i], expected[i])};
    return {Symptom::right, expected.size() == 1 ? text("the result is {}", expected[0])
                                                 : text("all {} elements are right", expected.size())};
}

inline Outcome run_code(const Code& code, bool fixed) {
    constexpr unsigned seed = 1;
    const std::vector<int> in = code.input(seed), expected = code.expected(in);
    std::vector<int> out(expected.size(), -1);
    const cudaError_t error = (fixed ? code.fixed : code.faulty)(in, out);
    if (error != cudaSuccess) return outcome_of(error);
    Outcome outcome = compare(out, expected);
    const cudaError_t ignored = cudaGetLastError();
    if (ignored != cudaSuccess) outcome.detail += text("; ignored: {}", cudaGetErrorName(ignored));
    return outcome;
}

}  // namespace BACKEND
