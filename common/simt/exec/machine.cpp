#include "common/simt/exec/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace simt {
namespace {

constexpr size_t unlimited = std::numeric_limits<size_t>::max();

// A control group's file holds one number, or "max".
size_t number_in_file(const char* path, size_t otherwise) {
    std::ifstream file(path);
    size_t number = 0;
    return file >> number ? number : otherwise;
}

size_t container_limit() {
    return std::min(number_in_file("/sys/fs/cgroup/memory.max", unlimited),
                    number_in_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", unlimited));
}

size_t container_usage() {
    return number_in_file("/sys/fs/cgroup/memory.current",
                          number_in_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", 0));
}

}  // namespace

size_t machine_memory() {
    const size_t physical = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
    return std::min(physical, container_limit());
}

size_t available_memory() {
    size_t available = machine_memory();
    std::ifstream meminfo("/proc/meminfo");
    std::string label, unit;
    size_t kibibytes = 0;
    while (meminfo >> label >> kibibytes) {
        if (label == "MemAvailable:") available = std::min(available, kibibytes << 10);
        std::getline(meminfo, unit);
    }
    const size_t limit = container_limit();
    if (limit != unlimited) available = std::min(available, limit - std::min(limit, container_usage()));
    return available;
}

long environment_number(const char* name, long otherwise) {
    const char* text = std::getenv(name);
    if (!text || !*text) return otherwise;
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    return *end == '\0' ? number : otherwise;
}

}  // namespace simt
