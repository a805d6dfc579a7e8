// SPDX-License-Identifier: MIT
// What compare prints: a row for each pair of partners, or one for each side, and for people a closing sentence.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/io/table.hpp"
#include "tools/compare/rows.hpp"

namespace compare {

void print_rows(Session& session, const std::vector<Side>& sides, const Compared& compared);
// A cell as it is in the table that was read.
Cell cell_of(const Side& side, const std::string& column, std::size_t row);
void print_summary(Session& session, const std::vector<Side>& sides, const Compared& compared);

}  // namespace compare
