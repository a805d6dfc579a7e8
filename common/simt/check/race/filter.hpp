// SPDX-License-Identifier: MIT
// The filter before the state machine of racecheck. It passes plain accesses to whole words that a few comparisons of
// dates show to be no race: ordered by barriers, meetings or the end of earlier operations, made by one lane, or reads
// beside reads. Their cells then hold what the state machine would leave there.
#pragma once

#include <cstdint>

#include "common/simt/check/race/block.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {

/// Only one worker uses the cells of its shared memory; if there is a single worker, that holds for all cells.
[[gnu::always_inline]] inline bool RaceCheck::replace(ShadowRecord& cell, const ShadowRecord& seen,
                                                      const ShadowRecord& record, bool is_shared) {
    if (!is_shared && !is_alone_) return ShadowRecord::replace(cell, seen, record);
    ShadowRecord::store(cell, record);
    return true;
}

/// Whether blocks of this launch have read the word, and no lane has learned anything.
inline bool RaceCheck::is_only_read(const ShadowRecord& use) const {
    return use.is_plain_word() && order_.is_of_this_launch(use.owner()) && !published_.has_learned();
}

/// Replaces the place of this access by the one that the record holds after it, if that is known.
[[gnu::always_inline]] inline bool RaceCheck::knows_place(const ShadowRecord& record, uint64_t& place,
                                                          Step step) const {
    if (record.place() == place) return true;
    place = histories_.known_after(record, place, step, order_.clocks().owner() - record.owner());
    return place != 0;
}

[[gnu::always_inline]] inline bool RaceCheck::read_passes(ShadowCell& cell, const ShadowRecord& stamp, const void* pc,
                                                          bool is_shared) {
    const LaneClocks& clocks = order_.clocks();
    const uint64_t store_date = ShadowRecord::load_date(cell.store);
    if (!order_.is_store_ordered(store_date, cell.store, stamp, is_shared)) return false;
    const ShadowRecord use = ShadowRecord::load_own(cell.use);
    const uint64_t date = use.date() & ~ShadowRecord::several_blocks;
    uint64_t place = place_of(pc);
    // If several blocks have read the word here, any later store to it races with one of them anyway.
    if (!is_shared && use.has(ShadowRecord::several_blocks) && place == use.place() && is_only_read(use)) return true;
    ShadowRecord next;
    if (date == stamp.date() || clocks.is_since_barrier(date ^ ShadowRecord::several_warps)) {
        const uint32_t reader = date == stamp.date() ? stamp.lanes() : 1u << stamp.warp();
        if (!use.is_plain_word() || use.clock() > stamp.clock()) return false;
        if (!is_shared && !knows_place(use, place, Step::joins)) return false;
        if ((use.lanes() & reader) && (is_shared || place == use.place())) return true;
        next = use.with_lanes(use.lanes() | reader);
        if (!is_shared) next = next.with_place(place);
    } else if (clocks.is_before_barrier(use.date() & ~ShadowRecord::several_warps)) {
        if (!is_shared && !knows_place(use, place, Step::follows)) return false;
        next = stamp.at(place);
    } else if (order_.is_of_earlier_block(date, is_shared)) {
        next = stamp.at(place);
    } else {
        next = after_others(use, stamp.at(place), is_shared);
        if (next.empty()) return false;
    }
    if (!replace(cell.use, use, next, is_shared)) return false;
    return is_shared || ShadowRecord::load_date(cell.store) == store_date;
}

[[gnu::always_inline]] inline bool RaceCheck::write_passes(ShadowCell& cell, const ShadowRecord& stamp, const void* pc,
                                                           bool is_shared) {
    const ShadowRecord store = ShadowRecord::load_own(cell.store);
    if (!order_.is_store_ordered(store.date(), store, stamp, is_shared)) return false;
    uint64_t place = place_of(pc);
    const bool has_history = !is_shared && !order_.is_of_earlier_block(store.date(), is_shared);
    if (has_history && !knows_place(store, place, Step::follows)) return false;
    uint64_t use_date = ShadowRecord::load_date(cell.use);
    if (use_date != 0) {
        const ShadowRecord use = ShadowRecord::load_own(cell.use);
        use_date = use.date();
        if (!order_.is_use_ordered(use, stamp, is_shared)) return false;
        // The block's own uses may yet race with other blocks.
        if (is_shared || order_.is_of_earlier_block(use_date, is_shared)) {
            if (!replace(cell.use, use, ShadowRecord(), is_shared)) return false;
            use_date = 0;
        }
    }
    if (!replace(cell.store, store, stamp.at(place), is_shared)) return false;
    return is_shared || ShadowRecord::load_date(cell.use) == use_date;
}

[[gnu::always_inline]] inline bool RaceCheck::passes(ShadowCell* cells, unsigned count, unsigned lane, const void* pc,
                                                     bool is_shared, bool is_write) {
    if (has_deferred_ || launch_->has_foreign_ranges()) return false;
    const ShadowRecord& stamp = order_.clocks().stamp(lane);
    for (ShadowCell* const end = cells + count; cells != end; ++cells) {
        const bool is_fine =
            is_write ? write_passes(*cells, stamp, pc, is_shared) : read_passes(*cells, stamp, pc, is_shared);
        if (!is_fine) return false;
    }
    return true;
}

template <Space space, unsigned bytes, bool is_write>
[[gnu::noinline]] void RaceCheck::unusual_word_access(uintptr_t address, unsigned lane, const void* pc) {
    const Uninterrupted section;  // it may take locks, and memory from the program's own operator new
    Access event{address, bytes, lane, space, is_write};
    event.pc = pc;
    unusual_access(event);
}

template <Space space, unsigned bytes, bool is_write>
[[gnu::always_inline]] inline void RaceCheck::word_access(uintptr_t address, unsigned lane, const void* pc) {
    constexpr bool is_shared = space == Space::shared;
    ShadowCell* const cells = (is_shared ? shared_ : memory_.device).aligned_word(address);
    if (!passes(cells, bytes / 4, lane, pc, is_shared, is_write))
        unusual_word_access<space, bytes, is_write>(address, lane, pc);
}

}  // namespace simt::check
