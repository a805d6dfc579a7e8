// SPDX-License-Identifier: MIT
// Turns the contents of a shadow record into the text of a report.
#pragma once

#include <cstdint>

#include "common/simt/check/race/history.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/race/shadow.hpp"
#include "common/simt/exec/executable.hpp"

namespace simt::check {

/// A place is the code's distance from the beginning of the executable, or a number for code elsewhere: in a shared
/// library, or beyond this distance.
constexpr uint64_t places_in_executable = uint64_t{1} << (ShadowRecord::place_bits - 2);

uint64_t place_elsewhere(const void* pc);

// (Not executable() each time: this is called for each access.)
inline uintptr_t executable_begin() {
    static const uintptr_t begin = executable().all.begin;
    return begin;
}

inline uint64_t place_of(const void* pc) {
    const uintptr_t offset = reinterpret_cast<uintptr_t>(pc) - executable_begin();
    return offset < places_in_executable ? offset : place_elsewhere(pc);
}

const void* pc_of(uint64_t place);

Side side_of(const BlockNumbers& launch, const char* what, uint64_t place, uint32_t owner, const RecordedLane& lane);

}  // namespace simt::check
