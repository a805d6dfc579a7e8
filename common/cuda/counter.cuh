// SPDX-License-Identifier: MIT
#pragma once
// Counters in global memory, by which blocks of a grid wait for one another.
#include <cuda_runtime.h>

namespace BACKEND {

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
