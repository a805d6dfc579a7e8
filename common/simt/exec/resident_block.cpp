// SPDX-License-Identifier: MIT
#include "common/simt/exec/resident_block.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "common/simt/exec/context.hpp"
#include "common/simt/exec/fault.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt {

namespace {

// The block whose lanes run on this thread.
__thread ResidentBlock* current_block = nullptr;

constexpr unsigned lanes_per_warp = 32;

unsigned first_lanes(unsigned count) { return count >= lanes_per_warp ? ~0u : (1u << count) - 1; }

}  // namespace

ResidentBlock* ResidentBlock::current() { return current_block; }

bool in_kernel() { return current_block != nullptr; }

void detach_lane(unsigned x, unsigned y, unsigned z) { current_block->detach(x, y, z); }

Context* schedule() { return current_block->next_lane(); }

ResidentBlock::ResidentBlock(unsigned lane_capacity)
    : lane_capacity_(lane_capacity),
      stacks_(lane_capacity),
      contexts_(lane_capacity),
      warps_((lane_capacity + lanes_per_warp - 1) / lanes_per_warp) {
    if (!stacks_.valid()) return;
    for (unsigned lane = 0; lane < lane_capacity; ++lane) set_stack(contexts_[lane], stacks_.top(lane));
    set_stack(starter_, stacks_.top(0));
    for (size_t warp = 0; warp < warps_.size(); ++warp) {
        warps_[warp].contexts = &contexts_[warp * lanes_per_warp];
        warps_[warp].tally = &tally_;
    }
}

ResidentBlock::~ResidentBlock() = default;

void ResidentBlock::set_shape(const Extent& shape) {
    if (shape.x == shape_.x && shape.y == shape_.y && shape.z == shape_.z) return;
    shape_ = shape;
    lane_count_ = shape.x * shape.y * shape.z;
    warp_count_ = (lane_count_ + lanes_per_warp - 1) / lanes_per_warp;
    unsigned rank = 0;
    for (unsigned z = 0; z < shape.z; ++z) {
        for (unsigned y = 0; y < shape.y; ++y) {
            for (unsigned x = 0; x < shape.x; ++x, ++rank) {
                Context& context = contexts_[rank];
                context.x = x;
                context.y = y;
                context.z = z;
                context.lane = rank % lanes_per_warp;
            }
        }
    }
}

void ResidentBlock::begin(RunningLaunch& launch, uint64_t index, unsigned worker, Progress& progress) {
    launch_ = &launch;
    progress_ = &progress;
    const Extent& grid = launch.launch.grid;
    const Extent& block = launch.launch.block;
    set_shape(block);
    identity_.index_x = static_cast<unsigned>(index % grid.x);
    identity_.index_y = static_cast<unsigned>(index / grid.x % grid.y);
    identity_.index_z = static_cast<unsigned>(index / grid.x / grid.y);
    identity_.dim_x = block.x, identity_.dim_y = block.y, identity_.dim_z = block.z;
    identity_.grid_x = grid.x, identity_.grid_y = grid.y, identity_.grid_z = grid.z;
    identity_.one_worker = launch.worker_count == 1;
    identity_.dynamic_shared_bytes = static_cast<unsigned>(launch.launch.dynamic_shared_bytes);
    identity_.cooperative = launch.launch.cooperative;
    identity_.worker = worker;
    detached_ = has_polled_ = shared_is_saved = false;
    upwards_ = true;
    tally_ = {};
    values_of_turn_ = 0;
    is_first_of_worker_ = progress.steps == 0;
    async_copies.clear();
    held_back_.clear();
    current_warp = nullptr;
    run_lanes_ = launch.launch.run_lanes;
    arguments_ = launch.launch.arguments.get();
    if (launch.observer && !own_observer_) own_observer_ = launch.observer->observe(*this);
    observer_ = launch.observer ? own_observer_.get() : nullptr;
    if (observer_) {
        detach_all();
        observer_->began(*launch.observer, index, lane_count_);
        schedule_ = observer_->schedule();
    } else {
        schedule_ = Schedule::independent;
        prepare_context(starter_, &ResidentBlock::run_lane_loop);
    }
}

Pause ResidentBlock::run() {
    current_block = this;
    launch_->launch.enter_block(identity_);
    polling_rounds_ = barriers_in_turn_ = long_turns_ = 0;
    Context* first = &starter_;
    if (detached_) first = first_ready_lane();
    current_lane = first;
    if (observer_) observer_->resumed();
    turns_taken = &progress_->turns_taken;
    turns_taken->step_epoch = &launch_->step_epoch;
    const uint64_t changes_before = changes_made, values_before = values_seen;
    switch_context(&worker_, first);
    // A turn in which nothing changes is like the one before it.
    const uint64_t values = values_seen - values_before;
    if (changes_made != changes_before || values != values_of_turn_) Progress::increase(progress_->changes);
    values_of_turn_ = values;
    turns_taken = nullptr;
    interruption = {};  // the lane's, if it was abandoned
    if (pause_ == Pause::failed) allow_interrupts();
    if (has_hit_guard_) tell_overflow();
    has_hit_guard_ = false;
    if ((pause_ == Pause::ended || pause_ == Pause::at_grid) && stacks_.overflowed()) report_overflow();
    if (pause_ == Pause::polling && schedule_ == Schedule::lockstep) note_held_back();
    const bool is_abandoned = pause_ == Pause::failed || pause_ == Pause::deadlocked;
    if (is_abandoned) forget_frames(reinterpret_cast<void*>(stacks_.begin()), stacks_.bytes());
    if (observer_) observer_->left();
    current_block = nullptr;
    if (observer_ && pause_ == Pause::ended) observer_->ended();
    return pause_;
}

