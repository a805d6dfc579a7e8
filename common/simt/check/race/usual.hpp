// SPDX-License-Identifier: MIT
// The fast path of racecheck: plain accesses to whole words that a few date comparisons show to be ordered, by
// barriers, by the end of earlier operations or because one lane makes them.
#pragma once

#include <cstdint>

#include "common/simt/check/race/block.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {

// Only one worker uses the cells of its shared memory; if there is a single worker, that holds for all cells.
template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::replace(ShadowRecord& cell, const ShadowRecord& seen,
                                                      const ShadowRecord& record) {
    if (space != Space::shared && !is_alone_) return ShadowRecord::replace(cell, seen, record);
    ShadowRecord::store(cell, record);
    return true;
}

// Several blocks have already read the word here: any later store to it races with one of them anyway.
[[gnu::always_inline]] inline bool RaceCheck::tells_all_of_read(const ShadowRecord& use, uint64_t place) const {
    return use.has(ShadowRecord::several_blocks) && use.place() == place && use.is_plain_word() &&
           order_.is_of_this_launch(use.owner()) && !published_.has_learned();
}

template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::read_is_usual(ShadowCell& cell, const ShadowRecord& stamp,
                                                            const void* pc) {
    const uint64_t store_date = ShadowRecord::load_date(cell.store);
    if (!order_.is_store_ordered<space>(store_date, cell.store, stamp)) return false;
    const ShadowRecord use = ShadowRecord::load_own(cell.use);
    const uint64_t date = use.date() & ~ShadowRecord::several_blocks;
    const uint64_t place = place_of(pc);
    if (space != Space::shared && tells_all_of_read(use, place)) return true;
    ShadowRecord next = stamp.at(place);
    if (date == stamp.date() || order_.clocks().is_since_barrier(date ^ ShadowRecord::several_warps)) {
        const uint32_t reader = date == stamp.date() ? stamp.lanes() : 1u << stamp.warp();
        if (!use.is_plain_word() || use.clock() > stamp.clock()) return false;
        if (space != Space::shared && use.place() != place && !histories_.has_joined(use, place)) return false;
        if (use.lanes() & reader) return true;
        next = use.with_lanes(use.lanes() | reader);
    } else if (order_.clocks().is_before_barrier(use.date() & ~ShadowRecord::several_warps)) {
        if (space != Space::shared && use.place() != place) return false;
    } else if (!order_.is_of_earlier_block<space>(date)) {
        return false;
    }
    if (!replace<space>(cell.use, use, next)) return false;
    return space == Space::shared || ShadowRecord::load_date(cell.store) == store_date;
}

template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::write_is_usual(ShadowCell& cell, const ShadowRecord& stamp,
                                                             const void* pc) {
    const ShadowRecord store = ShadowRecord::load_own(cell.store);
    if (!order_.is_store_ordered<space>(store.date(), store, stamp)) return false;
    const uint64_t place = place_of(pc);
    const bool is_own = !order_.is_of_earlier_block<space>(store.date());
    if (space != Space::shared && is_own && store.place() != place) return false;
    uint64_t use_date = ShadowRecord::load_date(cell.use);
    if (use_date != 0) {
        const ShadowRecord use = ShadowRecord::load_own(cell.use);
        use_date = use.date();
        if (!order_.is_use_ordered<space>(use, stamp)) return false;
        // The block's own uses may yet race with other blocks.
        if (space == Space::shared || order_.is_of_earlier_block<space>(use_date)) {
            if (!replace<space>(cell.use, use, ShadowRecord())) return false;
            use_date = 0;
        }
    }
    if (!replace<space>(cell.store, store, stamp.at(place))) return false;
    return space == Space::shared || ShadowRecord::load_date(cell.use) == use_date;
}

template <Space space, unsigned bytes, bool is_write>
[[gnu::noinline]] void RaceCheck::unusual_word_access(uintptr_t address, unsigned lane, const void* pc) {
    const Uninterrupted section;  // it may take locks, and memory from the program's own operator new
    Access event{address, bytes, lane, space, is_write};
    event.pc = pc;
    access(event);
}

template <Space space, unsigned bytes, bool is_write>
[[gnu::always_inline]] inline void RaceCheck::word_access(uintptr_t address, unsigned lane, const void* pc) {
    if (has_deferred_ || launch_->has_foreign_ranges())
        return unusual_word_access<space, bytes, is_write>(address, lane, pc);
    const ShadowMap& words = space == Space::shared ? shared_ : memory_.device;
    const ShadowRecord& stamp = order_.clocks().stamp(lane);
    ShadowCell* const cells = words.aligned_word(address);
    for (unsigned word = 0; word < bytes / 4; ++word) {
        const bool is_usual =
            is_write ? write_is_usual<space>(cells[word], stamp, pc) : read_is_usual<space>(cells[word], stamp, pc);
        if (!is_usual) return unusual_word_access<space, bytes, is_write>(address, lane, pc);
    }
}

}  // namespace simt::check
