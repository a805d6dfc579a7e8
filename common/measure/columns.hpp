// SPDX-License-Identifier: MIT
// The columns of every program's table: each is one row with its name, its heading and how its cells are computed.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "common/io/table.hpp"
#include "common/measure/report.hpp"
#include "common/simt/check/counters/results.hpp"

// The counters of the checked simulator as columns: appends one per counter of a Source's `counters`; the human table
// shows those that explain a kernel's speed.
template <typename Source>
void append_counter_columns(std::vector<ColumnOf<Source, std::function<Cell(const Source&)>>>& columns) {
    for (const simt::check::CounterColumn& counter : simt::check::counter_columns()) {
        const simt::check::CounterHeading& heading = counter.heading;
        const auto value = [&](const Source& source) -> Cell {
            if (!counter.applies(source.counters)) return absent(counter.is_count ? 0 : 4);
            const double figure = counter.value(source.counters);
            if (counter.is_count) return whole(figure);
            return Fixed{figure, 4};
        };
        constexpr int unless_counted = 1;
        columns.push_back({{counter.name, heading.text, heading.scale, heading.digits, 0, unless_counted}, value});
    }
}

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
