// From what a shadow record holds to what a report says.
#pragma once

#include <cstdint>

#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/race/shadow.hpp"

// The beginning of the executable, by the linker: where the places of shadow records are counted from.
extern "C" const char __executable_start;

namespace simt::check {

// 0: a place outside of the executable, or too far into it.
inline uint64_t place_of(const void* pc) {
    const auto offset = static_cast<uintptr_t>(static_cast<const char*>(pc) - &__executable_start);
    return offset >> ShadowRecord::place_bits ? 0 : offset;
}

inline const void* pc_of(uint64_t place) { return place ? &__executable_start + place : nullptr; }

// Who did what where: a lane of a block, given by its number.
Side side_of(const BlockNumbers& launch, const char* what, uint64_t place, uint32_t owner, unsigned lane);

}  // namespace simt::check
