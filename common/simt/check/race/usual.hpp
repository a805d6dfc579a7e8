// The fast path of racecheck: plain accesses to whole words that a few date comparisons show to be ordered, by
// barriers, by the end of earlier operations or because one lane makes them.
#pragma once

#include "common/simt/check/race/block.hpp"

namespace simt::check {

template <Space space>
[[gnu::always_inline]] inline bool RaceCheck::read_is_usual(ShadowCell& cell, const ShadowRecord& stamp,
                                                            const void* pc) {
    if (!order_.is_store_ordered<space>(cell.store, stamp)) return false;
    const ShadowRecord use = ShadowRecord::load_own(cell.use);
    const uint64_t date = use.date() & ~ShadowRecord::several_blocks;
    uint32_t reader;
    if (date == stamp.date()) {
        reader = stamp.lanes();
    } else if (order_.clocks().is_since_barrier(date ^ ShadowRecord::several_warps)) {
        reader = 1u << stamp.warp();
    } else {
        const bool is_earlier = order_.clocks().is_before_barrier(use.date() & ~ShadowRecord::several_warps) ||
                                order_.is_of_earlier_block<space>(date);
        if (!is_earlier) return false;
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
    if (!order_.is_store_ordered<space>(cell.store, stamp)) return false;
    if (ShadowRecord::load_date(cell.use) != 0) {
        if (!order_.is_use_ordered<space>(cell.use, stamp)) return false;
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
    const ShadowRecord& stamp = order_.clocks().stamp(lane);
    ShadowCell* const cells = words.aligned_word(address);
    for (unsigned word = 0; word < bytes / 4; ++word) {
        const bool is_usual =
            is_write ? write_is_usual<space>(cells[word], stamp, pc) : read_is_usual<space>(cells[word], stamp, pc);
        if (!is_usual) return unusual_word_access<space, bytes, is_write>(address, lane, pc);
    }
}

}  // namespace simt::check
