// SPDX-License-Identifier: MIT
// From sides to compared rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/compare/join.hpp"
#include "tools/compare/options.hpp"
#include "tools/compare/statistics.hpp"

namespace compare {

struct Row {
    const Side *base, *other;
    std::size_t base_row, other_row;  // the first of each
    std::size_t value;                // which of the columns is compared
    Comparison comparison;
};

struct Compared {
    std::vector<std::string> values;  // the columns that are compared: --value, or median_ns, or wall_ns
    std::vector<Join> joins;          // one for each side but the base
    std::vector<Row> rows;            // one join after another, with verdicts
    std::size_t without_value = 0;
};

bool more_is_faster(const Settings& settings, const std::string& value);

// Whether a table has what is compared by default, or the columns of --value.
bool has_values(const DataTable& table, const Settings& settings);

// Compares all other sides with the first. Failure(bad_input) if a table lacks the column to compare, or if no row has
// a partner, unless --fail-if counts missing rows.
Compared compare_sides(const std::vector<Side>& sides, const Settings& settings);

// How much slower (or faster, if below 0) a row is, in percent of the base: infinite from 0, 0 without a verdict.
double percent_slower(const Row& row, const Compared& compared, const Settings& settings);

}  // namespace compare
