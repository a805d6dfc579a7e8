// SPDX-License-Identifier: MIT
// What the lanes of checked launches did with memory and with each other, for the host side of programs: plain numbers,
// no device language.
//
// The room records every load, store, atomic operation and shuffle, with the values that moved. Programs draw from this
// how a kernel works, so it is for small launches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt::check {

/// One load, store or atomic operation of a lane, or its part in a shuffle.
struct LaneAction {
    enum class Kind : uint8_t { load, store, atomic, shuffle };

    Kind kind;
    bool is_shared;   ///< in shared memory; otherwise in any other that is not the lane's own
    uint32_t lane;    ///< index in the block, x fastest
    uint32_t epoch;   ///< how many barriers, shuffles and votes the lane has passed
    uint32_t bytes;   ///< of the access
    uint32_t source;  ///< of a shuffle: the lane, in the block, whose value comes; the lane's own where it gets its own
    uint64_t address;  ///< of the access; in shared memory the offset
    uint64_t before;   ///< what was at the address, of up to 8 bytes
    uint64_t value;    ///< what is there now; of a shuffle: what the lane gives
};

/// A block, with the actions of its lanes in the order in which they ran.
struct TracedBlock {
    std::string kernel;   ///< as written at its launch
    uint64_t launch = 0;  ///< 1 for the first launch of the process
    uint64_t index = 0;   ///< in the grid
    uint32_t lanes = 0;
    std::vector<LaneAction> actions;
};

/// The blocks that have ended since the last call, by launch and index. The caller synchronizes with the device first.
/// Empty unless Settings::trace is set.
std::vector<TracedBlock> take_traces();

}  // namespace simt::check
