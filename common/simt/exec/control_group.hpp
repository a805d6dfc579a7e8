// The control groups (cgroups) of Linux that limit this process: its own and those above it, of either version. A
// container sees its group as the root of all, a batch system's or systemd's group lies further down.
#pragma once

#include <cstddef>
#include <limits>

namespace simt {

constexpr std::size_t no_group_limit = std::numeric_limits<std::size_t>::max();

// Bytes that the groups may use, and what is left of that, with what only caches files; the least of all groups,
// no_group_limit without a limit.
struct GroupMemory {
    std::size_t limit = no_group_limit, left = no_group_limit;
};
GroupMemory group_memory();

// Processors that the groups may use, rounded up; the least of all groups, no_group_limit without a quota.
std::size_t group_processors();

}  // namespace simt
