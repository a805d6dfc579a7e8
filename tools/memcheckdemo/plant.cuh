// A row of memcheckdemo's tables: everything that is known about one planted defect.
#pragma once

#include "kernels/memcheckdemo/plant.cuh"

namespace BACKEND {

struct Plant {
    const char* name;
    const char* category;  // the tool for such defects, or "unreported"
    const char* defect;    // one line
    const char* flags;     // of compute-sanitizer
    const char* report;    // regular expression for the first line of its report; "" if it reports nothing
    const char* bare;      // what a GPU shows without a tool
    const char* toolkit;   // the first whose compute-sanitizer has what the flags and the report need
    char simulator;        // the checked simulator finds: Y the same, + what no tool of 13.0 does, ~ it in part
    const char* simulator_category;  // as which category
    const char* simulator_flags;     // besides --check
    const char* hints[3];            // from the symptom to the place
    const char* reveal;              // the defect and its cure
    Place place;
    Outcome (*run)(bool fixed);
    bool hangs = false;
    bool named = true;  // compute-sanitizer's report names the line
    // The simulator's finding, where its first line or its place is another.
    const char* simulator_report = "";
    unsigned simulator_line = 0;

    bool is_reported() const { return *report != '\0'; }
    const char* report_of_simulator() const { return *simulator_report != '\0' ? simulator_report : report; }
    Place place_of_simulator() const { return simulator_line == 0 ? place : Place{place.file, simulator_line}; }
};

}  // namespace BACKEND
