// SPDX-License-Identifier: MIT
// The columns of every program's table: each is one row with its name, its heading and how its cells are computed.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "common/measure/report.hpp"

// What the cells of a row are computed from.
struct Measured {
    const Run& run;
    const Measurement& measurement;
    const LadderTimes& ladder;
    double alone_ns;                        // --gang: the median on one device, 0 if not known
    std::size_t sample;                     // --raw: the index of the sample
    Summary times;                          // of the samples, in nanoseconds
    Summary ratios;                         // --versus: of the peer's times over this variant's
    const simt::check::Counters& counters;  // --counters: of all launches together
};

using ReportColumn = ColumnOf<Measured, std::function<Cell(const Measured&)>>;

// The columns that apply to this run, in order.
std::vector<ReportColumn> report_columns(const Run& run);
