// The stacks of the lanes of one block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

// One stack per lane, next to each other. Memory is committed page by page as the lanes use it. An inaccessible page
// lies below each stack, so that a lane that recurses too deeply faults instead of overwriting its neighbour.
class LaneStacks {
public:
    // Room for a lane's local variables and calls.
    static constexpr size_t bytes_per_lane = 256 << 10;

    explicit LaneStacks(unsigned lanes);
    ~LaneStacks();
    LaneStacks(const LaneStacks&) = delete;
    LaneStacks& operator=(const LaneStacks&) = delete;

    // False if the address space is exhausted; then there are no stacks.
    bool valid() const { return memory_ != nullptr; }

    uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory_); }
    size_t bytes() const { return lanes_ * bytes_per_lane; }
    bool contains(uintptr_t address) const {
        return address - reinterpret_cast<uintptr_t>(memory_) < lanes_ * bytes_per_lane;
    }

    // The address just above the stack of a lane, aligned to 64 bytes. Stacks grow downwards from here.
    char* top(unsigned lane) const;

private:
    char* memory_ = nullptr;
    unsigned lanes_;
};

}  // namespace simt
