#include "common/simt/exec/lane_stacks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "common/simt/exec/context.hpp"

namespace simt {

LaneStacks::LaneStacks(unsigned lanes) : lanes_(lanes) {
    void* memory = mmap(nullptr, lanes * bytes_per_lane, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = static_cast<char*>(memory);
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    for (unsigned lane = 0; lane < lanes; ++lane) {
        // Each guard page splits a mapping, and the system limits their number (65530 per process). Many resident
        // blocks can reach that limit; the remaining lanes then run without a guard rather than not at all.
        if (mprotect(memory_ + lane * bytes_per_lane, page, PROT_NONE) != 0) break;
    }
}

LaneStacks::~LaneStacks() {
    if (!memory_) return;
    forget_frames(memory_, lanes_ * bytes_per_lane);
    munmap(memory_, lanes_ * bytes_per_lane);
}

char* LaneStacks::top(unsigned lane) const {
    // Stacks lie a power of two apart: without an offset, the tops of all of them would compete for the same few sets
    // of the cache. 29 offsets of two cache lines spread them; 3 makes neighbours take distant offsets.
    const size_t offset = lane * 3 % 29 * 128;
    return memory_ + (lane + 1) * bytes_per_lane - offset;
}

}  // namespace simt
