// SPDX-License-Identifier: MIT
// The order in which the lanes of a warp, the warps of a block and the blocks of a grid take turns.
#pragma once

namespace simt {

enum class Schedule {
    independent,  ///< each lane runs until it has to wait, as Volta and its successors allow
    lockstep,     ///< the lanes of a warp advance together, one access each
    random,       ///< a different order of lanes, warps and blocks for every seed
};

}  // namespace simt
