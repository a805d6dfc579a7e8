#include "common/simt/check/race/block.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/simt/check/core/block_check_inline.hpp"
#include "common/simt/check/race/lane_operations.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {

RaceCheck::RaceCheck(BlockCheck& check)
    : check_(check),
      shared_(check.shared_window().begin, check.shared_window().bytes, 1),
      memory_(race_memory()),
      published_(order_.published()) {}

void RaceCheck::begin_block() {
    launch_ = check_.launch().races;
    order_.begin_block(launch_, check_.block_index(), check_.lane_count());
    published_.begin_block(check_.lane_count(), known_at_start(launch_->order()));
    reporter_.begin_block(launch_, check_.launch().kernel);
    named_.assign(check_.lane_count(), ~0u);
    polled_ = 0;
    flags_.clear();
    has_deferred_ = false;
    has_foreign_ = launch_->has_foreign_ranges();
}

std::shared_ptr<const LogRanges> RaceCheck::publish_to_operation(unsigned lane) {
    settle();
    return published_.publish_to_operation(lane);
}

// ---- any access

void RaceCheck::check(const Access& access, AccessKind kind) {
    ShadowMap* const words = words_of(access.space, access.address);
    if (!words) return;
    const Uninterrupted section;
    has_foreign_ = launch_->has_foreign_ranges();
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
        const unsigned skipped = word < access.address ? static_cast<unsigned>(access.address - word) : 0;
        const unsigned beyond = word + 4 > end ? static_cast<unsigned>(word + 4 - end) : 0;
        check_word(*words, word, (15u << skipped & 15u) & 15u >> beyond, current);
    }
    if (kind == AccessKind::volatile_access) synchronize_by_volatile(access);
}

void RaceCheck::check_word(ShadowMap& words, uintptr_t address, unsigned bytes, CheckedAccess& current) {
    ShadowCell& cell = *words.word(address);
    current.record = current.record.with_bytes(bytes);
    current.word = address;
    const ShadowRecord store = ShadowRecord::load(cell.store), use = ShadowRecord::load(cell.use);
    ShadowCell* byte_cells = nullptr;
    if (store.has(ShadowRecord::split) && (store.owner() == order_.clocks().owner() || !current.is_shared)) {
        byte_cells = bytes_of(words).bytes_of_word(address);
    } else {
        const auto would_be_lost = [&](const ShadowRecord& record) {
            return record.bytes() != bytes && !order_.is_obsolete(record, current.is_shared) &&
                   !record.same_but_bytes(current.record);
        };
        if (would_be_lost(store) || would_be_lost(use)) byte_cells = split(words, address, cell);
    }
    if (!byte_cells) {
        // A lane that accesses the bytes of a word one by one ends up having accessed the word.
        if (store.same_but_bytes(current.record)) current.record = current.record.with_bytes(bytes | store.bytes());
        if (use.same_but_bytes(current.record)) current.record = current.record.with_bytes(bytes | use.bytes());
        check_cell(cell, current);
        return;
    }
    for (unsigned byte = 0; byte < 4; ++byte) {
        if (!(bytes >> byte & 1)) continue;
        current.record = current.record.with_bytes(1u << byte);
        check_cell(byte_cells[byte], current);
    }
    if (bytes == 15 && current.is_write && !is_atomic(current.kind)) {
        ShadowRecord::store(cell.use, ShadowRecord());
        ShadowRecord::store(cell.store, current.record.with_bytes(15));
    }
}

ShadowCell* RaceCheck::split(ShadowMap& words, uintptr_t address, ShadowCell& cell) {
    ShadowCell* const cells = bytes_of(words).bytes_of_word(address);
    for (unsigned byte = 0; byte < 4; ++byte) {
        const auto part = [byte](const ShadowRecord& whole) {
            const ShadowRecord record = ShadowRecord::load(whole);
            return record.bytes() >> byte & 1 ? record.with_bytes(1u << byte) : ShadowRecord();
        };
        ShadowRecord::store(cells[byte].use, part(cell.use));
        ShadowRecord::store(cells[byte].store, part(cell.store));
    }
    ShadowRecord::store(cell.use, ShadowRecord());
    ShadowRecord::store(cell.store,
                        ShadowRecord(order_.clocks().owner(), 0, 0, 0, 0, 0, AccessKind::plain, ShadowRecord::split));
    return cells;
}

ShadowMap& RaceCheck::bytes_of(const ShadowMap& words) {
    if (&words == &memory_.device) return memory_.device_bytes();
    if (&words == &memory_.variables) return memory_.variable_bytes();
    const AddressRange window = check_.shared_window();
    if (!shared_bytes_.contains(window.begin)) shared_bytes_ = ShadowMap(window.begin, window.bytes, 4);
    return shared_bytes_;
}

void RaceCheck::check_cell(ShadowCell& cell, const CheckedAccess& current) {
    const ShadowRecord store = ShadowRecord::load(cell.store), use = ShadowRecord::load(cell.use);
    const bool copy_is_pending = store.has(ShadowRecord::pending) && store.owner() == order_.clocks().owner();
    const Verdict with_store = copy_is_pending ? Verdict::race : clash_with_store(store, current);
    if (copy_is_pending || (with_store != Verdict::fine && !order_.is_ordered(store, current))) {
        report_race(store, true, current, with_store);
    }
    const Verdict with_use = clash_with_use(use, current);
    if (with_use != Verdict::fine && !order_.is_ordered(use, current)) report_race(use, false, current, with_use);
    if (current.is_write && !is_atomic(current.kind)) {
        ShadowRecord::store(cell.store, current.record);
        ShadowRecord::store(cell.use, ShadowRecord());
    } else {
        ShadowRecord::store(cell.use, merged(use, current));
    }
}

