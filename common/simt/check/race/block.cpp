// SPDX-License-Identifier: MIT
#include "common/simt/check/race/block.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <thread>
#include <utility>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/race/filter.hpp"
#include "common/simt/check/race/knowledge.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/run.hpp"
#include "common/simt/exec/running_launch.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {

RaceCheck::RaceCheck(BlockCheck& check)
    : check_(check),
      shared_(check.shared_window().begin, check.shared_window().bytes, 1),
      memory_(race_memory()),
      published_(order_.published()) {
    is_alone_ = worker_count() == 1;
}

void RaceCheck::begin_block() {
    launch_ = check_.launch().races;
    order_.begin_block(launch_, check_.block_index(), check_.lane_count());
    published_.begin_block(check_.lane_count(), launch_->order(), launch_->known());
    reporter_.begin_block(launch_, check_.launch().kernel);
    named_.assign(check_.lane_count(), ~0u);
    polled_ = 0;
    flags_.clear();
    has_deferred_ = is_at_grid_barrier_ = false;
}

std::shared_ptr<const LogRanges> RaceCheck::publish_to_operation(unsigned lane) {
    settle();
    return published_.publish_to_operation(lane);
}

// ---- any access

void RaceCheck::access(const Access& access) {
    ShadowMap* const words = words_of(access.space, access.address);
    if (!words) return settle();
    const bool is_whole = !((access.address | access.bytes) & 3) && access.bytes <= 16 && !access.is_volatile;
    const bool is_shared = access.space == Space::shared;
    ShadowCell* const cells = words->word(access.address);
    if (is_whole && passes(cells, access.bytes / 4, access.lane, access.pc, is_shared, access.is_write)) return;
    unusual_access(access);
}

void RaceCheck::unusual_access(const Access& access) {
    settle();
    check_foreign(access);
    check(access, access.is_volatile ? AccessKind::volatile_access : AccessKind::plain);
}

// A thread that uses memory too early or too late is stopped, like one that memcheck catches: whether the memory is
// there at that moment is a matter of chance.
void RaceCheck::check_foreign(const Access& access) {
    if (!launch_->has_foreign_ranges() || access.space == Space::shared) return;
    bool is_invalid = false;
    {
        const Uninterrupted section;
        const auto range =
            launch_->foreign_range(access.address, access.bytes, access.is_write, [&](const OperationOrder& other) {
                PossibleFlag if_flag;
                return published_.is_known(access.lane, other, if_flag);
            });
        if (!range) return;
        reporter_.report_foreign(*range, access, order_.clocks().owner());
        is_invalid = range->tool == Tool::memcheck;
    }
    if (is_invalid && settings().memcheck) check_.drop_running_lane(error_launch_failure);
}

ShadowMap* RaceCheck::words_of(Space space, uintptr_t address) {
    if (space == Space::shared) return &shared_;
    if (space == Space::global) return &memory_.device;
    return memory_.variables_at(address);
}

void RaceCheck::check(const Access& access, AccessKind kind) {
    ShadowMap* const words = words_of(access.space, access.address);
    if (!words) return;
    const Uninterrupted section;
    CheckedAccess current{record_of(access.lane, access.pc, kind),
                          access.lane,
                          access.is_write,
                          access.space == Space::shared,
                          kind,
                          access.address,
                          access.bytes};
    if (kind == AccessKind::volatile_access && check_.is_polling(access.lane)) note_flag(access);
    current.is_narrow_load = access.is_atomic && !access.is_write && access.reach == check::Reach::block;
    const uintptr_t end = access.address + access.bytes;
    for (uintptr_t word = access.address & ~uintptr_t{3}; word < end; word += 4) {
        check_word(*words, word, bytes_in_word(word, access.address, end), current);
    }
    if (kind == AccessKind::volatile_access) synchronize_by_volatile(access);
}

void RaceCheck::check_word(ShadowMap& words, uintptr_t address, unsigned bytes, CheckedAccess& current) {
    ShadowCell& cell = *words.word(address);
    current.word = address;
    for (;;) {
        current.record = current.record.with_bytes(bytes);
        const ShadowCell seen{ShadowRecord::load(cell.store), ShadowRecord::load(cell.use)};
        const auto& [store, use] = seen;
        const auto would_be_lost = [&](const ShadowRecord& record) {
            return record.bytes() != bytes && !order_.is_obsolete(record, current.is_shared) &&
                   !record.same_but_bytes(current.record);
        };
        if (is_split(store, current.is_shared) || would_be_lost(store) || would_be_lost(use)) {
            ShadowCell* const byte_cells = bytes_of(words).bytes_of_word(address);
            split(cell, byte_cells, current.is_shared);
            return check_bytes(cell, byte_cells, bytes, current);
        }
        // A lane that accesses the bytes of a word one by one has accessed the word in the end.
        if (store.same_but_bytes(current.record)) current.record = current.record.with_bytes(bytes | store.bytes());
        if (use.same_but_bytes(current.record)) current.record = current.record.with_bytes(bytes | use.bytes());
        if (check_cell(cell, seen, current)) return;
    }
}

