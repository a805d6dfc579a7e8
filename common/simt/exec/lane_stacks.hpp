// SPDX-License-Identifier: MIT
// The stacks of the lanes of one block.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

// One stack per lane, next to each other. Memory is committed page by page as the lanes use it. The lowest page of each
// stack is a guard page: a lane that recurses too deeply faults there instead of overwriting its neighbor. If the
// system does not allow that many guards, the page is accessible but unused, and overflowed() tells whether a lane has
// touched it.
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

    // Whether a lane without a guard has used more than its stack since the last clear().
    bool overflowed() const;
    // Empties the stacks. No lane may be running on them.
    void clear();

    // The address just above the stack of a lane, aligned to 64 bytes. Stacks grow downwards from here.
    char* top(unsigned lane) const;

private:
    char* guard(unsigned lane) const { return memory_ + lane * bytes_per_lane; }

    char* memory_ = nullptr;
    unsigned lanes_;
    unsigned guarded_ = 0;  // the lanes below this have a guard
    unsigned counted_ = 0;  // guards that count against the system's limit
};

}  // namespace simt
