// SPDX-License-Identifier: MIT
// The columns of every program's table: each is one row with its name, its heading and how its cells are computed.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "common/io/table.hpp"
#include "common/measure/report.hpp"
#include "common/simt/check/counters/results.hpp"

// The counters of the checked simulator as columns: appends one per counter of a Source's `counters`, if it is_counted;
// the human table shows those that explain a kernel's speed.
template <typename Source>
void append_counter_columns(std::vector<ColumnOf<Source, std::function<Cell(const Source&)>>>& columns) {
    for (const simt::check::CounterColumn& counter : simt::check::counter_columns()) {
        const simt::check::CounterHeading& heading = counter.heading;
        const auto value = [&](const Source& source) -> Cell {
            if (!source.is_counted()) return absent();
            if (counter.is_count) return whole(counter.value(source.counters));
            return counter.applies(source.counters) ? computed(counter.value(source.counters), 4) : absent();
        };
        constexpr int unless_counted = 1;
        Column column{counter.name, heading.text, heading.scale, heading.digits, 0, unless_counted};
        column.zero_is_nothing = counter.is_count;
        columns.push_back({column, value});
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
    double ladder_ns;                       // the time that --ladder compares; 0: it has none
    const simt::check::Counters& counters;  // --counters: of all launches together

    bool is_counted() const { return !measurement.kernels.empty(); }
};

using ReportColumn = ColumnOf<Measured, std::function<Cell(const Measured&)>>;

// What lectures publish for the row, by --published, and its columns.
std::vector<const LectureRow*> published_of(const Measured& of);
std::vector<ReportColumn> published_columns(const Run& run);

// The columns that apply to this run, in order.
std::vector<ReportColumn> report_columns(const Run& run);
