// SPDX-License-Identifier: MIT
// Contexts that have not run yet, for the switch in include/simt/context.hpp.
#pragma once

#include <cstddef>

#include "common/simt/include/simt/context.hpp"

namespace simt {

#ifdef SIMT_BOOST_CONTEXT

// Gives the context the stack that ends at `stack_top`, a multiple of 64.
inline void set_stack(Context& context, char* stack_top) { context.stack_top = stack_top; }

// Makes the next switch to the context call entry(&context) on its stack. The entry must not return.
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
// None of the variables on these stacks are left: the lanes were abandoned, or the memory is reused.
void forget_frames(const void* stacks, size_t bytes);
#endif

// For functions that start on a lane's stack and never return: the sanitizers would wait for them to return. (To
// ThreadSanitizer, a worker and all its lanes are one thread.)
#define SIMT_ENDS_ELSEWHERE __attribute__((no_sanitize("address", "thread")))

}  // namespace simt
