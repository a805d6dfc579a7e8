// SPDX-License-Identifier: MIT
// Which lane of a block runs next, and when lanes that wait for each other have met.
#include "common/simt/exec/schedule.hpp"

#include <bit>
#include <cstdint>
#include <utility>

#include "common/simt/exec/observer.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"
#include "common/simt/include/simt/warp_state.hpp"

namespace simt {

// ---- meetings: shuffles, votes, __syncwarp, and __activemask

// Releases the lanes of complete meetings and publishes their values; values of lanes that still wait are kept. Returns
// whether it released any. Reports to the observer, unless null, which lanes of warp `index` have met.
bool complete_meetings(Warp& warp, BlockObserver* observer, unsigned index);

// The active lanes are those at the same __activemask() when nothing else can run.
void answer_active_mask(Warp& warp);

namespace {

// The lanes that this one waits for, itself among them.
unsigned awaited_lanes(const Warp& warp, unsigned lane) {
    const bool waits_for_some = warp.partial >> lane & 1;
    return (waits_for_some ? warp.masks[lane] & warp.live : warp.live) | 1u << lane;
}

// A meeting is complete when all its lanes have come to it, and to no other: different groups of lanes may be in
// different meetings at the same time.
bool is_complete(const Warp& warp, unsigned group) {
    if (group & ~warp.meeting) return false;
    for (unsigned lanes = group; lanes; lanes &= lanes - 1) {
        if (awaited_lanes(warp, std::countr_zero(lanes)) != group) return false;
    }
    return true;
}

}  // namespace

bool complete_meetings(Warp& warp, BlockObserver* observer, unsigned index) {
    unsigned released = 0;
    for (unsigned candidates = warp.meeting; candidates; candidates &= (candidates - 1) & ~released) {
        const unsigned group = awaited_lanes(warp, std::countr_zero(candidates));
        if (!is_complete(warp, group)) continue;
        if (observer && group & ~released) observer->meeting_completed(index, group);
        released |= group;
    }
    if (!released) return false;
    warp.meeting &= ~released;
    warp.partial &= ~released;
    std::swap(warp.arriving, warp.published);
    warp.published->present = released;
    warp.arriving->predicates = warp.published->predicates & warp.meeting;
    for (unsigned left = warp.meeting; left; left &= left - 1) {
        const unsigned lane = std::countr_zero(left);
        warp.arriving->values[lane] = warp.published->values[lane];
    }
    warp.ready = released;
    return true;
}

void answer_active_mask(Warp& warp) {
    const Context& first = warp.contexts[std::countr_zero(warp.asking)];
    unsigned group = 0;
    for (unsigned candidates = warp.asking; candidates; candidates &= candidates - 1) {
        const unsigned lane = std::countr_zero(candidates);
        const Context& context = warp.contexts[lane];
        if (context.line == first.line && context.file == first.file) group |= 1u << lane;
    }
    for (unsigned lanes = group; lanes; lanes &= lanes - 1) warp.masks[std::countr_zero(lanes)] = group;
    warp.asking &= ~group;
    warp.ready = group;
}

// ---- which lane of a block runs next

namespace {

// A block whose lanes have only polled for this many rounds lets other blocks run.
constexpr unsigned polling_rounds_per_turn = 16;

// A block that has passed this many barriers, or whose warps have had this many long turns, also lets other blocks run:
// it may poll for another block in a loop with barriers or votes. Either takes some 50 ms or more.
constexpr unsigned barriers_per_turn = 1 << 16;
constexpr unsigned long_turns_per_turn = 1 << 7;

// In lockstep, a warp lets another warp run after this many steps: it may wait for that warp in a loop that we do not
// recognize as waiting.
constexpr unsigned steps_per_turn = 1 << 10;

Context* take_ready_lane(Warp& warp) {
    current_warp = &warp;
    Context* lane = warp.contexts + std::countr_zero(warp.ready);
    warp.ready &= warp.ready - 1;
    return lane;
}

}  // namespace

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

Context* ResidentBlock::pause(Pause reason) {
    pause_ = reason;
    return &worker_;
}

Context* ResidentBlock::next_of_paused() {
    Warp& warp = *current_warp;
    warp.ready = std::exchange(warp.paused, 0);
    return next_lane();
}

// In lockstep: of lanes that have diverged, those furthest behind run. If they are in a loop that only waits, the
// others wait for them to leave it, and other warps run first. A lane that yields elsewhere does not hold up the rest
// of its warp.
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
    add_pending_sums();  // the block may read them through another pointer
    const bool ends_turn = ++barriers_in_turn_ >= barriers_per_turn;
    for (size_t i = 0; i < warp_count_; ++i) warps_[i].ready = warps_[i].live;
    // Reverse the order: the warps that ran last are still in the cache, while a block's stacks together may exceed it.
    upwards_ = !upwards_;
    if (!current_warp->ready) current_warp = next_ready_warp();
    return ends_turn ? pause(Pause::polling) : take_lane(*current_warp);
}

// The warp has met many times without waiting for another warp: the others run first, and finally other blocks.
Context* ResidentBlock::next_after_long_turn() {
    current_warp->meetings_in_turn = 0;
    if (++long_turns_ >= long_turns_per_turn) return pause(Pause::polling);
    return take_lane(*next_ready_warp());
}

// Goes around from the current warp, so that a polling warp cannot keep the others from running.
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
    Progress::increase(progress_->looks);
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
