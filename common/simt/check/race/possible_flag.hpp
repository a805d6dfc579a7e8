// A variable that may be a flag. Only the end of a launch knows: see RaceCheck::note_flag.
#pragma once

#include <compare>
#include <cstdint>

namespace simt::check {

// Shared memory has the same addresses in every block, which are numbered from 1 here.
struct PossibleFlag {
    uintptr_t address = 0;  // 0: none
    uint64_t block = 0;
    auto operator<=>(const PossibleFlag& other) const = default;
};

}  // namespace simt::check
