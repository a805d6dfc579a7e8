// The fast path of racecheck: plain accesses to whole words that are ordered by barriers, by the end of earlier
// operations or because one lane makes them, as far as a few comparisons of dates show.
#pragma once

#include "common/simt/check/race/block.hpp"

namespace simt::checking {

// Of a block of an earlier operation. What other blocks did in shared memory has nothing to do with this one.
template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::is_of_earlier_block(uint64_t date) const {
    const uint64_t owner = date & ShadowRecord::owner_mask;
    return space == Space::shared ? owner != clocks_.first_date() : owner < ordered_dates_below_;
}

// A store that is ordered before any access of the lane, and of which nothing else has to be known.
template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::store_is_usual(const ShadowRecord& store,
                                                             const ShadowRecord& stamp) const {
    const uint64_t date = ShadowRecord::load_date(store);
    if (clocks_.is_before_barrier(date)) return true;
    if (space == Space::shared ? is_of_earlier_block<space>(date) : date < ordered_dates_below_) return true;
    return date == stamp.date() && ShadowRecord::load_own(store).lanes() == stamp.lanes();
}

template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::use_is_usual(const ShadowRecord& use, const ShadowRecord& stamp) const {
    const uint64_t date = ShadowRecord::load_date(use);
    if (clocks_.is_before_barrier(date & ~ShadowRecord::several_warps) || is_of_earlier_block<space>(date)) return true;
    return date == stamp.date() && ShadowRecord::load_own(use).lanes() == stamp.lanes();
}

template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::read_is_usual(ShadowCell& cell, const ShadowRecord& stamp,
                                                            const void* pc) {
    if (!store_is_usual<space>(cell.store, stamp)) return false;
    const ShadowRecord use = ShadowRecord::load_own(cell.use);
    const uint64_t date = use.date() & ~ShadowRecord::several_blocks;
    uint32_t reader;
    if (date == stamp.date()) {
        reader = stamp.lanes();
    } else if (clocks_.is_since_barrier(date ^ ShadowRecord::several_warps)) {
        reader = 1u << stamp.warp();
    } else {
        if (!clocks_.is_before_barrier(use.date() & ~ShadowRecord::several_warps) && !is_of_earlier_block<space>(date)) {
            return false;
        }
        ShadowRecord::store(cell.use, stamp.at(place_of(pc)));
        return true;
    }
    if (!use.is_plain_word()) return false;
    if (!(use.lanes() & reader)) ShadowRecord::store(cell.use, use.with_lanes(use.lanes() | reader));
    return true;
}

template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::write_is_usual(ShadowCell& cell, const ShadowRecord& stamp,
                                                             const void* pc) {
    if (!store_is_usual<space>(cell.store, stamp)) return false;
    if (ShadowRecord::load_date(cell.use) != 0) {
        if (!use_is_usual<space>(cell.use, stamp)) return false;
        ShadowRecord::store(cell.use, ShadowRecord());
    }
    ShadowRecord::store(cell.store, stamp.at(place_of(pc)));
    return true;
}

template <Space space, unsigned bytes, bool is_write>
[[gnu::noinline]] void RaceCheck::unusual_word_access(uintptr_t address, unsigned lane, const void* pc) {
    Access event{address, bytes, lane, space, is_write};
    event.pc = pc;
    access(event);
}

template <Space space, unsigned bytes, bool is_write>
[[gnu::always_inline]] inline void RaceCheck::word_access(uintptr_t address, unsigned lane, const void* pc) {
    if (has_deferred_ || has_foreign_) return unusual_word_access<space, bytes, is_write>(address, lane, pc);
    const ShadowMap& words = space == Space::shared ? shared_ : memory_.device;
    const ShadowRecord& stamp = clocks_.stamp(lane);
    ShadowCell* const cells = words.aligned_word(address);
    for (unsigned word = 0; word < bytes / 4; ++word) {
        const bool is_usual = is_write ? write_is_usual<space>(cells[word], stamp, pc)
                                       : read_is_usual<space>(cells[word], stamp, pc);
        if (!is_usual) return unusual_word_access<space, bytes, is_write>(address, lane, pc);
    }
}

}  // namespace simt::checking
