// SPDX-License-Identifier: MIT
// Observers follow a launch while it runs. The execution core reports events to its observer and lets it make choices.
// The core knows nothing else about observers, and most launches have none.
//
// Every function has a default that does nothing or makes the usual choice: an observer overrides what it needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "common/simt/exec/schedule.hpp"

namespace simt {

class LaunchObserver;
class ResidentBlock;

struct SourceLine {
    std::string file;  ///< "" if unknown
    unsigned line = 0;
};

/// Follows the blocks that one ResidentBlock holds, one after the other. All calls come from its worker thread. A
/// lane's number is its index in the block, x fastest; a mask has a bit for each lane of a warp.
class BlockObserver {
public:
    virtual ~BlockObserver() = default;

    // ---- events
    virtual void began(LaunchObserver&, uint64_t /*block_index*/, unsigned /*lanes*/) {}
    virtual void resumed() {}  // the worker thread enters the block
    virtual void left() {}     // and leaves it, perhaps for good
    virtual void ended() {}    // every lane has left the kernel
    virtual void lane_ended(unsigned /*lane*/) {}
    /// None of the warp's lanes can run now; those in the mask `paused` are letting the others catch up.
    virtual void warp_stalled(unsigned /*warp*/, unsigned /*paused*/) {}
    virtual void meeting_completed(unsigned /*warp*/, unsigned /*lanes*/) {}
    virtual void block_barrier_completed() {}
    virtual void grid_barrier_completed() {}
    /// The running lane has started an asynchronous copy, or has waited for it. `pc`: the place in the kernel.
    virtual void copy_started(uintptr_t /*target*/, size_t /*bytes*/, const void* /*pc*/) {}
    virtual void copy_finished(uintptr_t /*target*/, size_t /*bytes*/) {}

    // ---- errors: the launch fails after each of them

    /// Lanes wait for each other, have waited too long, or the running lane has misused an object of the device
    /// language. They return true if the observer has reported the error, so that the core does not.
    virtual bool deadlocked() { return false; }
    virtual bool timed_out() { return false; }
    virtual bool misused(const char* /*message*/, const void* /*pc*/) { return false; }
    /// free() of a pointer that is not on the device heap; a lane has hit the guard page of its stack, whose usable
    /// part begins at `stack` (true: the observer has reported it). Both may call drop_running_lane().
    virtual void invalid_free(const void* /*pointer*/, const void* /*pc*/) {}
    virtual bool stack_overflowed(uintptr_t /*instruction*/, const uintptr_t* /*stack*/) { return false; }

    // ---- choices

    /// The schedule of the block that has just begun.
    virtual Schedule schedule() const { return Schedule::independent; }
    virtual uint32_t random_below(uint32_t /*limit*/) { return 0; }
    /// In lockstep: the lanes of a warp that are furthest behind, and those in a loop that only waits.
    virtual uint32_t furthest_behind(unsigned /*warp*/, uint32_t candidates) const { return candidates; }
    virtual uint32_t waiting_loop_lanes(unsigned /*warp*/) const { return 0; }

    // ---- details for messages about waiting lanes

    /// Whether the lane is in a loop that only waits, and has let others go first there.
    virtual bool polls_again(unsigned /*lane*/) const { return false; }
    /// The function in which the lane waits for others of its warp, such as "__syncwarp"; null if unknown.
    virtual const char* warp_function_of(unsigned /*lane*/) const { return nullptr; }
    /// Where a lane that does not wait is, or was when it last did something that the observer sees.
    virtual SourceLine place_of(unsigned /*lane*/) const { return {}; }
};

/// Follows one launch, from its submission to its end; a launch in a graph may run several times.
class LaunchObserver {
public:
    virtual ~LaunchObserver() = default;

    /// Makes the observer of the blocks that run there, which is kept for all later launches; or null.
    virtual std::unique_ptr<BlockObserver> observe(ResidentBlock&) { return nullptr; }

    /// Called before and after the blocks of the launch, on the thread that executes its stream. ended() gets the
    /// cudaError_t value of the launch and returns the one that counts.
    virtual void began() {}
    virtual int ended(int error) { return error; }

    /// How many of the grid's `count` blocks run: all of them, or a sample.
    virtual uint64_t blocks_to_run(uint64_t count) const { return count; }

    /// The block that runs at position `index` of the `count` that run: a permutation, unless they are a sample.
    virtual uint64_t block_at(uint64_t index, uint64_t /*count*/) const { return index; }
};

}  // namespace simt