void RaceCheck::check_bytes(ShadowCell& word, ShadowCell* cells, unsigned bytes, CheckedAccess& current) {
    for (unsigned byte = 0; byte < 4; ++byte) {
        if (!(bytes >> byte & 1)) continue;
        current.record = current.record.with_bytes(1u << byte);
        ShadowCell& cell = cells[byte];
        while (!check_cell(cell, {ShadowRecord::load(cell.store), ShadowRecord::load(cell.use)}, current)) {}
    }
    if (bytes != 15 || !current.only_stores()) return;
    // The word is whole again if all records of its bytes are this block's.
    const uint32_t owner = order_.clocks().owner();
    const bool is_whole = std::all_of(cells, cells + 4, [&](const ShadowCell& cell) {
        const ShadowRecord use = ShadowRecord::load(cell.use);
        return ShadowRecord::load(cell.store).owner() == owner && (use.empty() || use.owner() == owner);
    });
    if (!is_whole && !current.is_shared) return;
    ShadowRecord::store(word.use, ShadowRecord());
    ShadowRecord::store(word.store, current.record.with_bytes(15));
}

bool RaceCheck::is_split(const ShadowRecord& store, bool is_shared) const {
    return store.has(ShadowRecord::split) && (!is_shared || store.owner() == order_.clocks().owner());
}

// Gives the bytes of a word cells of their own unless they have them. One of several workers does so; the others wait
// for it.
void RaceCheck::split(ShadowCell& word, ShadowCell* cells, bool is_shared) {
    const ShadowRecord mark(order_.clocks().owner(), 0, 0, 0, 0, 0, AccessKind::plain, ShadowRecord::split);
    ShadowRecord store = ShadowRecord::load(word.store), use;
    while (is_split(store, is_shared) || !replace(word.store, store, mark.with(ShadowRecord::pending), is_shared)) {
        if (is_split(store, is_shared) && !store.has(ShadowRecord::pending)) return;
        std::this_thread::yield();
        store = ShadowRecord::load(word.store);
    }
    do use = ShadowRecord::load(word.use);
    while (!replace(word.use, use, ShadowRecord(), is_shared));
    for (unsigned byte = 0; byte < 4; ++byte) {
        const auto part = [byte](const ShadowRecord& whole) {
            return whole.bytes() >> byte & 1 ? whole.with_bytes(1u << byte) : ShadowRecord();
        };
        ShadowRecord::store(cells[byte].use, part(use));
        ShadowRecord::store(cells[byte].store, part(store));
    }
    __atomic_thread_fence(__ATOMIC_RELEASE);
    ShadowRecord::store(word.store, mark);
}

ShadowMap& RaceCheck::bytes_of(const ShadowMap& words) {
    if (&words != &shared_) return memory_.bytes_of(words);
    const AddressRange window = check_.shared_window();
    if (!shared_bytes_.contains(window.begin)) shared_bytes_ = ShadowMap(window.begin, window.bytes, 4);
    return shared_bytes_;
}

// The lane has reached its next event, so its pending read or store has happened.
void RaceCheck::settle_deferred() {
    const Uninterrupted section;
    has_deferred_ = false;
    if (std::exchange(is_at_grid_barrier_, false)) published_.begin_anew(launch_->known());
    if (const uintptr_t polled = std::exchange(polled_, 0)) {
        published_.learn_of_volatile(polled, polled_space_, polling_lane_, polled_if_flag_);
    }
    reporter_.settle_doubts();
}

void RaceCheck::block_ended() {
    settle();
    launch_->add_learned(published_.learned());
    reporter_.block_ended();
}

void RaceCheck::leave() {
    published_.leave();
    atomic_ = {};
}

// ---- asynchronous copies

void RaceCheck::copy_started(uintptr_t target, size_t bytes, const void* pc) {
    settle();
    Access access{target, static_cast<uint32_t>(bytes), check_.running_lane(), check_.space_of(target), true};
    access.pc = pc;
    ShadowMap* const words = words_of(access.space, target);
    if (!words || access.space == Space::local) return;
    check(access, AccessKind::plain);
    const bool is_shared = access.space == Space::shared;
    for (uintptr_t word = target & ~uintptr_t{3}; word < target + bytes; word += 4) {
        ShadowCell& cell = *words->word(word);
        const ShadowRecord store = ShadowRecord::load(cell.store);
        // (If another worker's record has replaced it meanwhile, there has been a race.)
        if (!store.has(ShadowRecord::split)) replace(cell.store, store, store.with(ShadowRecord::pending), is_shared);
    }
}

void RaceCheck::copy_finished(uintptr_t target, size_t bytes) {
    ShadowMap* const words = words_of(check_.space_of(target), target);
    if (!words || check_.space_of(target) == Space::local) return;
    const uint32_t clock = order_.clocks().clock(check_.running_lane());
    for (uintptr_t word = target & ~uintptr_t{3}; word < target + bytes; word += 4) {
        ShadowCell& cell = *words->word(word);
        const ShadowRecord store = ShadowRecord::load(cell.store);
        const bool is_mine = store.owner() == order_.clocks().owner() && !store.has(ShadowRecord::split);
        if (!is_mine || !store.has(ShadowRecord::pending)) continue;
        replace(cell.store, store, store.without(ShadowRecord::pending).with_clock(clock), &*words == &shared_);
    }
}

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
// update is worthwhile.
void RaceCheck::note_trying_read(const Access& access, ShadowMap& words) {
    const bool compares = access.kind == check::AtomicKind::compare_and_swap;
    if (!compares && !updates(access.kind)) return;
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
                            kind == check::Wait::vote || kind == check::Wait::match || kind == check::Wait::matrix;
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
