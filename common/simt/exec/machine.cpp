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
#include <exception>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace simt {
namespace {

constexpr size_t unlimited = std::numeric_limits<size_t>::max();

// The control groups (cgroups) that limit this process are its own and those above it, of version 1 or 2. A container
// sees its group as the root; the group of a batch system or systemd is further down.

// The folders of this process's groups under a controller, from the root down. A line of /proc/self/cgroup is "0::/a/b"
// in version 2, and "4:cpu,cpuacct:/a/b" in version 1, where each controller has its own tree.
std::vector<std::string> group_folders(const std::string& controller) {
    std::vector<std::string> folders;
    std::ifstream lines("/proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) {
        const size_t first = line.find(':'), second = line.find(':', first + 1);
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
size_t number_in_file(const std::string& path, size_t otherwise) {
    std::ifstream file(path);
    long long number = 0;
    return file >> number && number >= 0 ? static_cast<size_t>(number) : otherwise;
}

// The number on the line that starts with this word; 0 if there is none.
size_t number_after(const std::string& path, const std::string& word) {
    std::ifstream file(path);
    size_t number = 0;
    for (std::string first; file >> first >> number;) {
        if (first == word) return number;
    }
    return 0;
}

// How many bytes the group uses, without inactive file pages, which are reclaimed when memory is short. In version 1
// the "total_" counts include the subgroups.
size_t used_memory(const std::string& folder) {
    const bool is_first_version = !std::ifstream(folder + "/memory.current");
    const size_t used = number_in_file(folder + (is_first_version ? "/memory.usage_in_bytes" : "/memory.current"), 0);
    const char* const of_files = is_first_version ? "total_inactive_file" : "inactive_file";
    return used - std::min(used, number_after(folder + "/memory.stat", of_files));
}

// How many bytes the groups may use, and how many of these are left, including those that only cache files: the minimum
// over all groups, or unlimited.
struct GroupMemory {
    size_t limit = unlimited, left = unlimited;
};

GroupMemory group_memory() {
    GroupMemory memory;
    for (const std::string& folder : group_folders("memory")) {
        const size_t limit =
            number_in_file(folder + "/memory.max", number_in_file(folder + "/memory.limit_in_bytes", unlimited));
        if (limit == unlimited) continue;
        memory.limit = std::min(memory.limit, limit);
        memory.left = std::min(memory.left, limit - std::min(limit, used_memory(folder)));
    }
    return memory;
}

// How many processors the groups may use, rounded up: the minimum over all groups, or unlimited.
size_t group_processors() {
    size_t processors = unlimited;
    for (const std::string& folder : group_folders("cpu")) {
        std::ifstream both(folder + "/cpu.max");  // "max 100000", or "150000 100000": one and a half processors
        size_t quota = 0, period = 0;
        if (!(both >> quota >> period)) {
            quota = number_in_file(folder + "/cpu.cfs_quota_us", 0);
            period = number_in_file(folder + "/cpu.cfs_period_us", 0);
        }
        if (quota > 0 && period > 0) processors = std::min(processors, (quota + period - 1) / period);
    }
    return processors;
}

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

// ---- shortage

namespace {

// The exit status of a CUDA error in all programs of gridutils.
constexpr int exit_status = 3;

// (Thread-local variables of the runtime lie in the shared memory of blocks, but this one is the same for all of them.)
__thread bool expects_shortage = false;

std::terminate_handler previous_handler() {
    static const std::terminate_handler previous = std::get_terminate();
    return previous;
}

[[noreturn]] void on_terminate() {
    if (expects_shortage && std::current_exception()) {
        try {
            throw;
        } catch (const std::bad_alloc&) {
            end_without_memory();
        } catch (const std::system_error& error) {
            end_without_threads(error.code().value());
        } catch (...) {}
    }
    previous_handler()();
    std::abort();
}

}  // namespace

void end_program(const char* what, const char* remedy) {
    char line[512];
    const int length = std::snprintf(line, sizeof line, "%s: %s; %s\n", program_invocation_short_name, what, remedy);
    // The program's output so far is not lost, unless another thread is printing.
    if (ftrylockfile(stdout) == 0) fflush_unlocked(stdout);
    const size_t bytes = length < 0 ? 0 : static_cast<size_t>(length) < sizeof line ? length : sizeof line - 1;
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, bytes);
    _exit(exit_status);
}

void end_without_memory() {
    end_program("the simulator has no memory left for its own work",
                "raise the limit of address space (ulimit -v) or of the container, or choose a smaller problem");
}

void end_without_threads(int error) {
    char what[128];
    std::snprintf(what, sizeof what, "the simulator cannot start a thread: %s", std::strerror(error));
    end_program(what,
                "raise the limit of processes (ulimit -u) or of address space (ulimit -v), or set SIMCC_THREADS to "
                "fewer threads");
}

void expect_shortage() {
    static const bool installed = [] {
        previous_handler();
        std::set_terminate(on_terminate);
        return true;
    }();
    expects_shortage = installed;
}

}  // namespace simt
