// SPDX-License-Identifier: MIT
#include "common/simt/exec/machine.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <type_traits>

#include "common/simt/exec/control_group.hpp"
#include "common/simt/exec/shortage.hpp"

namespace simt {
namespace {

constexpr size_t unlimited = std::numeric_limits<size_t>::max();

}  // namespace

size_t machine_memory() {
    const size_t physical = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
    return std::min(physical, group_memory().limit);
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
    return std::min(available, group_memory().left);
}

size_t address_limit() {
    rlimit limit;
    const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return limited ? limit.rlim_cur : unlimited;
}

long processor_count() {
    cpu_set_t processors;
    const bool known = sched_getaffinity(0, sizeof processors, &processors) == 0;
    const long allowed = std::max<long>(1, known ? CPU_COUNT(&processors) : std::thread::hardware_concurrency());
    return static_cast<long>(std::min(static_cast<size_t>(allowed), group_processors()));
}

namespace {

// A number in an environment variable, or `otherwise` if it is unset.
template <typename Number>
Number environment_value(const char* name, Number least, Number most, Number otherwise) {
    const char* const text = std::getenv(name);
    if (!text || !*text) return otherwise;
    // (libc++ lacks std::from_chars for double. strtod would also take blanks, words and hexadecimal numbers.)
    const bool is_plain = *text != '+' && text[std::strspn(text, "+-.0123456789Ee")] == '\0';
    char* end = nullptr;
    errno = 0;
    Number number = 0;
    if constexpr (std::is_integral_v<Number>) number = std::strtol(text, &end, 10);
    else number = std::strtod(text, &end);
    if (is_plain && !*end && errno == 0 && number >= least && number <= most) return number;
    char what[128], remedy[128];
    std::snprintf(what, sizeof what, "%s=%.40s is not a number that the simulator takes", name, text);
    std::snprintf(remedy, sizeof remedy, "give one from %.0f to %.0f, or unset it", double(least), double(most));
    end_program(what, remedy);
}

}  // namespace

long environment_number(const char* name, long least, long most, long otherwise) {
    return environment_value<long>(name, least, most, otherwise);
}

double environment_seconds(const char* name, double most, double otherwise) {
    return environment_value<double>(name, 0, most, otherwise);
}

}  // namespace simt
