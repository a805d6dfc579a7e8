// SPDX-License-Identifier: MIT
// The frequent events, inline: each goes to the checkers that are switched on.
#pragma once

#include <cstdint>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/counters/block.hpp"
#include "common/simt/check/memory/validity.hpp"
#include "common/simt/check/race/usual.hpp"
#include "common/simt/check/sync/arrivals.hpp"
#include "common/simt/include/simt/warp_state.hpp"

namespace simt::check {

inline unsigned BlockCheck::running_lane() const { return static_cast<unsigned>(current_lane - contexts_); }

[[gnu::always_inline]] inline Space BlockCheck::space_of(uintptr_t address) const {
    if (global_.contains(address)) return Space::global;
    if (shared_.contains(address)) return Space::shared;
    return stacks_.contains(address) ? Space::local : Space::other;
}

template <Space space, unsigned bytes, bool is_write>
[[gnu::always_inline]] inline bool BlockCheck::word_access_in(uintptr_t address, const void* pc) {
    if (memory_ && !memory_->is_usual<space>(address, bytes)) return false;
    const unsigned lane = running_lane();
    if (synchronization_) synchronization_->accessed(lane, pc);
    if (races_) races_->word_access<space, bytes, is_write>(address, lane, pc);
    return true;
}

template <unsigned bytes, bool is_write>
[[gnu::always_inline]] inline bool BlockCheck::word_access(uintptr_t address, const void* pc) {
    if (follows_lanes_ || address % bytes != 0) return false;
    if (shared_.contains(address)) return word_access_in<Space::shared, bytes, is_write>(address, pc);
    if (global_.contains(address)) return word_access_in<Space::global, bytes, is_write>(address, pc);
    return stacks_.contains(address);
}

inline void BlockCheck::access(const Access& access) {
    if (turns_.are_chosen()) end_turn(access);
    if (memory_) memory_->access(access);
    if (access.space == Space::local) return;
    if (synchronization_) synchronization_->accessed(access.lane, access.pc);
    if (races_) races_->access(access);
    if (counters_) counters_->access(access);
}

inline void BlockCheck::block_entered(const void* pc) {
    if (turns_.are_in_step()) {
        turns_.entered(running_lane(), pc);
        pause_running_lane();
    }
    if (counters_) counters_->block_entered(pc);
}

}  // namespace simt::check
