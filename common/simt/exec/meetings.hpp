// What completes when a warp has stalled: meetings of its lanes at shuffles, votes and __syncwarp, and __activemask.
#pragma once

#include "common/simt/exec/observer.hpp"
#include "common/simt/include/simt/warp_state.hpp"

namespace simt {

// Releases the lanes of complete meetings and publishes their values. Those of the lanes that still wait are kept.
// Tells the observer, unless it is null, which lanes of its warp `index` have met.
bool complete_meetings(Warp& warp, BlockObserver* observer, unsigned index);

// The lanes that stand at the same __activemask() when nothing else can run are the active ones.
void answer_active_mask(Warp& warp);

}  // namespace simt
