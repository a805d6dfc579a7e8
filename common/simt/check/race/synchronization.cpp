// SPDX-License-Identifier: MIT
// The part of racecheck where lanes synchronize: atomic operations, volatile variables, fences, meetings and barriers.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/race/filter.hpp"
#include "common/simt/exec/resident_block.hpp"

namespace simt::check {

// ---- atomic operations

void RaceCheck::begin_atomic(const Access& access) {
    settle();
    ShadowMap* const words = words_of(access.space, access.address);
    if (!words) return;
    check_foreign(access);
    atomic_ = access;
    published_.lock(access.address, access.space);
    note_trying_read(access, *words);
    published_.learn_of_atomic(access);
    // A variable taken by compare-and-swap is a lock, which a volatile store may release.
    if (check_.is_polling(access.lane) || access.kind == check::AtomicKind::compare_and_swap) note_flag(access);
    check(access, access.kind == check::AtomicKind::load ? AccessKind::volatile_access
                  : access.reach == check::Reach::block  ? AccessKind::block_atomic
                                                         : AccessKind::atomic);
}

// The lane has read the value that it now updates, as at the start of a compare-and-swap loop or to see whether an
// update is worthwhile. In shared memory only compare-and-swap counts, since a barrier may be missing between the two.
void RaceCheck::note_trying_read(const Access& access, ShadowMap& words) {
    const bool compares = access.kind == check::AtomicKind::compare_and_swap;
    if (!compares && (access.space == Space::shared || access.kind != check::AtomicKind::update)) return;
    const ShadowCell& word = *words.word(access.address);
    const bool has_bytes = is_split(ShadowRecord::load(word.store), access.space == Space::shared);
    const uintptr_t aligned = access.address & ~uintptr_t{3};
    const ShadowCell& cell = has_bytes ? bytes_of(words).bytes_of_word(aligned)[access.address - aligned] : word;
    const ShadowRecord use = ShadowRecord::load(cell.use);
    if (use.empty() || use.kind() != AccessKind::plain) return;
    const bool by_this_lane = use.lanes() & use.bit_of(access.lane);
    const bool by_this_block =
        use.owner() == order_.clocks().owner() || (compares && use.has(ShadowRecord::several_blocks));
    if (by_this_lane && by_this_block) reporter_.note_trying_read(latest_place(use));
}

void RaceCheck::end_atomic(uintptr_t, bool has_written) {
    if (atomic_.bytes == 0) return;
    const Access access = std::exchange(atomic_, Access());
    if (has_written) published_.publish_by_atomic(access);
    published_.unlock();
    renew_numbers_if_exhausted();
}

void RaceCheck::use(uintptr_t object, const void* pc) {
    settle();
    constexpr uint32_t bytes = 8;
    Access access{object, bytes, check_.running_lane(), check_.space_of(object), false};
    access.is_atomic = true;
    access.pc = pc;
    check(access, AccessKind::atomic);
}

// ---- volatile variables

void RaceCheck::synchronize_by_volatile(const Access& access) {
    if (access.is_atomic) return;
    if (access.is_write) return published_.publish_by_volatile(access);
    // A lane that does not wait may read the variable too early: it is a flag only if others wait for it.
    polled_if_flag_ = {};
    if (!check_.is_polling(access.lane)) polled_if_flag_ = flag_at(access.address, access.space == Space::shared);
    published_.learn_of_volatile(access.address, access.space, access.lane, polled_if_flag_);
    // The value may be stored after this moment and before it is read: look again when the lane has read it.
    polled_ = access.address;
    polled_space_ = access.space;
    polling_lane_ = access.lane;
    has_deferred_ = true;
}

// A flag is a variable that a lane waits for in a loop or takes by compare-and-swap. Lanes write and read it without
// being ordered. Whether a variable is one does not depend on which lane comes first: a waiting lane looks at least
// once, so the launch knows all its flags at its end.
void RaceCheck::note_flag(const Access& access) {
    if (!flags_.insert(access.address).second) return;
    if (access.space != Space::shared) return memory_.polled_variables.insert(access.address, access.bytes);
    for (uint32_t i = 0; i < access.bytes; ++i) launch_->add_shared_flag(flag_at(access.address + i, true));
}

// ---- fences, meetings and barriers

void RaceCheck::arrive(check::Wait kind, unsigned mask, unsigned, Site) {
    settle();
    const bool is_in_warp = kind == check::Wait::warp_barrier || kind == check::Wait::shuffle ||
                            kind == check::Wait::vote || kind == check::Wait::match;
    if (is_in_warp) named_[check_.running_lane()] = mask;
    if (kind == check::Wait::grid_barrier) launch_->add_learned(published_.learned(check_.running_lane()));
}

void RaceCheck::fence(check::Reach reach) {
    settle();
    published_.fence(check_.running_lane(), reach);
    renew_numbers_if_exhausted();
}

void RaceCheck::meeting_completed(unsigned warp, unsigned lanes) {
    const uint32_t live = check_.block().warp(warp).live;
    const unsigned count = std::min(check_.lane_count() - warp * 32, 32u);
    const uint32_t every_lane = count == 32 ? ~0u : (1u << count) - 1;
    // Lanes that have left the kernel count as having met those that name them.
    uint32_t named = ~live & every_lane;
    for (uint32_t left = lanes; left; left &= left - 1) {
        named &= named_[warp * 32 + static_cast<unsigned>(std::countr_zero(left))];
    }
    order_.clocks().meeting(warp, lanes | named, every_lane);
    published_.meeting_completed(warp, lanes, live);
    renew_numbers_if_exhausted();
}

void RaceCheck::block_barrier_completed() {
    order_.clocks().block_barrier();
    published_.block_barrier_completed();
    renew_numbers_if_exhausted();
}

// The block's last lane has arrived. What other blocks learn until they arrive is added when the block goes on.
void RaceCheck::grid_barrier_completed() {
    order_.begin_numbering(check_.lane_count());
    published_.begin_anew(launch_->known());
    is_at_grid_barrier_ = has_deferred_ = true;
}

// After 16 million meetings and fences the block begins a new numbering, as after a grid barrier.
void RaceCheck::renew_numbers_if_exhausted() {
    if (order_.clocks().time() < ShadowRecord::largest_clock - 2048) return;
    launch_->add_learned(published_.learned());
    grid_barrier_completed();
}

}  // namespace simt::check
