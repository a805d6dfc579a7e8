// SPDX-License-Identifier: MIT
// The control groups (cgroups) that limit this process: its own and those above it, of version 1 or 2. A container sees
// its group as the root; the group of a batch system or systemd is further down.
#pragma once

#include <cstddef>
#include <limits>

namespace simt {

constexpr std::size_t no_group_limit = std::numeric_limits<std::size_t>::max();

// How many bytes the groups may use, and how many of these are left, including those that only cache files: the minimum
// over all groups, or no_group_limit.
struct GroupMemory {
    std::size_t limit = no_group_limit, left = no_group_limit;
};
GroupMemory group_memory();

// How many processors the groups may use, rounded up: the minimum over all groups, or no_group_limit.
std::size_t group_processors();

}  // namespace simt
