// SPDX-License-Identifier: MIT
// How a lane waits: the inlined steady state of every barrier, shuffle and vote.
#pragma once

#include "simt/check.hpp"
#include "simt/identity.hpp"
#include "simt/warp_state.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

constexpr unsigned every_lane = 0xffffffffu;

/// The running lane's context, with the place of the wait recorded for messages.
SIMT_UNCHECKED Context* waiting_lane(Site site) {
    if (__builtin_expect(!lane_identity.detached, 0)) {
        detach_lane(lane_identity.x, lane_identity.y, lane_identity.z);
        lane_identity.detached = 1;
    }
    Context* self = current_lane;
    self->file = site.file;
    self->line = site.line;
    return self;
}

SIMT_UNCHECKED unsigned lane_bit(const Context* self) { return 1u << self->lane; }

SIMT_UNCHECKED void switch_lane(Context* self, Context* next) {
    current_lane = next;
    self = switch_context(self, next);
    lane_identity.x = self->x;
    lane_identity.y = self->y;
    lane_identity.z = self->z;
    lane_identity.detached = self->detached;
}

/// Runs the other lanes until this one is back in `ready`. The warp has already recorded what it waits for.
SIMT_UNCHECKED void let_others_run(Context* self, Warp* warp) {
    unsigned ready = warp->ready;
    Context* next;
    if (!is_checked && __builtin_expect(ready != 0, 1)) {
        warp->ready = ready & (ready - 1);
        next = warp->contexts + __builtin_ctz(ready);
    } else {
        next = schedule();
    }
    switch_lane(self, next);
}

/// Waits until all lanes of `mask` that are still in the kernel have arrived. Their values in warp->arriving are then
/// in warp->published, until the lane waits again.
SIMT_UNCHECKED void meet(Context* self, Warp* warp, unsigned mask) {
    warp->meeting |= lane_bit(self);
    if (__builtin_expect((warp->live & ~mask) != 0, 0)) {
        warp->partial |= lane_bit(self);
        warp->masks[self->lane] = mask;
    }
    const bool is_last = warp->ready == 0 && warp->meeting == warp->live && warp->partial == 0;
    if (!is_checked && is_last && ++warp->meetings_in_turn < meetings_per_turn) {
        // The whole warp has arrived: complete the meeting here and go on without a switch. (Checked kernels leave it
        // to the runtime, which reports it.)
        Exchange* published = warp->arriving;
        published->present = warp->live;
        warp->arriving = warp->published;
        warp->arriving->predicates = 0;
        warp->published = published;
        warp->meeting = 0;
        warp->ready = warp->live & ~lane_bit(self);
        return;
    }
    let_others_run(self, warp);
}

/// The running lane has taken a lock, or has stopped waiting.
SIMT_UNCHECKED void note_change() {
    ++changes_made;
    TurnsTaken* const taken = turns_taken;
    if (!taken) return;
    const unsigned short epoch = __atomic_load_n(taken->step_epoch, __ATOMIC_RELAXED);
    if (current_lane->changed_at == epoch) return;
    current_lane->changed_at = epoch;
    __atomic_store_n(&taken->count, taken->count + 1, __ATOMIC_RELAXED);
}

/// The running lane has seen this value where it waits for another one.
SIMT_UNCHECKED void note_value_seen(unsigned long long value) {
    const unsigned long long mixed = (value + reinterpret_cast<unsigned long long>(current_lane)) * 0x9e3779b97f4a7c15;
    values_seen += mixed ^ mixed >> 32;
}

/// Called in a polling loop: every other lane of the block goes first, and eventually other blocks. Does nothing on the
/// host. `seen`: the value that the lane polls, if it is known here.
SIMT_OUT_OF_LINE void yield(Site site = Site::here(), unsigned long long seen = 0) {
    if (!in_kernel()) return;
    note_value_seen(seen);
    if (!is_checked && in_lane_loops()) return let_workers_run();
    if constexpr (is_checked) check::arrive(check::Wait::poll, every_lane, check::no_lane, site);
    Context* self = waiting_lane(site);
    Warp* warp = current_warp;
    warp->yielded |= lane_bit(self);
    let_others_run(self, warp);
}

/// Lives as long as a loop in which the lane only waits for others: simcc's rewriter declares it before the loop.
class Polling {
public:
    SIMT_INLINE Polling() {
        if constexpr (is_checked) is_inner_ = check::begin_polling();
    }
    SIMT_INLINE ~Polling() {
        if constexpr (is_checked) {
            if (!is_inner_) check::end_polling();
        }
        note_change();
    }
    Polling(const Polling&) = delete;
    Polling& operator=(const Polling&) = delete;

private:
    bool is_inner_ = false;  // this loop is inside another such loop
};

// ---- the end of a lane whose assertion failed: see assert.h

[[noreturn]] SIMT_UNCHECKED void assertion_failed(const char* expression, const char* file, unsigned line,
                                                  const char* function) {
    fail_assertion(lane_identity.x, lane_identity.y, lane_identity.z, expression, file, line, function);
}

}  // namespace SIMT_FLAVOR
}  // namespace simt
