// SPDX-License-Identifier: MIT
// A block that has started and not ended, on the worker thread where its lanes take turns.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/simt/exec/lane_stacks.hpp"
#include "common/simt/exec/observer.hpp"
#include "common/simt/exec/running_launch.hpp"
#include "common/simt/include/simt/async_copy_list.hpp"
#include "common/simt/include/simt/warp_state.hpp"

namespace simt {

/// The copies that the lanes of a block have started and not yet waited for: see include/simt/async_copy.hpp.
class AsyncCopies {
public:
    void start(unsigned rank, const AsyncCopy& copy);
    void commit(unsigned rank);
    bool take(unsigned rank, unsigned groups, AsyncCopy& copy);
    bool take_of(unsigned rank, const void* barrier, AsyncCopy& copy);

    /// Forgets the copies left by the lanes of the last block.
    void clear() { lanes_.clear(); }

private:
    struct Pending {
        AsyncCopy copy;
        size_t group;
    };
    struct Lane {
        std::deque<Pending> copies;  // oldest first
        std::deque<AsyncCopy> of_barriers;
        size_t committed = 0;  // groups
    };

    Lane& lane(unsigned rank);

    std::vector<Lane> lanes_;  // by rank; empty in blocks without copies
};

/// Why the lanes of a block have given control back to the worker.
enum class Pause {
    ended,       ///< every lane has left the kernel
    polling,     ///< the only lanes that can run poll for another block or the host
    at_grid,     ///< waits at grid.sync()
    deadlocked,  ///< lanes wait for each other in different places
    failed,      ///< the launch has failed
};

class ResidentBlock {
public:
    /// Makes room for blocks of up to this many lanes.
    explicit ResidentBlock(unsigned lane_capacity);
    ~ResidentBlock();

    unsigned lane_capacity() const { return lane_capacity_; }
    bool has_room_for(unsigned lanes) const { return lanes <= lane_capacity_; }
    bool has_stacks() const { return stacks_.valid(); }

    /// Prepares to run a block of the launch, and counts its steps in `progress`.
    void begin(RunningLaunch& launch, uint64_t index, unsigned worker, Progress& progress);

    /// Runs the lanes of the block on the calling thread until they pause. Must always be called on the same thread.
    Pause run();

    /// Called from a signal handler on a lane's stack: abandons the lanes, and run() returns `failed`.
    [[noreturn]] void abandon();
    /// To be called before abandon() if the lane has used more than its stack: run() then reports that.
    void note_overflow() { has_hit_guard_ = true; }

    /// The block whose lanes run on the calling thread, or null.
    static ResidentBlock* current();

    // ---- for observers

    /// The running lane leaves the kernel here and now; the others go on.
    [[noreturn]] void drop_running_lane();
    /// Lets the other lanes of its warp run first, until each of them has paused too, waits or has ended.
    void pause_running_lane();
    const Context* contexts() const { return contexts_.data(); }
    const Warp& warp(size_t index) const { return warps_[index]; }
    /// Null if the block is not observed.
    BlockObserver* observer() const { return observer_; }
    uintptr_t stacks_begin() const { return stacks_.begin(); }
    size_t stacks_bytes() const { return stacks_.bytes(); }

    /// Whether this address is in a lane's stack or the guard page below it.
    bool is_on_lane_stack(uintptr_t stack_pointer) const { return stacks_.contains(stack_pointer); }

    /// Where the lanes wait: "16 threads at __syncthreads() in a.cu:12 (first: thread (0,0,0)); ...", for messages.
    std::string describe_waiting() const;
    std::string describe_position() const;  ///< "kernel k, block (0,0,0)"
    /// Whether this lane is in the middle of its code: it neither waits nor polls.
    bool is_running(const Warp& warp, unsigned lane) const;
    /// Whether lanes that only wait keep others of their warp from going on, because it advances in lockstep.
    bool holds_back_lanes() const;

    RunningLaunch& running_launch() { return *launch_; }
    const BlockIdentity& identity() const { return identity_; }

    /// Whether the block is at grid.sync() and other blocks have not arrived yet.
    bool is_at_grid_barrier() const {
        return pause_ == Pause::at_grid && launch_->grid_barrier.generation() < awaited_generation_;
    }

