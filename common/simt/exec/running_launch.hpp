// SPDX-License-Identifier: MIT
// A launch while its blocks run: the state that its workers share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "common/simt/exec/launch_watch.hpp"
#include "common/simt/exec/observer.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"

namespace simt {

/// How a launch can end, besides 0: cudaError_t values.
enum LaunchError {
    error_illegal_address = 700,
    error_timeout = 702,
    error_assertion = 710,
    error_launch_failure = 719,
};

/// The barrier of grid.sync(): complete when every block has arrived. A block that has ended never arrives.
class GridBarrier {
public:
    explicit GridBarrier(uint64_t blocks) : blocks_(blocks) {}

    /// Returns the generation to wait for: the block may go on when generation() has reached it.
    uint64_t arrive() {
        std::lock_guard lock(mutex_);
        ++arrived_;
        const uint64_t awaited = generation_ + 1;
        if (arrived_ == blocks_) {
            arrived_ = 0;
            ++generation_;
        }
        return awaited;
    }

    void block_ended() {
        std::lock_guard lock(mutex_);
        ++ended_;
    }

    uint64_t generation() const { return generation_; }

    /// How many blocks have ended while all the others wait for them; 0 while another block may still arrive.
    uint64_t missing() const {
        std::lock_guard lock(mutex_);
        return arrived_ > 0 && arrived_ + ended_ == blocks_ ? ended_ : 0;
    }

private:
    mutable std::mutex mutex_;
    const uint64_t blocks_;
    uint64_t arrived_ = 0, ended_ = 0;
    std::atomic<uint64_t> generation_{0};
};

/// The owner of a launch. The core knows nothing else about it; code that runs in the launch may ask for it.
class LaunchOwner {
public:
    virtual ~LaunchOwner() = default;

    /// The last block of a launch that start() started has ended. Called on the worker that ran it, which does not
    /// touch the launch afterwards.
    virtual void blocks_ended() {}
};

struct RunningLaunch {
    RunningLaunch(const Launch& launch, unsigned workers, LaunchObserver* observer, LaunchOwner* owner = nullptr,
                  bool is_awaited = true)
        : launch(launch),
          observer(observer),
          owner(owner),
          is_awaited(is_awaited),
          worker_count(workers),
          block_count(blocks_that_run(launch, observer)),
          /// Few claims per worker if blocks are small, yet enough of them to balance the load.
          blocks_per_claim(std::min<uint64_t>(64, block_count / (uint64_t{workers} * 8) + 1)),
          grid_barrier(block_count),
          progress(new Progress[workers]),
          watch(workers) {}

    /// Only the first error counts; true if this is it. No further block starts.
    bool fail(LaunchError code) {
        int none = 0;
        const bool is_first = error.compare_exchange_strong(none, code);
        next_block = block_count;
        return is_first;
    }

    static uint64_t blocks_that_run(const Launch& launch, const LaunchObserver* observer) {
        const uint64_t blocks = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
        return observer ? observer->blocks_to_run(blocks) : blocks;
    }

    bool failed() const { return error.load(std::memory_order_relaxed) != 0; }
    bool has_ended() const { return !has_unclaimed_blocks() && workers_inside == 0; }
    bool has_unclaimed_blocks() const { return next_block.load(std::memory_order_relaxed) < block_count; }

    const Launch& launch;
    LaunchObserver* const observer;  ///< null: not observed
    LaunchOwner* const owner;        ///< or null
    const bool is_awaited;           ///< a thread waits for its end; otherwise the owner is told
    const unsigned worker_count;
    const uint64_t block_count;  ///< of the blocks that run
    const uint64_t blocks_per_claim;
    std::atomic<uint64_t> next_block{0};
    std::atomic<int> error{0};
    GridBarrier grid_barrier;
    const std::unique_ptr<Progress[]> progress;  ///< of each worker
    std::atomic<bool> has_long_lanes{false};     ///< a lane may run for so long that each must count as progress
    unsigned short step_epoch = 1;               ///< changes with each look of the watchdog that sees a step
    std::atomic<bool> timeout_reported{false}, overflow_reported{false};
    std::atomic<bool> ran_too_long{false};  ///< it was ended because its lanes ran on and on, not because they waited
    /// In lockstep: since something last happened, a block has paused in which waiting lanes keep others of their warp
    /// from going on. Most likely they wait for those.
    std::atomic<bool> holds_back_lanes{false};
    /// These change under the pool's mutex:
    std::atomic<unsigned> workers_inside{0};
    LaunchWatch watch;
};

}  // namespace simt
