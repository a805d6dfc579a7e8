// SPDX-License-Identifier: MIT
#include "common/simt/check/race/block.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/race/filter.hpp"
#include "common/simt/check/race/lane_operations.hpp"
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
    return memory_.variables.contains(address) ? &memory_.variables : nullptr;
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
    if (&words == &memory_.device) return memory_.device_bytes();
    if (&words == &memory_.variables) return memory_.variable_bytes();
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

}  // namespace simt::check
