// SPDX-License-Identifier: MIT
// What this process may use of its machine: less than the machine has under taskset(1) and in Linux control groups
// (cgroups) with limits, such as those of containers, batch systems and systemd.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

// At least 1. The result is the same as long as the process runs.
unsigned usable_cores();

// Bytes that the process can use without taking them from others or being killed for it; unlimited if the system does
// not say.
std::size_t available_memory();

constexpr std::size_t no_group_limit = std::numeric_limits<std::size_t>::max();

// What its control groups leave a process: the minimum over its own group and all above it.
struct GroupLimits {
    std::size_t cores = no_group_limit;   // the quota of CPU time, rounded up to whole cores
    std::size_t memory = no_group_limit;  // bytes that are left of the limit
};

// The limits of the groups, version 1 or 2, that `list`, a file like /proc/self/cgroup, names; their folders are in
// `tree`.
GroupLimits group_limits(const std::string& list = "/proc/self/cgroup", const std::string& tree = "/sys/fs/cgroup");
