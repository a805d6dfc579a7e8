// SPDX-License-Identifier: MIT
// Where the lanes of a warp diverge: which basic block each lane went to after one that they executed together.
#pragma once

#include <cstdint>

#include "common/simt/check/counters/places.hpp"

namespace simt::check {

class BranchTracker {
public:
    void begin_block() { *this = {}; }
    // These lanes have entered the basic block of this tally together.
    void entered(PlaceTally& block, uint32_t lanes);
    // These lanes have left the kernel.
    void left(uint32_t lanes);

private:
    // One execution of a basic block by a group of lanes, until all of them have gone on.
    struct Execution {
        PlaceTally* block;
        uint32_t staying;   // lanes that have not gone on yet
        uint32_t departed;  // groups that have
    };

    void depart(uint32_t lanes, uintptr_t next);

    Execution executions_[lanes_of_warp];
    uint8_t execution_of_[lanes_of_warp];
    uint32_t used_ = 0;     // executions
    uint32_t started_ = 0;  // lanes that are in one
};

}  // namespace simt::check
