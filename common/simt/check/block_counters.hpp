// The counters of one block: what its warps ask of memory, and where they diverge.
#pragma once

#include "common/simt/check/block_watch.hpp"

namespace simt::checking {

// The counters of a launch, by source place; filled by the blocks.
class LaunchCounters {};

class BlockCounters {
public:
    explicit BlockCounters(BlockWatch& watch) : watch_(watch) {}

    void begin_block() {}
    void access(const Access&) {}
    void block_entered(const void*) {}
    void arrive(watching::Wait, unsigned, unsigned, Site) {}
    void warp_stalled(unsigned, unsigned, bool) {}
    void block_barrier_completed() {}
    void lane_ended(unsigned) {}
    void block_ended() {}

private:
    [[maybe_unused]] BlockWatch& watch_;
};

}  // namespace simt::checking
