// SPDX-License-Identifier: MIT
// The counters of one block: its warps' memory requests, and where the warps diverge.
//
// Every lane logs what it does. When its warp stalls, the logs are merged into steps of the warp, which are counted by
// place. A lane whose log is full lets the others of its warp catch up.
//
// Out of the room go plain numbers, by launch and source line (results.hpp), and texts (text.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/checker.hpp"
#include "common/simt/check/counters/places.hpp"
#include "common/simt/check/counters/reconvergence.hpp"
#include "common/simt/check/predict/block_costs.hpp"

namespace simt::check {

class BlockCounters final : public Checker, private WarpSteps {
public:
    explicit BlockCounters(BlockCheck& check) : check_(check), log_(WarpLog::of_this_thread()) {}

    /// Whether it follows the current block: times are predicted from a sample of them.
    bool is_on() const { return is_on_; }

    void begin_block() override;
    void access(const Access& access);
    /// The running lane has an array in local memory, until its scope ends.
    void begin_local_array(AddressRange array);
    void end_local_array(uintptr_t begin);
    /// An access to the lane's own stack, which counts if it is one to such an array.
    void local_access(const Access& access);
    void block_entered(const void* pc);
    void copy_started(uintptr_t target, size_t, const void* pc) override {
        note_copy(EventKind::copy_started, target, pc);
    }
    void copy_finished(uintptr_t target, size_t) override { note_copy(EventKind::copy_arrived, target, nullptr); }
    void arrive(check::Wait kind, unsigned mask, unsigned source, Site site) override;
    void warp_stalled(unsigned warp, unsigned paused) override;
    void lane_ended(unsigned lane) override;
    void block_ended() override;

private:
    void append(unsigned lane, EventPlace place, uintptr_t operand) {
        LaneLog& log = log_.lane(lane % lanes_of_warp);
        if (log.is_full()) wait_for_room(log);
        log.append(place, operand);
    }
    void wait_for_room(const LaneLog& log);
    void append_access(const Access& access);
    void append_rare(const Access& access);
    void append_range(const Access& access, EventKind kind, uintptr_t operand);
    void note_copy(EventKind kind, uintptr_t target, const void* pc);

    void step(EventPlace place, uint32_t lanes, const uintptr_t* operands) override;
    void count_global(PlaceTally& tally, uint32_t lanes, const uintptr_t* addresses);
    void count_constants(PlaceTally& tally, uint32_t lanes, const uintptr_t* addresses);
    void count_shared(PlaceTally& tally, uint32_t lanes, const uintptr_t* addresses);
    void count_local(PlaceTally& tally, uint32_t lanes, const uintptr_t* operands);
    void count_operations(PlaceTally& tally, uint32_t lanes, const uintptr_t* addresses, uintptr_t origin);

    BlockCheck& check_;
    bool is_on_ = false;
    std::unique_ptr<BlockCosts> costs_;  // null unless times are predicted
    bool is_costed_ = false;             // the block is in the sample
    unsigned polls_ = 0;                 // of the block
    WarpLog& log_;                       // of the thread that runs the block
    Reconvergence reconvergence_;
    std::vector<BranchTracker> branches_;  // of each warp
    unsigned draining_warp_ = 0;
    bool is_constant(uintptr_t address) const;

    std::vector<std::vector<AddressRange>> local_arrays_;  // of each lane, those in scope
    std::vector<AddressRange> constants_;                  // the __constant__ variables, during the block's launch
    PlaceTable* table_ = nullptr;                          // of the block's launch
    uint64_t launch_serial_ = 0;
};

inline void BlockCounters::access(const Access& access) {
    if (access.space == Space::local || !is_on_) return;
    if (access.texture != Texture::none || access.space == Space::other) return append_rare(access);
    append_access(access);
}

inline void BlockCounters::append_access(const Access& access) {
    const unsigned operation = access.is_atomic ? 2 : access.is_write;
    const unsigned first =
        static_cast<unsigned>(access.space == Space::shared ? EventKind::shared_load : EventKind::global_load);
    const auto kind = static_cast<EventKind>(first + operation);
    const bool is_word = access.bytes <= 16 && (access.bytes & (access.bytes - 1)) == 0;
    if (__builtin_expect(!is_word, 0)) return append_range(access, kind, access.address);
    EventPlace place(kind, access.bytes, access.pc);
    if (access.kind == check::AtomicKind::floating_update) place = place.of_floating();
    append(access.lane, place, access.address);
}

inline void BlockCounters::block_entered(const void* pc) {
    if (!is_on_) return;
    append(check_.running_lane(), EventPlace(EventKind::block_entered, 0, pc), 0);
}

}  // namespace simt::check
