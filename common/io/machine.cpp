// SPDX-License-Identifier: MIT
#include "common/io/machine.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "common/io/text.hpp"

namespace {

// std::nullopt if the file does not begin with a number: without a limit it says "max", or -1.
std::optional<std::size_t> number_in(const std::string& path) {
    std::ifstream file(path);
    long long number = -1;
    if (!(file >> number) || number < 0) return std::nullopt;
    return static_cast<std::size_t>(number);
}

// The file cache of a group counts as used, but is given up as soon as memory is needed.
std::size_t file_cache_of(const std::string& folder) {
    std::ifstream lines(folder + "/memory.stat");
    std::size_t own = 0, with_groups_below = 0, bytes = 0;  // version 2 has only the latter, under the shorter name
    for (std::string name; lines >> name >> bytes;) {
        if (name == "inactive_file" || name == "active_file") own += bytes;
        if (name == "total_inactive_file" || name == "total_active_file") with_groups_below += bytes;
    }
    return std::max(own, with_groups_below);
}

void narrow_memory(const std::string& folder, GroupLimits& limits) {
    for (const auto& [limit_name, used_name] :
         {std::pair("/memory.max", "/memory.current"), std::pair("/memory.limit_in_bytes", "/memory.usage_in_bytes")}) {
        const auto limit = number_in(folder + limit_name);
        if (!limit) continue;
        const std::size_t used = number_in(folder + used_name).value_or(0);
        const std::size_t kept = used - std::min(used, file_cache_of(folder));
        limits.memory = std::min(limits.memory, *limit - std::min(*limit, kept));
    }
}

// Version 2 has quota and period in one file, "150000 100000", version 1 in two.
void narrow_cores(const std::string& folder, GroupLimits& limits) {
    std::size_t quota = number_in(folder + "/cpu.cfs_quota_us").value_or(0);
    std::size_t period = number_in(folder + "/cpu.cfs_period_us").value_or(0);
    std::ifstream both(folder + "/cpu.max");
    std::size_t first = 0, second = 0;
    if (both >> first >> second) quota = first, period = second;
    if (quota > 0 && period > 0) limits.cores = std::min(limits.cores, (quota - 1) / period + 1);
}

// From the root of a tree of groups down to the group at `path`. In a container the root may be the group itself, and
// the path one that exists only outside: missing folders set no limits.
template <typename Narrow>
void narrow_along(std::string folder, const std::string& path, GroupLimits& limits, Narrow narrow) {
    narrow(folder, limits);
    for (const std::string& name : split(path, '/')) {
        if (name.empty()) continue;
        folder += "/" + name;
        narrow(folder, limits);
    }
}

std::size_t memory_of_machine() {
    std::ifstream lines("/proc/meminfo");
    for (std::string name; lines >> name; lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
        std::size_t kibibytes = 0;
        if (name == "MemAvailable:" && lines >> kibibytes) return kibibytes << 10;
    }
    return std::numeric_limits<std::size_t>::max();
}

unsigned count_cores() {
    cpu_set_t allowed;
    const bool is_known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    const auto cores = is_known ? static_cast<std::size_t>(CPU_COUNT(&allowed)) : std::thread::hardware_concurrency();
    return static_cast<unsigned>(std::max<std::size_t>(1, std::min(cores, group_limits().cores)));
}

}  // namespace

// A line is "0::/a/b" in version 2, where one tree has all controllers, and "4:cpu,cpuacct:/a/b" in version 1, where a
// controller has its own tree or shares one with others.
GroupLimits group_limits(const std::string& list, const std::string& tree) {
    GroupLimits limits;
    std::ifstream lines(list);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == line.npos) continue;
        const std::string path = line.substr(second + 1);
        const std::vector<std::string> controllers = split(line.substr(first + 1, second - first - 1), ',');
        const auto has = [&](const char* controller) {
            return std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
        };
        if (has("memory") || controllers.empty())
            narrow_along(tree + (controllers.empty() ? "" : "/memory"), path, limits, narrow_memory);
        if (has("cpu") || controllers.empty())
            narrow_along(tree + (controllers.empty() ? "" : "/cpu"), path, limits, narrow_cores);
    }
    return limits;
}

unsigned usable_cores() {
    static const unsigned cores = count_cores();
    return cores;
}

std::size_t available_memory() { return std::min(memory_of_machine(), group_limits().memory); }
