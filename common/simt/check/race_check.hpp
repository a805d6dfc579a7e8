// racecheck of one block: are two accesses to the same bytes, one of them a write, ordered?
#pragma once

#include "common/simt/check/block_watch.hpp"

namespace simt::checking {

class RaceCheck {
public:
    explicit RaceCheck(BlockWatch& watch) : watch_(watch) {}

    void begin_block() {}
    void access(const Access&) {}
    void arrive(watching::Wait, unsigned, unsigned, Site) {}
    void fence(watching::Reach) {}
    void begin_atomic(const Access&) {}
    void end_atomic(uintptr_t) {}
    void publish(uintptr_t) {}
    void learn(uintptr_t) {}
    void meeting_completed(unsigned, unsigned) {}
    void block_barrier_completed() {}
    void grid_barrier_completed() {}
    void lane_ended(unsigned) {}
    void block_ended() {}

private:
    [[maybe_unused]] BlockWatch& watch_;
};

}  // namespace simt::checking
