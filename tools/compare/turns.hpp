// SPDX-License-Identifier: MIT
// Running commands in turn, so that a drift of the machine meets all of them.
#pragma once

#include <cstddef>
#include <vector>

#include "common/cli/session.hpp"
#include "tools/compare/options.hpp"

namespace compare {

constexpr const char* wall_column = "wall_ns";

// What the commands of --run printed, or, if some print no rows that can be compared, how long each took, in wall_ns.
struct Turns {
    std::vector<DataTable> tables;                 // one for each command
    std::vector<std::vector<std::size_t>> rounds;  // of each table's rows
    bool are_wall_times = false;
};

// Runs each command once in each of --pairs rounds, in random order, after a round that does not count: it fills caches.
// Every second round has the reverse order of the one before, so that none is always the one that comes first.
// Failure(bad_input) if a command fails, is killed, or prints nothing where --value names a column of what it prints.
Turns take_turns(Session& session);

}  // namespace compare
