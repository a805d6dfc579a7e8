// SPDX-License-Identifier: MIT
// The checks of one launch: created on the host when it is submitted, alive until it has ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/exec/observer.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"

namespace simt::check {

class LaunchCounters;
class RaceLaunch;

struct LaunchCheck final : LaunchObserver {
    const char* kernel = "";
    uint64_t serial = 0;  ///< 1 for the first launch of the process
    Extent grid = {1, 1, 1}, block = {1, 1, 1};
    size_t dynamic_shared_bytes = 0;
    const void* stream = nullptr;
    std::vector<const void*> host_backtrace;
    std::shared_ptr<LaunchCounters> counters;  ///< null unless they are wanted
    std::shared_ptr<RaceLaunch> races;         ///< of the current execution; null unless races are checked
    /// Set when a finding has dropped a lane: the launch ends with this cudaError_t.
    std::atomic<int> error{0};

    std::unique_ptr<BlockObserver> observe(ResidentBlock& block) override;
    void began() override;
    int ended() override;
    uint64_t block_at(uint64_t index, uint64_t count) const override;
};

/// Null unless the launch was compiled in the checked flavor. Called on the submitting thread.
std::shared_ptr<LaunchObserver> check_launch(const Launch& launch, const void* stream);

}  // namespace simt::check
