// What this process may use of the machine that it runs on, which is less than the machine has under taskset(1) and in
// control groups (cgroups) of Linux with limits: those of containers, batch systems and systemd.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

// At least 1. The answer is the same for as long as the process runs.
unsigned usable_cores();

// Bytes that the process can take without taking them from others or being ended for it; as much as one likes where the
// system does not say.
std::size_t available_memory();

constexpr std::size_t no_group_limit = std::numeric_limits<std::size_t>::max();

// What the control groups of a process leave it: the least of its own group and all above it.
struct GroupLimits {
    std::size_t cores = no_group_limit;   // a quota of time, rounded up to whole cores
    std::size_t memory = no_group_limit;  // bytes that are left of what it may have
};

// Of the groups that `list`, a file like /proc/self/cgroup, names, of versions 1 and 2, whose folders are below `tree`.
GroupLimits group_limits(const std::string& list = "/proc/self/cgroup", const std::string& tree = "/sys/fs/cgroup");
