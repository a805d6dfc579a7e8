// The counters of the checked simulator in the programs' tables.
#pragma once

#include <vector>

#include "common/measure/report.hpp"

// A column per counter. The human table has those that explain a kernel's speed, where they are not all 0.
std::vector<Column> counter_columns();

// Their cells; what does not apply is 0.
void append_counter_cells(const simt::checking::Counters& counters, std::vector<Cell>& row);

// With --by-line: a row per variant, kernel and source line. With --annotate, in the human format: the source.
class LineReport {
public:
    explicit LineReport(Run& run);

    void add(const Measurement& measurement);
    void end_block(const std::string& title);

private:
    Run& run_;
    Table table_;
};
