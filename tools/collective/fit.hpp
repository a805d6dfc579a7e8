// SPDX-License-Identifier: MIT
// --fit: the terms of each operation in the model of common/gang/model.hpp, instead of a row per size.
#pragma once

#include <map>
#include <vector>

#include "common/cli/session.hpp"
#include "common/gang/model.hpp"

// Prints a row for each operation, which read_terms() can read.
void print_fits(Session& session, const std::map<Collective, std::vector<TimedExchange>>& rows);