    /// For the worker: the shared memory of a suspended block.
    bool shared_is_saved = false;
    std::vector<char> saved_shared;

    AsyncCopies async_copies;

    /// Adds in memory what the lanes have not added there yet.
    void add_pending_sums();

    /// The parameters with __grid_constant__ of all lanes: where each begins, and its bytes.
    std::map<uintptr_t, size_t> grid_constants;

private:
    friend void detach_lane(unsigned, unsigned, unsigned);
    friend Context* schedule();
    friend unsigned* begin_lane_loops();
    friend void pass_lane_barrier();
    friend bool in_lane_loops();
    friend void let_workers_run();

    static void run_lane_loop(Context* self);
    static void run_single_lane(Context* self);

    void set_shape(const Extent& shape);
    void detach(unsigned x, unsigned y, unsigned z);
    void detach_all();
    [[noreturn]] void end_lane_loops();
    unsigned lanes_at_once(unsigned ended) const;
    [[noreturn]] void run_remaining_lanes(Context* next);
    [[gnu::always_inline]] Context* end_lane(Context* ended);
    Context* pause(Pause reason);
    [[gnu::cold]] void report_overflow();
    [[gnu::cold]] void tell_overflow() const;
    Context* next_lane();
    Context* take_lane(Warp& warp);
    bool is_random() const { return __builtin_expect(schedule_ == Schedule::random, 0); }
    [[gnu::cold]] Context* take_any_lane(Warp& warp);
    bool polls_again(const Warp& warp, unsigned lane) const;
    void note_held_back();
    unsigned held_back(const Warp& warp) const;

    // The choices when a warp has stalled, in the order in which they are tried.
    Context* next_after_stall();
    Context* next_of_paused();
    Context* next_in_step();
    Context* next_after_long_turn();
    Context* next_in_another_warp();
    Warp* next_ready_warp();
    Context* next_after_barrier();
    Context* next_polling();
    Context* next_after_grid_barrier();
    Context* first_ready_lane();

    const unsigned lane_capacity_;
    LaneStacks stacks_;
    std::vector<Context> contexts_;
    std::vector<Warp> warps_;
    Extent shape_ = {0, 0, 0};
    unsigned lane_count_ = 0;
    size_t warp_count_ = 0;

    RunningLaunch* launch_ = nullptr;
    void (*run_lanes_)(const void*, const LaneRow&) = nullptr;
    const void* arguments_ = nullptr;
    Progress* progress_ = nullptr;
    BlockIdentity identity_ = {};
    PendingSums sums_ = {};
    BarrierTally tally_;
    bool is_new_ = true;               // no lane has run
    bool in_loops_ = false;            // the kernel runs all lanes itself, and is called once
    bool detached_ = false;            // some lane has waited: from then on each lane runs by itself
    bool has_polled_ = false;          // since the last barrier: the code that follows may be a loop that waits
    bool is_first_of_worker_ = false;  // of this launch
    bool has_hit_guard_ = false;       // a lane has used more than its stack
    bool upwards_ = true;              // the direction in which the warps take turns
    unsigned polling_rounds_ = 0, barriers_in_turn_ = 0, long_turns_ = 0;  // since the worker resumed the block
    Pause pause_ = Pause::ended;
    uint64_t values_of_turn_ = 0;  // the sum over what polling lanes have seen since the worker resumed the block
    uint64_t awaited_generation_ = 0;
    unsigned steps_in_turn_ = 0;                   // in lockstep
    std::vector<uint32_t> held_back_;              // the same: lanes of each warp when the block last paused
    std::unique_ptr<BlockObserver> own_observer_;  // null until a launch provides one
    BlockObserver* observer_ = nullptr;            // the same if this launch is observed, else null
    Schedule schedule_ = Schedule::independent;    // chosen by the observer; independent without one
    Context worker_;                               // where run() continues
    Context starter_;                              // the lane loop
    Context abandoned_;                            // written, never resumed
};

/// The block whose lanes run on this thread.
extern __thread ResidentBlock* current_block;

}  // namespace simt
