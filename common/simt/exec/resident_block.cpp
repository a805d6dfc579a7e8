#include "common/simt/exec/resident_block.hpp"

#include <bit>
#include <utility>

#include "common/simt/exec/context.hpp"
#include "common/simt/exec/fault.hpp"
#include "common/simt/exec/meetings.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt {

__thread Warp* current_warp = nullptr;
__thread Context* current_lane = nullptr;

namespace {

// The block whose lanes run on this thread.
__thread ResidentBlock* current_block = nullptr;

constexpr unsigned lanes_per_warp = 32;

// A block whose lanes have polled this often and done nothing else lets other blocks run.
constexpr unsigned polling_rounds_per_turn = 16;

// A block that has passed this many barriers, or whose warps have had this many long turns, also lets other blocks run:
// it may poll for another block in a loop with barriers or votes. Either takes some 50 ms or more.
constexpr unsigned barriers_per_turn = 1 << 16;
constexpr unsigned long_turns_per_turn = 1 << 7;

// A warp whose lanes advance in lockstep lets another warp go after this many steps: it may wait for that warp in a
// loop that is not known to wait.
constexpr unsigned steps_per_turn = 1 << 10;

unsigned first_lanes(unsigned count) { return count >= lanes_per_warp ? ~0u : (1u << count) - 1; }

Context* take_ready_lane(Warp& warp) {
    current_warp = &warp;
    Context* lane = warp.contexts + std::countr_zero(warp.ready);
    warp.ready &= warp.ready - 1;
    return lane;
}

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

void ResidentBlock::begin(RunningLaunch& launch, uint64_t index, Progress& progress) {
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
    detached_ = has_polled_ = shared_is_saved = false;
    upwards_ = true;
    tally_ = {};
    async_copies.clear();
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
    switch_context(&worker_, first);
    interruption = {};  // the lane's, if it was abandoned
    if (pause_ == Pause::failed) allow_interrupts();
    if ((pause_ == Pause::ended || pause_ == Pause::at_grid) && stacks_.overflowed()) report_overflow();
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
    return next_lane();
}

// The first lanes of a block run in a loop, one after the other on one stack, until one of them waits.
SIMT_ENDS_ELSEWHERE void ResidentBlock::run_lane_loop(Context*) {
    announce_arrival(nullptr);
    ResidentBlock& block = *current_block;
    const Extent& shape = block.shape_;
    for (unsigned z = 0; z < shape.z; ++z) {
        for (unsigned y = 0; y < shape.y; ++y) {
            block.run_lanes_(block.arguments_, {0, shape.x, y, z, false});
            // A lane that has waited and come back here has ended. The lanes after it run on their own stacks.
            if (block.detached_) block.run_remaining_lanes(block.end_lane(current_lane));
            block.progress_->advance();
        }
    }
    block.pause(Pause::ended);
    switch_context(&block.abandoned_, &block.worker_);
    __builtin_unreachable();
}

// A lane that has a stack of its own starts here.
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

// The warp goes on as long as one of its lanes can.
Context* ResidentBlock::next_lane() {
    if (!current_warp->ready) return next_after_stall();
    const bool changes_warp = is_random() && observer_->random_below(4) == 0;
    return take_lane(changes_warp ? *next_ready_warp() : *current_warp);
}

Context* ResidentBlock::take_lane(Warp& warp) { return is_random() ? take_any_lane(warp) : take_ready_lane(warp); }

Context* ResidentBlock::take_any_lane(Warp& warp) {
    unsigned candidates = warp.ready;
    uint32_t skipped = observer_->random_below(static_cast<uint32_t>(std::popcount(candidates)));
    for (; skipped > 0; --skipped) candidates &= candidates - 1;
    current_warp = &warp;
    warp.ready &= ~(candidates & -candidates);
    return warp.contexts + std::countr_zero(candidates);
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

Context* ResidentBlock::pause(Pause reason) {
    pause_ = reason;
    return &worker_;
}

Context* ResidentBlock::next_of_paused() {
    Warp& warp = *current_warp;
    warp.ready = std::exchange(warp.paused, 0);
    return next_lane();
}

// In lockstep: of lanes that have diverged, those furthest behind go on. If they are in a loop that only waits, the
// others wait for them to leave it, and other warps go first. A lane that yields elsewhere does not hold up the rest of
// its warp.
Context* ResidentBlock::next_in_step() {
    Warp& warp = *current_warp;
    const auto index = static_cast<unsigned>(current_warp - warps_.data());
    unsigned behind = observer_->furthest_behind(index, warp.paused | warp.yielded);
    if (behind & warp.yielded & observer_->waiting_loop_lanes(index)) return next_in_another_warp();
    if (!(behind & warp.paused)) behind = observer_->furthest_behind(index, warp.paused);
    warp.ready = behind;
    warp.paused &= ~behind;
    warp.yielded &= ~behind;
    return take_ready_lane(++steps_in_turn_ % steps_per_turn ? warp : *next_ready_warp());
}

Context* ResidentBlock::next_after_stall() {
    const Uninterrupted section;
    Warp& warp = *current_warp;
    if (observer_) {
        observer_->warp_stalled(static_cast<unsigned>(current_warp - warps_.data()), warp.paused);
        if (warp.paused && schedule_ == Schedule::lockstep) return next_in_step();
        if (warp.paused) return next_of_paused();
    }
    if (warp.meeting && complete_meetings(warp, observer_, static_cast<unsigned>(&warp - warps_.data()))) {
        return warp.meetings_in_turn < meetings_per_turn ? take_lane(warp) : next_after_long_turn();
    }
    if (warp.asking) {
        answer_active_mask(warp);
        return take_lane(warp);
    }
    return next_in_another_warp();
}

Context* ResidentBlock::next_in_another_warp() {
    if (Warp* warp = next_ready_warp()) return take_lane(*warp);
    unsigned live = 0, meeting = 0, yielded = 0, at_grid = 0, not_at_grid = 0;
    for (size_t i = 0; i < warp_count_; ++i) {
        const Warp& warp = warps_[i];
        live |= warp.live;
        meeting |= warp.meeting;
        yielded |= warp.yielded;
        at_grid |= warp.at_grid;
        not_at_grid |= warp.live & ~warp.at_grid;
    }
    if (launch_->failed()) return pause(Pause::failed);
    if (!live) return pause(Pause::ended);
    if (yielded) return next_polling();
    if (!(meeting | at_grid)) return next_after_barrier();
    if (!(meeting | not_at_grid)) return next_after_grid_barrier();
    return pause(Pause::deadlocked);
}

// Every live lane has arrived at the block barrier.
Context* ResidentBlock::next_after_barrier() {
    tally_.published = tally_.arriving;
    tally_.arriving = 0;
    if (observer_) observer_->block_barrier_completed();
    if (!has_polled_) progress_->advance();
    has_polled_ = false;
    const bool ends_turn = ++barriers_in_turn_ >= barriers_per_turn;
    for (size_t i = 0; i < warp_count_; ++i) warps_[i].ready = warps_[i].live;
    // Turn round: the warps that ran last are still in the cache, while a block's stacks together may exceed it.
    upwards_ = !upwards_;
    if (!current_warp->ready) current_warp = next_ready_warp();
    return ends_turn ? pause(Pause::polling) : take_lane(*current_warp);
}

// The warp has met many times without waiting for another warp: the others go first, and finally other blocks.
Context* ResidentBlock::next_after_long_turn() {
    current_warp->meetings_in_turn = 0;
    if (++long_turns_ >= long_turns_per_turn) return pause(Pause::polling);
    return take_lane(*next_ready_warp());
}

// Goes round from the current warp, so that a polling warp cannot keep the others from running.
Warp* ResidentBlock::next_ready_warp() {
    Warp* const first = warps_.data();
    Warp* const last = first + warp_count_ - 1;
    Warp* warp = current_warp;
    if (is_random()) warp += observer_->random_below(static_cast<uint32_t>(warp_count_)) - (warp - first);
    Warp* const begin = warp;
    do {
        if (upwards_) {
            warp = warp == last ? first : warp + 1;
        } else {
            warp = warp == first ? last : warp - 1;
        }
        if (warp->ready) return warp;
    } while (warp != begin);
    return nullptr;
}

// Only polling lanes can run: let each of them look again, and after some rounds let the other blocks run.
Context* ResidentBlock::next_polling() {
    has_polled_ = true;
    for (size_t i = 0; i < warp_count_; ++i) {
        warps_[i].ready = warps_[i].yielded;
        warps_[i].yielded = 0;
    }
    return ++polling_rounds_ < polling_rounds_per_turn ? first_ready_lane() : pause(Pause::polling);
}

// Every live lane is at grid.sync(). The lanes are ready to go on; the worker runs them when the other blocks have
// arrived.
Context* ResidentBlock::next_after_grid_barrier() {
    for (size_t i = 0; i < warp_count_; ++i) {
        warps_[i].ready = warps_[i].at_grid;
        warps_[i].at_grid = 0;
    }
    if (observer_) observer_->grid_barrier_completed();
    awaited_generation_ = launch_->grid_barrier.arrive();
    progress_->advance();
    return pause(Pause::at_grid);
}

Context* ResidentBlock::first_ready_lane() {
    size_t i = 0;
    while (!warps_[i].ready) ++i;
    return take_lane(warps_[i]);
}

}  // namespace simt
