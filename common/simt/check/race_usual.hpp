// The fast path of racecheck: plain accesses to whole words that are ordered by barriers, by the end of earlier
// operations or because one lane makes them, as far as a few comparisons of dates show.
#pragma once

#include "common/simt/check/race_check.hpp"

namespace simt::checking {

// Of this block, and earlier than its last barrier; without any flag.
[[gnu::always_inline]] inline bool RaceCheck::is_before_barrier(uint64_t date) const {
    return date - first_date_ < uint64_t{clocks_.block_base()} << ShadowRecord::clock_shift;
}

// Of several warps of this block, and no earlier than its last barrier.
[[gnu::always_inline]] inline bool RaceCheck::is_of_several_warps_since_barrier(uint64_t date) const {
    const uint64_t barrier = uint64_t{clocks_.block_base()} << ShadowRecord::clock_shift;
    const uint64_t since_begin = (date ^ ShadowRecord::several_warps) - first_date_;
    return since_begin - barrier < ShadowRecord::first_date(1) - barrier;
}

// Of a block of an earlier operation. What other blocks did in shared memory has nothing to do with this one.
template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::is_of_earlier_block(uint64_t date) const {
    const uint64_t owner = date & ShadowRecord::owner_mask;
    return space == Space::shared ? owner != first_date_ : owner < ordered_dates_below_;
}

// A store that is ordered before any access of the lane, and of which nothing else has to be known.
template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::store_is_usual(const ShadowRecord& store,
                                                             const ShadowRecord& stamp) const {
    const uint64_t date = ShadowRecord::load_date(store);
    if (is_before_barrier(date)) return true;
    if (space == Space::shared ? is_of_earlier_block<space>(date) : date < ordered_dates_below_) return true;
    return date == stamp.date() && ShadowRecord::load_own(store).lanes() == stamp.lanes();
}

template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::use_is_usual(const ShadowRecord& use, const ShadowRecord& stamp) const {
    const uint64_t date = ShadowRecord::load_date(use);
    if (is_before_barrier(date & ~ShadowRecord::several_warps) || is_of_earlier_block<space>(date)) return true;
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
    } else if (is_of_several_warps_since_barrier(date)) {
        reader = 1u << stamp.warp();
    } else {
        if (!is_before_barrier(use.date() & ~ShadowRecord::several_warps) && !is_of_earlier_block<space>(date)) {
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
[[gnu::always_inline]] inline bool RaceCheck::is_usual(uintptr_t address, unsigned lane, const void* pc) {
    if (has_deferred_ || has_foreign_) return false;
    const ShadowMap& words = space == Space::shared ? shared_ : memory_.device;
    const ShadowRecord& stamp = clocks_.stamp(lane);
    ShadowCell* const cells = words.aligned_word(address);
    for (unsigned word = 0; word < bytes / 4; ++word) {
        const bool is_usual = is_write ? write_is_usual<space>(cells[word], stamp, pc)
                                       : read_is_usual<space>(cells[word], stamp, pc);
        if (!is_usual) return false;
    }
    return true;
}

}  // namespace simt::checking
