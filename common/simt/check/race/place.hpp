// SPDX-License-Identifier: MIT
// Turns the contents of a shadow record into the text of a report.
#pragma once

#include <cstdint>

#include "common/simt/check/race/history.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/race/shadow.hpp"

// The start of the executable, set by the linker: the places in shadow records are offsets from it.
extern "C" const char __executable_start;

namespace simt::check {

// 0: a place outside the executable, or too far into it.
inline uint64_t place_of(const void* pc) {
    const auto offset = static_cast<uintptr_t>(static_cast<const char*>(pc) - &__executable_start);
    return Histories::is_history(offset) || offset >> ShadowRecord::place_bits ? 0 : offset;
}

inline const void* pc_of(uint64_t place) { return place ? &__executable_start + place : nullptr; }

// One side of a race: what a lane of the block with this number did, and where.
Side side_of(const BlockNumbers& launch, const char* what, uint64_t place, uint32_t owner, const RecordedLane& lane);

}  // namespace simt::check
