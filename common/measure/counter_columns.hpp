// SPDX-License-Identifier: MIT
// The counters of the checked simulator as columns of the programs' tables.
#pragma once

#include <functional>
#include <vector>

#include "common/io/table.hpp"
#include "common/simt/check/counters/results.hpp"

// Appends a column per counter of a Source's `counters`; the human table shows those that explain a kernel's speed.
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
        columns.push_back({{counter.name, heading.text, heading.scale, heading.digits}, value});
    }
}
