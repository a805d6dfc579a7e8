// SPDX-License-Identifier: MIT
// Completes the meetings of a stalled warp's lanes at shuffles, votes and __syncwarp, and answers __activemask.
#pragma once

#include "common/simt/exec/observer.hpp"
#include "common/simt/include/simt/warp_state.hpp"

namespace simt {

// Releases the lanes of complete meetings and publishes their values; values of lanes that still wait are kept. Returns
// whether it released any. Reports to the observer, unless null, which lanes of warp `index` have met.
bool complete_meetings(Warp& warp, BlockObserver* observer, unsigned index);

// The active lanes are those at the same __activemask() when nothing else can run.
void answer_active_mask(Warp& warp);

}  // namespace simt
