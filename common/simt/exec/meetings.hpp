// Completes, once a warp has stalled, the meetings of its lanes at shuffles, votes and __syncwarp, and __activemask.
#pragma once

#include "common/simt/exec/observer.hpp"
#include "common/simt/include/simt/warp_state.hpp"

namespace simt {

// Releases the lanes of complete meetings and publishes their values. Values of lanes that still wait are kept. Reports
// to the observer, unless null, which lanes of warp `index` have met.
bool complete_meetings(Warp& warp, BlockObserver* observer, unsigned index);

// The lanes that stand at the same __activemask() when nothing else can run are the active ones.
void answer_active_mask(Warp& warp);

}  // namespace simt
