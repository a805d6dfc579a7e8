// SPDX-License-Identifier: MIT
#include "common/simt/exec/meetings.hpp"

#include <bit>
#include <utility>

namespace simt {

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

}  // namespace simt
