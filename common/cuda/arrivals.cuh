// SPDX-License-Identifier: MIT
// How blocks of a launch tell one another through counters in global memory: the last to arrive finishes the work, and
// others wait.
#pragma once

#include <cuda_runtime.h>

namespace BACKEND {

/// Whether this block is the last of `blocks` to arrive; all its threads call this once. The last block then sees what
/// all blocks left in global memory: what thread 0 wrote before the call, and what others wrote before a
/// __syncthreads() that they and thread 0 have passed. *tickets is 0 before the first block arrives and after the last.
__device__ inline bool is_last_block(unsigned* tickets, unsigned blocks) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        __threadfence();  // the block's results are visible to every block before the ticket is drawn
        is_last = atomicInc(tickets, blocks - 1) == blocks - 1;  // the last ticket wraps the count to 0
        __threadfence();                                         // and other blocks' results are read only after that
    }
    __syncthreads();  // all threads learn whether theirs is the last block
    return is_last;
}

/// A counter's value. What the calling thread reads afterwards includes what others wrote before they added to the
/// counter. (A thread that calls this for a whole block needs a barrier after it.)
__device__ inline unsigned load_acquire(const unsigned* counter) {
#if defined(__SIMCC__)
    __nanosleep(0);  // lets others run: a thread that polls in a loop would keep its turn
    return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
#else
    unsigned value = 0;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
    return value;
#endif
}

/// Adds to a counter. Whoever loads the new value reads what this thread wrote before. (A thread that calls this for a
/// whole block needs a barrier before it.)
__device__ inline void add_release(unsigned* counter, unsigned value) {
#if defined(__SIMCC__)
    __atomic_fetch_add(counter, value, __ATOMIC_RELEASE);
#else
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
#endif
}

}  // namespace BACKEND
