// SPDX-License-Identifier: MIT
#include "common/simt/check/core/allocation_log.hpp"

#include <mutex>
#include <unordered_map>
#include <utility>

#include "common/simt/check/core/symbols.hpp"

namespace simt::check {
namespace {

struct AllocationLog {
    std::mutex mutex;
    std::unordered_map<uint64_t, std::vector<const void*>> backtraces;  // by serial number
};

AllocationLog& allocation_log() {
    static AllocationLog& log = *new AllocationLog;
    return log;
}

}  // namespace

void log_allocation(uint64_t serial) {
    AllocationLog& log = allocation_log();
    auto backtrace = host_backtrace();
    const std::lock_guard lock(log.mutex);
    log.backtraces[serial] = std::move(backtrace);
}

std::vector<const void*> backtrace_of_allocation(uint64_t serial) {
    AllocationLog& log = allocation_log();
    const std::lock_guard lock(log.mutex);
    const auto found = log.backtraces.find(serial);
    return found == log.backtraces.end() ? std::vector<const void*>() : found->second;
}

}  // namespace simt::check
