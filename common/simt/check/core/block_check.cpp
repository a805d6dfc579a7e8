// SPDX-License-Identifier: MIT
#include "common/simt/check/core/block_check.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "common/simt/check/core/block_check_inline.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/shared_window.hpp"
#include "common/simt/exec/uninterrupted.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {

BlockCheck::BlockCheck(ResidentBlock& block) : contexts_(block.contexts()), block_(block) {
    const AddressSpace& space = runtime().memory.address_space();
    global_ = {space.base(), space.bytes()};
    stacks_ = {block.stacks_begin(), block.stacks_bytes()};
    const SharedWindow window;  // of the calling thread, which will run the block
    shared_ = {reinterpret_cast<uintptr_t>(window.begin()), window.bytes()};
    const Settings& wanted = settings();
    if (wanted.memcheck || wanted.initcheck) memory_ = std::make_unique<MemoryCheck>(*this);
    if (wanted.racecheck) races_ = std::make_unique<RaceCheck>(*this);
    if (wanted.synccheck) synchronization_ = std::make_unique<SyncCheck>(*this);
    if (wanted.counters) counters_ = std::make_unique<BlockCounters>(*this);
}

BlockCheck::~BlockCheck() = default;

void BlockCheck::began(LaunchObserver& launch, uint64_t block_index, unsigned lanes) {
    launch_ = static_cast<LaunchCheck*>(&launch);
    block_index_ = block_index;
    lane_count_ = lanes;
    has_lost_lanes_ = false;
    std::fill(std::begin(polling_), std::end(polling_), 0);
    turns_.begin_block(launch_->serial, block_index, lanes);
    follows_lanes_ = turns_.are_chosen() || counters_;
    if (memory_) memory_->begin_block();
    if (races_) races_->begin_block();
    if (synchronization_) synchronization_->begin_block();
    if (counters_) counters_->begin_block();
}

void BlockCheck::resumed() { current_check = this; }

void BlockCheck::left() {
    if (races_) races_->leave();
    if (synchronization_) synchronization_->leave();
    current_check = nullptr;
}

void BlockCheck::meeting_completed(unsigned warp, unsigned lanes) {
    if (races_) races_->meeting_completed(warp, lanes);
    if (synchronization_) synchronization_->meeting_completed(warp, lanes);
}

void BlockCheck::warp_stalled(unsigned warp, unsigned paused) {
    if (counters_) counters_->warp_stalled(warp, paused);
}

void BlockCheck::block_barrier_completed() {
    if (races_) races_->block_barrier_completed();
    if (synchronization_) synchronization_->block_barrier_completed();
    if (counters_) counters_->block_barrier_completed();
}

void BlockCheck::grid_barrier_completed() {
    if (races_) races_->grid_barrier_completed();
    if (synchronization_) synchronization_->grid_barrier_completed();
}

void BlockCheck::lane_ended(unsigned lane) {
    if (races_) races_->lane_ended(lane);
    if (synchronization_) synchronization_->lane_ended(lane);
    if (!counters_) return;
    const Uninterrupted section;
    counters_->lane_ended(lane);
}

bool BlockCheck::deadlocked() {
    if (synchronization_) synchronization_->deadlocked(block_.describe_waiting());
    return synchronization_ != nullptr;
}

bool BlockCheck::timed_out() {
    if (synchronization_) synchronization_->timed_out(block_.describe_waiting(), block_.holds_back_lanes());
    return synchronization_ != nullptr;
}

bool BlockCheck::misused(const char* message, const void* pc) {
    return synchronization_ && synchronization_->misused(message, pc);
}

void BlockCheck::ended() {
    if (memory_) memory_->block_ended();
    if (races_) races_->block_ended();
    if (synchronization_) synchronization_->block_ended();
    if (counters_) counters_->block_ended();
}

// Not while a report is being written: that runs on the lane's stack.
void BlockCheck::invalid_free(const void* pointer, const void* pc) {
    if (current_check && memory_) memory_->invalid_free(pointer, pc);
}

bool BlockCheck::stack_overflowed(uintptr_t instruction, const uintptr_t* stack) {
    if (!current_check || !memory_) return false;
    memory_->stack_overflow(instruction, stack);
    return true;
}

void BlockCheck::passes(uintptr_t pointer, const void* pc) {
    const Space space = space_of(pointer);
    if (memory_ && (space == Space::shared || space == Space::local)) memory_->invalid_argument(pointer, space, pc);
}

bool BlockCheck::polls_again(unsigned lane) const { return synchronization_ && synchronization_->polls_again(lane); }

const char* BlockCheck::warp_function_of(unsigned lane) const {
    return synchronization_ ? synchronization_->function_of(lane) : nullptr;
}

SourceLine BlockCheck::place_of(unsigned lane) const {
    const void* const pc = turns_.are_in_step() ? turns_.place_of(lane)
                           : synchronization_   ? synchronization_->last_access(lane)
                                                : nullptr;
    if (!pc) return {};
    const std::vector<Frame> frames = device_frames(symbol_of(pc));
    return frames.empty() ? SourceLine{} : SourceLine{frames.front().file, frames.front().line};
}

// Synchronization is checked first, since faulty synchronization orders nothing.
void BlockCheck::arrive(check::Wait kind, unsigned mask, unsigned source, Site site) {
    if (synchronization_) synchronization_->arrive(kind, mask, source, site);
    if (races_) races_->arrive(kind, mask, source, site);
    if (!counters_) return;
    const Uninterrupted section;
    counters_->arrive(kind, mask, source, site);
}

void BlockCheck::set_polling(bool polls) {
    const unsigned lane = running_lane();
    const uint32_t bit = 1u << lane % 32;
    if (polls) {
        polling_[lane / 32] |= bit;
    } else {
        polling_[lane / 32] &= ~bit;
    }
}

void BlockCheck::fence(check::Reach reach) {
    if (races_) races_->fence(reach);
}

void BlockCheck::copy_started(uintptr_t target, size_t bytes, const void* pc) {
    if (races_) races_->copy_started(target, bytes, pc);
}

void BlockCheck::copy_finished(uintptr_t target, size_t bytes) {
    if (races_) races_->copy_finished(target, bytes);
}

// memcheck may drop the lane. Only a lane that goes on locks the location, until the operation ends.
void BlockCheck::begin_atomic(const Access& access) {
    if (turns_.are_chosen()) end_turn(access);
    Uninterrupted::begin();
    check_room_on_stack(access.pc);
    if (memory_) memory_->access(access);
    if (counters_) counters_->access(access);
    if (races_) races_->begin_atomic(access);
}

void BlockCheck::end_atomic(uintptr_t address, bool has_written) {
    if (races_) races_->end_atomic(address, has_written);
    Uninterrupted::end();
}

void BlockCheck::drop_running_lane(int error) {
    int none = 0;
    launch_->error.compare_exchange_strong(none, error);
    has_lost_lanes_ = true;
    if (synchronization_) synchronization_->lane_dropped(running_lane());
    if (races_) races_->leave();
    block_.drop_running_lane();
}

void BlockCheck::check_room_on_stack(const void* pc) {
    constexpr size_t needed = 16 << 10;
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if ((here - stacks_.begin) % LaneStacks::bytes_per_lane < needed && memory_) memory_->stack_overflow(pc);
}

void BlockCheck::end_turn(const Access& access) {
    if (access.space == Space::local) return;
    if (turns_.are_in_step()) turns_.comes_to(access.lane, access.pc);
    if (turns_.ends_at_access()) pause_running_lane();
}

void BlockCheck::pause_running_lane() { block_.pause_running_lane(); }

}  // namespace simt::check
