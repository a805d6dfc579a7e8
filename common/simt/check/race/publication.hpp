// SPDX-License-Identifier: MIT
// What the lanes of a block know, through synchronization variables, of each other's accesses and those of other blocks
// (Knowledge). With an atomic operation or a volatile store, a lane publishes what it knew at its last fence, or what
// it knows now if the operation releases. A lane that reads the variable learns that.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/race/knowledge.hpp"
#include "common/simt/check/race/lane_clocks.hpp"
#include "common/simt/check/race/memory.hpp"

namespace simt::check {

class Publication {
public:
    explicit Publication(LaneClocks& clocks) : clocks_(clocks), memory_(race_memory()) {}

    /// `known`: what all lanes know when they begin; may be null.
    void begin_block(unsigned lanes, const OrderPointer& launch, const std::shared_ptr<const LogRanges>& known);
    /// The whole launch so far comes before the block's next accesses, so nothing else needs to be known.
    void begin_anew(const std::shared_ptr<const LogRanges>& known);
    /// The worker leaves the block, perhaps for good and in the middle of an atomic operation.
    void leave() { unlock(); }

    // ---- what is known
    bool has_learned() const { return has_learned_; }  // some lane knows more than what barriers order
    bool has_learned(unsigned lane) const { return learned_[lane] != nullptr; }
    template <typename Wanted>  // a DatedAccess, or an operation by its OperationOrder
    bool is_known(unsigned lane, const Wanted& wanted, PossibleFlag& if_flag) const {
        return learned_[lane] && is_known_through(*learned_[lane], wanted, if_flag);
    }
    /// Everything that a lane knows, or all lanes together, if nothing follows in this launch; may be null.
    std::shared_ptr<const LogRanges> learned(unsigned lane) const { return joined(learned_[lane], unfenced_[lane]); }
    std::shared_ptr<const LogRanges> learned() const;
    bool has_fenced(unsigned lane) const {
        return !fenced_.empty() && !(fenced_[lane].device.empty() && fenced_[lane].block.empty());
    }

    // ---- fences, and barriers, after which all lanes know what each of them knew and has fenced
    void fence(unsigned lane, check::Reach reach);
    /// These lanes have met. `live`: the lanes of the warp that are still in the kernel.
    void meeting_completed(unsigned warp, uint32_t lanes, uint32_t live);
    void block_barrier_completed();

    // ---- synchronization variables
    /// Keeps other threads' atomic operations out until unlock; variables in shared memory need no lock.
    void lock(uintptr_t address, Space space);
    void unlock();
    void learn_of_atomic(const Access& access);
    void publish_by_atomic(const Access& access);
    /// `if_flag`: the lane does not wait, so this counts only if the variable is a flag.
    void learn_of_volatile(uintptr_t address, Space space, unsigned lane, const PossibleFlag& if_flag);
    void publish_by_volatile(const Access& access);
    /// What the lane knows now, and has learned, for an operation that it starts.
    std::shared_ptr<const LogRanges> publish_to_operation(unsigned lane);

private:
    using RangesByLane = std::vector<std::shared_ptr<const LogRanges>>;

    // What a lane's last fences cover: for all threads, and for those of the block.
    struct Fenced {
        Knowledge device, block;
    };

    Knowledge knowledge_of(unsigned lane) const;
    void publish_fenced(SyncLog& log, unsigned lane, check::Reach reach, bool replaces);
    void learn_from(const std::shared_ptr<SyncLog>& log, unsigned lane, check::Reach reach, RangesByLane& by_lane,
                    const PossibleFlag& if_flag = {});
    void learn_what_was_unfenced(unsigned first, uint32_t lanes);
    void learn_within_block(unsigned lane);
    void share_what_was_learned(unsigned first, uint32_t lanes);
    void share_fences(const std::vector<unsigned>& lanes);

    // Locks the stripe of a variable in global memory; others need no lock.
    std::unique_lock<SyncVariables::Stripe> locked(uintptr_t address, Space space);
    std::shared_ptr<SyncLog> log_of(uintptr_t address, Space space);
    std::shared_ptr<SyncLog> new_log_of(uintptr_t address, Space space);

    LaneClocks& clocks_;
    RaceMemory& memory_;
    bool has_learned_ = false;
    OrderPointer launch_;
    RangesByLane learned_;
    RangesByLane unfenced_;       // what its next fence lets a lane learn
    std::vector<Fenced> fenced_;  // by lane; empty before the first fence
    bool fenced_since_barrier_ = false;
    uint32_t fenced_warps_ = 0;  // warps with fences since their last meeting
    std::map<uintptr_t, std::shared_ptr<SyncLog>> shared_logs_;
    SyncVariables::Stripe* held_ = nullptr;  // during an atomic operation
};

}  // namespace simt::check
