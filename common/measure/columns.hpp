// The columns of every program's table: each is one row with its name, its head and how its cell is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/measure/report.hpp"

// What the cells of a row are taken from.
struct Measured {
    const Run& run;
    const Measurement& measurement;
    const LadderTimes& ladder;
    double alone_ns;                        // --gang: the median on one device, 0 if not known
    std::size_t sample;                     // --raw: which of the samples it is
    Summary times;                          // of the samples, in nanoseconds
    Summary ratios;                         // --versus: of the peer's times over these
    const simt::check::Counters& counters;  // --counters: of all launches together
};

using ReportColumn = ColumnOf<Measured, std::function<Cell(const Measured&)>>;

// Those that apply to this run, in their order.
std::vector<ReportColumn> report_columns(const Run& run);
