// SPDX-License-Identifier: MIT
// A checker follows the lanes of one block: memcheck and initcheck, racecheck, synccheck and the counters are checkers.
// BlockCheck passes on to all of them what the execution core and the kernel report. The accesses come another way,
// since they are too frequent for virtual calls: see entry/checked_block.hpp.
//
// Every function has a default that does nothing: a checker overrides what it needs.
//
// The room has what all checkers share. In come the events of a block (block_check.hpp) and the operations of the host
// (operation_order.hpp); out go findings (finding.hpp), with the names and lines of what they are about (symbols.hpp,
// program_image.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/simt/check/core/access.hpp"
#include "common/simt/exec/observer.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"

namespace simt::check {

class Checker {
public:
    virtual ~Checker() = default;

    virtual void begin_block() {}
    virtual void block_ended() {}
    /// The worker leaves the block, perhaps for good and in the middle of any operation.
    virtual void leave() {}
    virtual void lane_ended(unsigned /*lane*/) {}
    /// A finding has dropped the running lane from the launch: its consequences are not reported.
    virtual void lane_dropped(unsigned /*lane*/) {}

    // ---- synchronization

    /// The running lane comes to a barrier, a vote or a shuffle.
    virtual void arrive(Wait, unsigned /*mask*/, unsigned /*source*/, Site) {}
    virtual void warp_stalled(unsigned /*warp*/, unsigned /*paused*/) {}
    virtual void meeting_completed(unsigned /*warp*/, unsigned /*lanes*/) {}
    virtual void block_barrier_completed() {}
    virtual void grid_barrier_completed() {}
    virtual void fence(Reach) {}
    /// An asynchronous copy of the running lane owns its target from its start until it is waited for.
    virtual void copy_started(uintptr_t /*target*/, size_t /*bytes*/, const void* /*pc*/) {}
    virtual void copy_finished(uintptr_t /*target*/, size_t /*bytes*/) {}

    // ---- errors that the execution core has found; true if the checker has reported it

    /// Lanes wait for each other, or for something that never happens. `waiting`: one line for each place.
    virtual bool deadlocked(const std::string& /*waiting*/) { return false; }
    /// `in_lockstep`: lanes that wait hold back others of their warp.
    virtual bool timed_out(const std::string& /*waiting*/, bool /*in_lockstep*/) { return false; }
    /// The running lane has misused an object of the device language.
    virtual bool misused(const char* /*message*/, const void* /*pc*/) { return false; }

    // ---- errors of the running lane, which a checker that reports one drops

    /// Its stack has no room for its calls.
    virtual void stack_overflow(const void* /*pc*/) {}
    /// The same at an instruction that may be in the simulator, called from the kernel. `stack`: the end of the lane's
    /// stack. True if the checker has reported it.
    virtual bool stack_overflow(uintptr_t /*instruction*/, const uintptr_t* /*stack*/) { return false; }
    /// It calls free() with a pointer that is not on the device heap.
    virtual void invalid_free(const void* /*pointer*/, const void* /*pc*/) {}
    /// It passes a pointer to its own or the block's memory to a kernel that it launches.
    virtual void invalid_argument(uintptr_t /*pointer*/, Space, const void* /*pc*/) {}

    // ---- what is known of a lane

    /// Whether it is in a loop that only waits and has let others go first there.
    virtual bool polls_again(unsigned /*lane*/) const { return false; }
    /// The function in which it waits for others of its warp, or null.
    virtual const char* function_of(unsigned /*lane*/) const { return nullptr; }
    /// The place of its last access since the last barrier, or null.
    virtual const void* last_access(unsigned /*lane*/) const { return nullptr; }
};

// ---- the checks of one launch: created on the host when it is submitted, alive until it has ended

class LaunchCosts;
class LaunchCounters;
class RaceLaunch;

struct LaunchCheck final : LaunchObserver {
    const char* kernel = "";
    uint64_t serial = 0;  ///< 1 for the first launch of the process
    Extent grid = {1, 1, 1}, block = {1, 1, 1};
    size_t dynamic_shared_bytes = 0;
    const void* stream = nullptr;
    bool is_by_kernel = false;  ///< the launch
    std::vector<const void*> host_backtrace;
    std::shared_ptr<LaunchCounters> counters;  ///< null unless they are wanted
    std::shared_ptr<LaunchCosts> costs;        ///< null unless times are predicted
    std::shared_ptr<RaceLaunch> races;         ///< of the current execution; null unless races are checked
    /// Set when a finding has dropped a lane: the launch ends with this cudaError_t.
    std::atomic<int> error{0};

    std::unique_ptr<BlockObserver> observe(ResidentBlock& block) override;
    void began() override;
    int ended(int error) override;
    uint64_t blocks_to_run(uint64_t count) const override;
    uint64_t block_at(uint64_t index, uint64_t count) const override;
};

/// Null unless the launch was compiled in the checked flavor. Called on the submitting thread.
std::shared_ptr<LaunchObserver> check_launch(const Launch& launch, const void* stream);

}  // namespace simt::check