SIMT_ENDS_ELSEWHERE void ResidentBlock::abandon() {
    pause_ = Pause::failed;
    switch_context(&abandoned_, &worker_);
    __builtin_unreachable();
}

inline Context* ResidentBlock::end_lane(Context* ended) {
    current_warp->live &= ~(1u << ended->lane);
    if (observer_) observer_->lane_ended(static_cast<unsigned>(ended - contexts_.data()));
    progress_->advance();
    return next_lane();
}

// How many lanes of a row the loop runs before it reports progress to the watchdog: usually all of them, which is
// fastest. But lanes may be slow, which is unknown when a worker begins.
unsigned ResidentBlock::lanes_at_once(unsigned ended) const {
    if (launch_->has_long_lanes.load(std::memory_order_relaxed)) return 1;
    return is_first_of_worker_ ? std::max(ended, 1u) : identity_.dim_x;
}

// The first lanes of a block run in a loop, one after the other on one stack, until one of them waits.
SIMT_ENDS_ELSEWHERE void ResidentBlock::run_lane_loop(Context*) {
    announce_arrival(nullptr);
    ResidentBlock& block = *current_block;
    const Extent& shape = block.shape_;
    for (unsigned z = 0; z < shape.z; ++z) {
        for (unsigned y = 0; y < shape.y; ++y) {
            for (unsigned x = 0; x < shape.x;) {
                const unsigned last = std::min(shape.x, x + block.lanes_at_once(x));
                block.run_lanes_(block.arguments_, {x, last, y, z, false});
                // A lane that has waited and come back here has ended. The lanes after it run on their own stacks.
                if (block.detached_) block.run_remaining_lanes(block.end_lane(current_lane));
                block.progress_->advance();
                x = last;
            }
        }
    }
    block.pause(Pause::ended);
    switch_context(&block.abandoned_, &block.worker_);
    __builtin_unreachable();
}

// A lane that has its own stack starts here.
SIMT_ENDS_ELSEWHERE void ResidentBlock::run_single_lane(Context* self) {
    announce_arrival(nullptr);
    current_block->run_remaining_lanes(self);
}

// Runs `next` and then, on the same stack, the lanes after it as long as they have not started.
SIMT_ENDS_ELSEWHERE void ResidentBlock::run_remaining_lanes(Context* next) {
    for (;;) {
        current_lane = next;
        const unsigned bit = 1u << next->lane;
        if (next == &worker_ || !(current_warp->unstarted & bit)) {
            switch_context(&abandoned_, next);
            __builtin_unreachable();
        }
        current_warp->unstarted &= ~bit;
        run_lanes_(arguments_, {next->x, next->x + 1, next->y, next->z, true});
        next = end_lane(next);
    }
}

void ResidentBlock::detach(unsigned x, unsigned y, unsigned z) {
    const unsigned rank = x + shape_.x * (y + shape_.y * z);
    for (unsigned warp_index = 0; warp_index < warp_count_; ++warp_index) {
        Warp& warp = warps_[warp_index];
        const unsigned first = warp_index * lanes_per_warp;
        const unsigned lanes = first_lanes(lane_count_ - first);
        const unsigned ended = rank <= first ? 0 : first_lanes(rank - first);
        const bool holds_this_lane = rank / lanes_per_warp == warp_index;
        warp.live = lanes & ~ended;
        warp.ready = warp.unstarted = holds_this_lane ? warp.live & ~(1u << rank % lanes_per_warp) : warp.live;
        warp.meetings_in_turn = 0;
        warp.meeting = warp.partial = warp.asking = warp.yielded = warp.at_grid = warp.paused = 0;
        warp.arriving->predicates = 0;
    }
    for (unsigned other = rank + 1; other < lane_count_; ++other) {
        prepare_context(contexts_[other], &ResidentBlock::run_single_lane);
    }
    detached_ = true;
    current_lane = &contexts_[rank];
    current_warp = &warps_[rank / lanes_per_warp];
}

// Observed lanes have their own stacks from the start, since each can be paused at any access.
void ResidentBlock::detach_all() {
    detach(0, 0, 0);
    warps_[0].ready = warps_[0].unstarted = warps_[0].live;
    prepare_context(contexts_[0], &ResidentBlock::run_single_lane);
}

SIMT_ENDS_ELSEWHERE void ResidentBlock::drop_running_lane() {
    // The next lane must not run on this stack: abandoned frames are still on it.
    Context* const next = end_lane(current_lane);
    current_lane = next;
    interruption.depth = 0;
    switch_context(&abandoned_, next);
    __builtin_unreachable();
}

void ResidentBlock::pause_running_lane() {
    Context* const self = current_lane;
    current_warp->paused |= 1u << self->lane;
    Context* const next = next_lane();
    current_lane = next;
    if (next == self) return;
    const unsigned depth = std::exchange(interruption.depth, 0);
    switch_context(self, next);
    interruption.depth = depth;
    launch_->launch.enter_lane(self->x, self->y, self->z);
}

}  // namespace simt
