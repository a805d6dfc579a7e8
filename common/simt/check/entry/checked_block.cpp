// SPDX-License-Identifier: MIT
#include "common/simt/check/entry/checked_block.hpp"

#include <memory>
#include <utility>

#include "common/simt/check/core/settings.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {

template <typename Kind>
Kind* CheckedBlock::added() {
    auto checker = std::make_unique<Kind>(*this);
    Kind* const place = checker.get();
    add(std::move(checker));
    return place;
}

CheckedBlock::CheckedBlock(ResidentBlock& block) : BlockCheck(block) {
    const Settings& wanted = settings();
    if (wanted.memcheck || wanted.initcheck) memory_ = added<MemoryCheck>();
    if (wanted.synccheck) synchronization_ = added<SyncCheck>();
    if (wanted.racecheck) races_ = added<RaceCheck>();
    if (wanted.counters || wanted.predict) counters_ = added<BlockCounters>();
    if (wanted.trace) trace_ = added<BlockTrace>();
}

void CheckedBlock::began(LaunchObserver& launch, uint64_t block_index, unsigned lanes) {
    BlockCheck::began(launch, block_index, lanes);
    follows_lanes_ = turns_.are_chosen() || trace_ || (counters_ && counters_->is_on());
}

// memcheck may drop the lane. Only a lane that goes on locks the location, until the operation ends.
void CheckedBlock::begin_atomic(const Access& access) {
    if (turns_.are_chosen()) end_turn(access);
    Uninterrupted::begin();
    check_room_on_stack(access.pc);
    if (memory_) memory_->access(access);
    if (counters_) counters_->access(access);
    if (trace_) trace_->access(access);
    if (races_) races_->begin_atomic(access);
}

void CheckedBlock::end_atomic(uintptr_t address, bool has_written) {
    if (races_) races_->end_atomic(address, has_written);
    Uninterrupted::end();
}

}  // namespace simt::check
