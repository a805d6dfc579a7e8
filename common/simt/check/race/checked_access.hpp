// SPDX-License-Identifier: MIT
// An access that is being compared with the records of the shadow memory.
#pragma once

#include <cstdint>

#include "common/simt/check/race/shadow.hpp"

namespace simt::check {

struct CheckedAccess {
    ShadowRecord record;  // as the shadow memory will hold it
    unsigned lane;
    bool is_write;
    bool is_shared;
    AccessKind kind;
    uintptr_t address;  // of the whole access
    uint32_t bytes;
    uintptr_t word = 0;           // the one that is being compared
    bool is_narrow_load = false;  // an atomic load, for the threads of the block only

    bool only_stores() const { return is_write && !is_atomic(kind); }
    // One of the two is atomic only within its block, and the other comes from another block.
    bool is_too_narrow_for(const ShadowRecord& earlier) const {
        const bool for_one_block =
            earlier.kind() == AccessKind::block_atomic || kind == AccessKind::block_atomic || is_narrow_load;
        return for_one_block && (earlier.owner() != record.owner() || earlier.has(ShadowRecord::several_blocks));
    }
};

// Two unordered accesses: the earlier one as the shadow memory holds it, and the current one.
struct Clash {
    ShadowRecord earlier;
    bool earlier_is_store;
    CheckedAccess current;
    RecordedLane earlier_lane;  // one of those that the record holds

    // The order of the sides of a race does not depend on which came first: stores, atomic operations, reads; within a
    // kind, by place.
    bool earlier_comes_second() const {
        const auto rank = [](bool is_store, AccessKind kind) { return is_atomic(kind) ? 1 : is_store ? 0 : 2; };
        const int of_earlier = rank(earlier_is_store, earlier.kind()), own = rank(current.is_write, current.kind);
        return of_earlier != own ? of_earlier > own : earlier.place() > current.record.place();
    }
};

}  // namespace simt::check
