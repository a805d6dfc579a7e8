// SPDX-License-Identifier: MIT
// A block with the checkers that the settings ask for, and the way of its accesses to them: inline, and by the
// checkers' own types.
#pragma once

#include <cstdint>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/counters/block_counters.hpp"
#include "common/simt/check/memory/memory_check.hpp"
#include "common/simt/check/race/filter.hpp"
#include "common/simt/check/sync/sync_check.hpp"
#include "common/simt/check/trace/block_trace.hpp"

namespace simt::check {

class CheckedBlock final : public BlockCheck {
public:
    explicit CheckedBlock(ResidentBlock& block);

    /// The block whose lanes run on this thread, if it is checked; else null.
    static CheckedBlock* current() { return static_cast<CheckedBlock*>(current_check); }

    void began(LaunchObserver& launch, uint64_t block_index, unsigned lanes) override;

    // ---- from the kernel's hooks; these may not return: a finding can drop the lane from the launch
    void access(const Access& access) {
        if (turns_.are_chosen()) end_turn(access);
        if (memory_) memory_->access(access);
        if (access.space == Space::local) {
            if (counters_) counters_->local_access(access);
            return;
        }
        if (synchronization_) synchronization_->accessed(access.lane, access.pc);
        if (races_) races_->access(access);
        if (counters_) counters_->access(access);
        if (trace_) trace_->access(access);
    }
    /// The same for a plain access of 4, 8 or 16 bytes that the compiler takes to be aligned. Returns false for an
    /// unusual access, which the caller then passes to access().
    template <unsigned bytes, bool is_write>
    [[gnu::always_inline]] bool word_access(uintptr_t address, const void* pc) {
        if (follows_lanes_ || address % bytes != 0) return false;
        if (shared_.contains(address)) return word_access_in<Space::shared, bytes, is_write>(address, pc);
        if (global_.contains(address)) return word_access_in<Space::global, bytes, is_write>(address, pc);
        return stacks_.contains(address);
    }
    bool follows_lanes() const { return follows_lanes_; }  // every access and basic block is reported
    void block_entered(const void* pc) {                   // a basic block
        if (turns_.are_in_step()) {
            turns_.entered(running_lane(), pc);
            pause_running_lane();
        }
        if (counters_) counters_->block_entered(pc);
    }
    void begin_atomic(const Access& access);
    void end_atomic(uintptr_t address, bool has_written);

    /// Null if it is off.
    MemoryCheck* memory() const { return memory_; }
    RaceCheck* races() const { return races_; }
    SyncCheck* synchronization() const { return synchronization_; }
    BlockCounters* counters() const { return counters_; }

private:
    template <Space space, unsigned bytes, bool is_write>
    [[gnu::always_inline]] bool word_access_in(uintptr_t address, const void* pc) {
        if (memory_ && !memory_->is_usual<space>(address, bytes)) return false;
        const unsigned lane = running_lane();
        if (synchronization_) synchronization_->accessed(lane, pc);
        if (races_) races_->word_access<space, bytes, is_write>(address, lane, pc);
        return true;
    }
    template <typename Kind>
    Kind* added();

    MemoryCheck* memory_ = nullptr;
    RaceCheck* races_ = nullptr;
    SyncCheck* synchronization_ = nullptr;
    BlockCounters* counters_ = nullptr;
    BlockTrace* trace_ = nullptr;
    bool follows_lanes_ = false;
};

}  // namespace simt::check
