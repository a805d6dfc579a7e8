// SPDX-License-Identifier: MIT
// The counters of the checked simulator by source line.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/measure/report.hpp"

// A row of --by-line: a variant, kernel and source line.
struct CountedLine {
    const Run& run;
    const Measurement& measurement;
    const std::string& kernel;  // as written at its launch
    const simt::check::LineCounters& line;
    const simt::check::Counters& counters;
};

// With --by-line: a row per variant, kernel and source line. With --annotate, in the human format: the source.
class LineReport {
public:
    explicit LineReport(Run& run);

    // Adds a variant's rows or source; in the human format they are a block of their own.
    void add(const Measurement& measurement, const std::string& title);

private:
    Run& run_;
    std::vector<ColumnOf<CountedLine, std::function<Cell(const CountedLine&)>>> columns_;
    Table table_;
};
