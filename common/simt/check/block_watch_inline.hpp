// The events that are told often, inline: each goes to those who have been switched on.
#pragma once

#include "common/simt/check/block_counters.hpp"
#include "common/simt/check/block_watch.hpp"
#include "common/simt/check/memory_check.hpp"
#include "common/simt/check/race_check.hpp"
#include "common/simt/check/sync_check.hpp"
#include "common/simt/include/simt/warp_state.hpp"

namespace simt::checking {

inline unsigned BlockWatch::running_lane() const { return static_cast<unsigned>(current_lane - contexts_); }

[[gnu::always_inline]] inline Space BlockWatch::space_of(uintptr_t address) const {
    if (global_.contains(address)) return Space::global;
    if (shared_.contains(address)) return Space::shared;
    return stacks_.contains(address) ? Space::local : Space::other;
}

[[gnu::always_inline]] inline void BlockWatch::access(const Access& access) {
    if (__builtin_expect(turns_.are_chosen(), 0)) end_turn(access);
    if (memory_) memory_->access(access);
    if (access.space == Space::local) return;
    if (synchronization_) synchronization_->access(access);
    if (races_) races_->access(access);
    if (counters_) counters_->access(access);
}

inline void BlockWatch::block_entered(const void* pc) {
    if (__builtin_expect(turns_.are_in_step(), 0)) {
        turns_.entered(running_lane(), pc);
        pause_running_lane();
    }
    if (counters_) counters_->block_entered(pc);
}

}  // namespace simt::checking
