// What is watched of one launch: made on the host when it is submitted, alive until it has ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/include/simt/kernel_launch.hpp"

namespace simt::checking {

class LaunchCounters;
class RaceLaunch;

struct LaunchWatch {
    const char* kernel = "";
    uint64_t serial = 0;  // 1 for the first launch of the process
    Extent grid = {1, 1, 1}, block = {1, 1, 1};
    size_t dynamic_shared_bytes = 0;
    const void* stream = nullptr;
    std::vector<const void*> host_backtrace;
    std::shared_ptr<LaunchCounters> counters;  // null unless they are wanted
    std::shared_ptr<RaceLaunch> races;         // of the execution that is under way; null unless they are checked
    // A lane has been taken out of the launch by a finding: the launch ends with this cudaError_t.
    std::atomic<int> error{0};
};

// Null unless something is watched and the launch was compiled in the checked flavour. On the submitting thread.
std::shared_ptr<LaunchWatch> watch_launch(const Launch& launch, const void* stream);

// Around the blocks of the launch, on the thread that executes its stream.
void launch_begins(LaunchWatch& launch);
void launch_ends(LaunchWatch& launch);

}  // namespace simt::checking
