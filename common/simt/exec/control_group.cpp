// SPDX-License-Identifier: MIT
#include "common/simt/exec/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace simt {
namespace {

// The folders of this process's groups under a controller, from the root down. A line of /proc/self/cgroup is "0::/a/b"
// in version 2, and "4:cpu,cpuacct:/a/b" in version 1, where each controller has its own tree.
std::vector<std::string> group_folders(const std::string& controller) {
    std::vector<std::string> folders;
    std::ifstream lines("/proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        std::string folder = "/sys/fs/cgroup";
        if (controllers != ",,") {
            if (controllers.find("," + controller + ",") == std::string::npos) continue;
            folder += "/" + controller;
        }
        folders.push_back(folder);
        std::istringstream path(line.substr(second + 1));
        for (std::string name; std::getline(path, name, '/');)
            if (!name.empty()) folders.push_back(folder += "/" + name);
    }
    return folders;
}

// The file holds one number, or "max" or -1 if there is no limit.
std::size_t number_in_file(const std::string& path, std::size_t otherwise) {
    std::ifstream file(path);
    long long number = 0;
    return file >> number && number >= 0 ? static_cast<std::size_t>(number) : otherwise;
}

// The number on the line that starts with this word; 0 if there is none.
std::size_t number_after(const std::string& path, const std::string& word) {
    std::ifstream file(path);
    std::size_t number = 0;
    for (std::string first; file >> first >> number;) {
        if (first == word) return number;
    }
    return 0;
}

// How many bytes the group uses, without inactive file pages, which are reclaimed when memory is short. In version 1
// the "total_" counts include the subgroups.
std::size_t used_memory(const std::string& folder) {
    const bool is_first_version = !std::ifstream(folder + "/memory.current");
    const std::size_t used =
        number_in_file(folder + (is_first_version ? "/memory.usage_in_bytes" : "/memory.current"), 0);
    const char* const of_files = is_first_version ? "total_inactive_file" : "inactive_file";
    return used - std::min(used, number_after(folder + "/memory.stat", of_files));
}

}  // namespace

GroupMemory group_memory() {
    GroupMemory memory;
    for (const std::string& folder : group_folders("memory")) {
        const std::size_t limit =
            number_in_file(folder + "/memory.max", number_in_file(folder + "/memory.limit_in_bytes", no_group_limit));
        if (limit == no_group_limit) continue;
        memory.limit = std::min(memory.limit, limit);
        memory.left = std::min(memory.left, limit - std::min(limit, used_memory(folder)));
    }
    return memory;
}

std::size_t group_processors() {
    std::size_t processors = no_group_limit;
    for (const std::string& folder : group_folders("cpu")) {
        std::ifstream both(folder + "/cpu.max");  // "max 100000", or "150000 100000": one and a half processors
        std::size_t quota = 0, period = 0;
        if (!(both >> quota >> period)) {
            quota = number_in_file(folder + "/cpu.cfs_quota_us", 0);
            period = number_in_file(folder + "/cpu.cfs_period_us", 0);
        }
        if (quota > 0 && period > 0) processors = std::min(processors, (quota + period - 1) / period);
    }
    return processors;
}

}  // namespace simt
