// SPDX-License-Identifier: MIT
// A variable that may be a flag. This is known only at the end of a launch: see RaceCheck::note_flag.
#pragma once

#include <compare>
#include <cstdint>

namespace simt::check {

// Shared memory has the same addresses in every block, so its variables also have a block, numbered from 1; else 0.
struct PossibleFlag {
    uintptr_t address = 0;  // 0: none
    uint64_t block = 0;
    auto operator<=>(const PossibleFlag& other) const = default;
};

}  // namespace simt::check
