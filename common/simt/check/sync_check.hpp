// synccheck of one block: does every lane come to the barriers, votes and shuffles that name it?
#pragma once

#include "common/simt/check/block_watch.hpp"

namespace simt::checking {

class SyncCheck {
public:
    explicit SyncCheck(BlockWatch& watch) : watch_(watch) {}

    void begin_block() {}
    void block_entered(const void*) {}
    void arrive(watching::Wait, unsigned, unsigned, Site) {}
    void meeting_completed(unsigned, unsigned) {}
    void block_barrier_completed() {}
    void lane_ended(unsigned) {}
    void deadlocked() {}
    void block_ended() {}

private:
    [[maybe_unused]] BlockWatch& watch_;
};

}  // namespace simt::checking
