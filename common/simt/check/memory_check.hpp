// memcheck and initcheck of one block: is the memory there, is it aligned, has it been written?
#pragma once

#include "common/simt/check/block_watch.hpp"

namespace simt::checking {

class MemoryCheck {
public:
    explicit MemoryCheck(BlockWatch& watch) : watch_(watch) {}

    void begin_block() {}
    // May take the lane out of the launch.
    void access(const Access&) {}
    void block_ended() {}

private:
    [[maybe_unused]] BlockWatch& watch_;
};

}  // namespace simt::checking
