// SPDX-License-Identifier: MIT
// The checks of one resident block. It passes on what the kernel and the scheduler report to the checkers, and tells
// them about the block and its lanes. All of this happens on the worker thread that runs the block.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/core/checker.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/exec/observer.hpp"
#include "common/simt/include/simt/warp_state.hpp"

namespace simt::check {

// ---- turns

/// Chooses the lane that goes next in a checked block, for the schedules other than the independent one.
///
/// Random: any lane of any warp that can run, and a lane may lose its turn at any access. Lockstep: the lanes of a warp
/// advance together, one basic block or access at a time. Where they have diverged, the lanes furthest behind in the
/// source go first, and lanes that have left a loop wait for those that only wait in it. GPUs before Volta worked like
/// this, since their lanes had no program counters of their own: a lane that loops until another lane of its warp acts
/// after the loop waits forever.
class Turns {
public:
    void begin_block(uint64_t launch, uint64_t block, unsigned lanes);

    Schedule schedule() const { return schedule_; }
    bool are_chosen() const { return schedule_ != Schedule::independent; }
    bool are_in_step() const { return schedule_ == Schedule::lockstep; }

    /// Random: a number below a limit; whether the running lane loses its turn at an access.
    uint32_t below(uint32_t limit);
    bool ends_at_access() { return are_in_step() || below(accesses_per_turn) == 0; }

    /// Lockstep: a lane enters a basic block, or reaches an access in one; its last such place; and which candidates of
    /// a warp are furthest behind.
    void entered(unsigned lane, const void* pc);
    void comes_to(unsigned lane, const void* pc) { places_[lane].pc = pc; }
    const void* place_of(unsigned lane) const { return places_[lane].pc; }
    uint32_t furthest_behind(unsigned warp, uint32_t candidates) const;

private:
    static constexpr uint32_t accesses_per_turn = 32;

    // A basic block: its line and address in its function.
    struct KnownBlock {
        size_t function = 0;
        uint64_t position = 0;
    };
    // The place of a lane. In a function that was not inlined: where the kernel calls it, and where in it the lane is.
    struct Place {
        uint64_t in_kernel = 0, in_function = 0;
        const void* pc = nullptr;
    };

    const KnownBlock& block_at(const void* pc);

    Schedule schedule_ = Schedule::independent;
    uint64_t state_ = 0;  // of the random numbers
    size_t kernel_ = 0;   // the function that the block's first lane entered first
    bool knows_kernel_ = false;
    std::vector<Place> places_;  // by lane
    std::unordered_map<const void*, KnownBlock> known_blocks_;
};

/// The block that runs at position `index`: a permutation chosen by the seed.
uint64_t random_block(uint64_t index, uint64_t count);

// ---- the block

class BlockCheck : public BlockObserver {
public:
    explicit BlockCheck(ResidentBlock& block);
    ~BlockCheck() override;

    // ---- from the execution core: see exec/observer.hpp
    void began(LaunchObserver& launch, uint64_t block_index, unsigned lanes) override;
    void resumed() override;
    void left() override;
    void ended() override;
    void lane_ended(unsigned lane) override;
    void warp_stalled(unsigned warp, unsigned paused) override;
    void meeting_completed(unsigned warp, unsigned lanes) override;
    void block_barrier_completed() override;
    void grid_barrier_completed() override;
    void copy_started(uintptr_t target, size_t bytes, const void* pc) override;
    void copy_finished(uintptr_t target, size_t bytes) override;
    bool deadlocked() override;
    bool timed_out() override;
    bool misused(const char* message, const void* pc) override;
    void invalid_free(const void* pointer, const void* pc) override;
    bool stack_overflowed(uintptr_t instruction, const uintptr_t* stack) override;
    Schedule schedule() const override { return turns_.schedule(); }
    uint32_t random_below(uint32_t limit) override { return turns_.below(limit); }
    uint32_t furthest_behind(unsigned warp, uint32_t candidates) const override {
        return turns_.furthest_behind(warp, candidates);
    }
    uint32_t waiting_loop_lanes(unsigned warp) const override { return polling_[warp]; }
    bool polls_again(unsigned lane) const override;
    const char* warp_function_of(unsigned lane) const override;
    SourceLine place_of(unsigned lane) const override;

    // ---- from the kernel; these may not return: a finding can drop the lane from the launch
    void arrive(check::Wait kind, unsigned mask, unsigned source, Site site);
    void fence(check::Reach reach);
    void passes(uintptr_t pointer, const void* pc);  ///< the running lane passes it to a kernel it launches
    void set_polling(bool polls);                    ///< the running lane is in a loop that only waits

    // ---- for the checkers
    LaunchCheck& launch() const { return *launch_; }
    uint64_t block_index() const { return block_index_; }
    unsigned lane_count() const { return lane_count_; }
    unsigned running_lane() const { return static_cast<unsigned>(current_lane - contexts_); }
    /// A finding has dropped a lane, so what it would have done is missing.
    bool has_lost_lanes() const { return has_lost_lanes_; }
    bool is_polling(unsigned lane) const { return polling_[lane / 32] >> lane % 32 & 1; }
    AddressRange shared_window() const { return shared_; }
    [[gnu::always_inline]] Space space_of(uintptr_t address) const {
        if (global_.contains(address)) return Space::global;
        if (shared_.contains(address)) return Space::shared;
        return stacks_.contains(address) ? Space::local : Space::other;
    }
    ResidentBlock& block() const { return block_; }
    const Context& context(unsigned lane) const { return contexts_[lane]; }

    /// Drops the running lane. The launch goes on without it and ends with this error.
    [[noreturn]] void drop_running_lane(int error);
    /// Drops the lane if its stack has no room for the checkers' next step, which must not end halfway. `pc`: the
    /// current place in the kernel.
    void check_room_on_stack(const void* pc);
    /// Lets the other lanes of the warp go first, until each has paused too, waits or has ended.
    void pause_running_lane();

protected:
    // Those that are told first come first: synchronization before races, since faulty synchronization orders nothing.
    void add(std::unique_ptr<Checker> checker) { checkers_.push_back(std::move(checker)); }
    // Called before an access, where the schedule may let other lanes go first.
    void end_turn(const Access& access);

    // (What the common access needs comes first, so that it shares few cache lines.)
    const Context* contexts_;
    AddressRange global_, shared_, stacks_;
    Turns turns_;

private:
    std::vector<std::unique_ptr<Checker>> checkers_;
    ResidentBlock& block_;
    LaunchCheck* launch_ = nullptr;
    size_t modules_ = 0;  // that had kernels when the block was made
    uint64_t block_index_ = 0;
    unsigned lane_count_ = 0;
    bool has_lost_lanes_ = false;
    uint32_t polling_[32] = {};  // a bit per lane
};

/// The block whose lanes run on this thread, if it is checked; else null.
extern __thread BlockCheck* current_check;

}  // namespace simt::check
