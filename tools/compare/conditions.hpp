// SPDX-License-Identifier: MIT
// What besides the code may have made a difference: other devices, drivers or clocks, and rows that cannot be trusted.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/compare/rows.hpp"

namespace compare {

// One sentence for each circumstance in which two sides differ, or which makes their times doubtful.
std::vector<std::string> warnings(const std::vector<Side>& sides, const Compared& compared, const Settings& settings);

// One sentence for each side whose rows are not all compared, or were joined otherwise than expected.
std::vector<std::string> remarks(const std::vector<Side>& sides, const Compared& compared, const Settings& settings);

// The cell as people read it: "none" for an empty one, or where the table has no such column.
std::string word_of(const Side& side, const char* column, std::size_t row);

}  // namespace compare
