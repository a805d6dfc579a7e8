// SPDX-License-Identifier: MIT
// The stacks of the lanes of one block, and contexts that have not run on them yet, for the switch in
// include/simt/warp_state.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simt/include/simt/warp_state.hpp"

namespace simt {

/// One stack per lane, next to each other. Memory is committed page by page as the lanes use it. The lowest page of
/// each stack is a guard page: a lane that recurses too deeply faults there instead of overwriting its neighbor. If the
/// system does not allow that many guards, the page is accessible but unused, and overflowed() tells whether a lane has
/// touched it.
class LaneStacks {
public:
    /// Room for a lane's local variables and calls.
    static constexpr size_t bytes_per_lane = 256 << 10;

    explicit LaneStacks(unsigned lanes);
    ~LaneStacks();
    LaneStacks(const LaneStacks&) = delete;
    LaneStacks& operator=(const LaneStacks&) = delete;

    /// False if the address space is exhausted; then there are no stacks.
    bool valid() const { return memory_ != nullptr; }

    uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory_); }
    size_t bytes() const { return lanes_ * bytes_per_lane; }
    bool contains(uintptr_t address) const {
        return address - reinterpret_cast<uintptr_t>(memory_) < lanes_ * bytes_per_lane;
    }

    /// Whether a lane without a guard has used more than its stack since the last clear().
    bool overflowed() const;
    /// Empties the stacks. No lane may be running on them.
    void clear();

    /// The address just above the stack of a lane, aligned to 64 bytes. Stacks grow downwards from here.
    char* top(unsigned lane) const;

private:
    char* guard(unsigned lane) const { return memory_ + lane * bytes_per_lane; }

    char* memory_ = nullptr;
    unsigned lanes_;
    unsigned guarded_ = 0;  // the lanes below this have a guard
    unsigned counted_ = 0;  // guards that count against the system's limit
};

// ---- contexts that have not run yet

#ifdef SIMT_BOOST_CONTEXT

/// Gives the context the stack that ends at `stack_top`, a multiple of 64.
inline void set_stack(Context& context, char* stack_top) { context.stack_top = stack_top; }

/// Makes the next switch to the context call entry(&context) on its stack. The entry must not return.
void prepare_context(Context& context, void (*entry)(Context* self));

#else

inline void set_stack(Context& context, char* stack_top) {
#ifdef __x86_64__
    // As after a call: the stack pointer is 8 bytes off its 16-byte alignment, and the return address is null, where
    // debuggers stop.
    context.stack_top = stack_top - sizeof(void*);
    *reinterpret_cast<void**>(context.stack_top) = nullptr;
#else
    context.stack_top = stack_top;
#endif
}

inline void prepare_context(Context& context, void (*entry)(Context* self)) {
    context.stack_pointer = context.stack_top;
    context.frame_pointer = nullptr;
    context.resume_address = reinterpret_cast<void*>(entry);
}

#endif

#ifndef __SANITIZE_ADDRESS__
inline void announce_arrival(void*) {}
inline void forget_frames(const void*, size_t) {}
#else
/// None of the variables on these stacks are left: the lanes were abandoned, or the memory is reused.
void forget_frames(const void* stacks, size_t bytes);
#endif

// For functions that start on a lane's stack and never return: the sanitizers would wait for them to return. (To
// ThreadSanitizer, a worker and all its lanes are one thread.)
#define SIMT_ENDS_ELSEWHERE __attribute__((no_sanitize("address", "thread")))

}  // namespace simt