// A volatile access orders nothing; but that is how flags are written.
RaceCheck::Verdict RaceCheck::clash_with_store(const ShadowRecord& earlier, const CheckedAccess& current) {
    if (earlier.empty() || !(earlier.bytes() & current.record.bytes())) return Verdict::fine;
    if (earlier.kind() == AccessKind::plain || current.kind == AccessKind::plain) return Verdict::race;
    return Verdict::race_unless_flag;
}

RaceCheck::Verdict RaceCheck::clash_with_use(const ShadowRecord& earlier, const CheckedAccess& current) {
    if (earlier.empty() || !(earlier.bytes() & current.record.bytes())) return Verdict::fine;
    const bool only_stores = current.is_write && !is_atomic(current.kind);
    switch (earlier.kind()) {
        case AccessKind::plain: return current.is_write ? Verdict::race : Verdict::fine;
        case AccessKind::volatile_access:
            if (!only_stores) return Verdict::fine;
            return current.kind == AccessKind::plain ? Verdict::race : Verdict::race_unless_flag;
        case AccessKind::atomic:
        case AccessKind::block_atomic:
            if (current.kind == AccessKind::plain) return Verdict::race;
            if (current.is_too_narrow_for(earlier)) return Verdict::race;
            return only_stores ? Verdict::race_unless_flag : Verdict::fine;
    }
    return Verdict::fine;
}

// The word's record of uses after this one. If both cannot be kept, plain reads matter most, since they conflict with
// every store. Dates are rounded down, which can hide a race but never invents one.
ShadowRecord RaceCheck::merged(const ShadowRecord& earlier, const CheckedAccess& current) const {
    const ShadowRecord& mine = current.record;
    if (earlier.empty() || order_.is_obsolete(earlier, current.is_shared)) return mine;
    const bool mine_matters = is_atomic(current.kind) || current.kind == AccessKind::plain;
    const bool earlier_matters = is_atomic(earlier.kind()) || earlier.kind() == AccessKind::plain;
    if (earlier_matters && !mine_matters) return earlier;
    if (earlier.owner() != order_.clocks().owner()) {
        const bool same_launch = order_.is_of_this_launch(earlier.owner());
        if (!same_launch || earlier.kind() != current.kind || order_.is_ordered(earlier, current)) return mine;
        return mine.with(ShadowRecord::several_blocks);
    }
    const uint64_t blocks = earlier.flags() & ShadowRecord::several_blocks;
    if (earlier.clock() < order_.clocks().block_base() || earlier.kind() != current.kind) return mine.with(blocks);
    const unsigned own_warp = current.lane / 32;
    if (earlier.has(ShadowRecord::several_warps)) return earlier.with_lanes(earlier.lanes() | 1u << own_warp);
    if (earlier.warp() != own_warp) {
        if (order_.is_ordered(earlier, current)) return mine.with(blocks);
        return mine.with(blocks | ShadowRecord::several_warps).with_lanes(1u << own_warp | 1u << earlier.warp());
    }
    if (earlier.lanes() != mine.lanes() && earlier.clock() != mine.clock() && order_.is_ordered(earlier, current)) {
        return mine.with(blocks);
    }
    if (earlier.lanes() == mine.lanes()) return mine.with(blocks);
    return mine.with(blocks)
        .with_lanes(earlier.lanes() | mine.lanes())
        .with_clock(std::min(earlier.clock(), mine.clock()));
}

void RaceCheck::report_race(const ShadowRecord& earlier, bool earlier_is_store, const CheckedAccess& current,
                            Verdict verdict) {
    PossibleFlag unless_flag;
    if (verdict == Verdict::race_unless_flag) {
        // The first of the bytes that both touch.
        const auto skipped = static_cast<unsigned>(std::countr_zero(earlier.bytes() & current.record.bytes()));
        unless_flag = flag_at(current.word + skipped, current.is_shared);
    }
    reporter_.report_race(earlier, earlier_is_store, current, unless_flag);
    if (reporter_.has_doubts()) has_deferred_ = true;
}

// The lane has reached its next event, so its pending read or store has happened.
void RaceCheck::settle_deferred() {
    const Uninterrupted section;
    has_deferred_ = false;
    if (const uintptr_t polled = std::exchange(polled_, 0)) {
        published_.learn_of_volatile(polled, polled_space_, polling_lane_);
    }
    reporter_.settle_doubts();
}

void RaceCheck::block_ended() {
    settle();
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
    for (uintptr_t word = target & ~uintptr_t{3}; word < target + bytes; word += 4) {
        ShadowCell& cell = *words->word(word);
        const ShadowRecord store = ShadowRecord::load(cell.store);
        if (!store.has(ShadowRecord::split)) ShadowRecord::store(cell.store, store.with(ShadowRecord::pending));
    }
}

void RaceCheck::copy_finished(uintptr_t target, size_t bytes) {
    ShadowMap* const words = words_of(check_.space_of(target), target);
    if (!words || check_.space_of(target) == Space::local) return;
    const uint32_t clock = order_.clocks().clock(check_.running_lane());
    for (uintptr_t word = target & ~uintptr_t{3}; word < target + bytes; word += 4) {
        ShadowCell& cell = *words->word(word);
        const ShadowRecord store = ShadowRecord::load(cell.store);
        if (!store.has(ShadowRecord::pending) || store.owner() != order_.clocks().owner()) continue;
        ShadowRecord::store(cell.store, store.without(ShadowRecord::pending).with_clock(clock));
    }
}

}  // namespace simt::check
