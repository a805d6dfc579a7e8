// SPDX-License-Identifier: MIT
// How many of the warps that a multiprocessor has room for are there over a launch, on average: its achieved occupancy.
//
// The blocks are played onto the multiprocessors in the order of the grid: each starts as soon as a place is free, but not
// before the one ahead of it has been started. So what the theoretical occupancy leaves out counts: places that wait for a
// block, the last blocks, and warps that end before their block does, whose places nobody gets.
#pragma once

#include <vector>

namespace simt::check {

/// A block: how long it would take by itself, and the part of that for which a warp of it is there, on average.
struct BlockStay {
    double ns = 0;
    double of_warps = 1;
};

/// A launch. Each number of blocks is a whole one.
struct Residency {
    double blocks = 0, warps_per_block = 0;
    double multiprocessors = 0, blocks_per_multiprocessor = 0, warps_per_multiprocessor = 0;  ///< at most
    double start_ns = 0;  ///< between the starts of two blocks
    /// Without barriers, the warps of a block end one by one as what limits them serves them: how long that takes for a
    /// block, which has its multiprocessor's share to itself meanwhile.
    double served_ns = 0;
    double whole_ns = 0;           ///< from the first start to the last end: stays are lengthened until it is that
    std::vector<BlockStay> stays;  ///< the blocks' in turn, again and again
};

/// From 0 to 1, over the time in which a multiprocessor has a warp, as hardware counters define it.
double achieved_occupancy(const Residency& residency);

}  // namespace simt::check
