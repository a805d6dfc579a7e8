// SPDX-License-Identifier: MIT
// Barriers for some of a block's threads: __syncthreads() is for all of them.
#pragma once

#include <cuda_runtime.h>

namespace BACKEND {

/// A named barrier for `threads` threads of the block. number: 1 to 15, since __syncthreads() uses 0. (The simulator's
/// blocks have one barrier: there, it must be for all threads.)
__device__ inline void barrier_among(unsigned number, unsigned threads) {
#if defined(__SIMCC__)
    if (threads != blockDim.x) __trap();
    static_cast<void>(number);
    __syncthreads();
#else
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
#endif
}

/// Arrives at a named barrier without waiting; the threads that wait call barrier_among(). Both count toward `threads`.
__device__ inline void barrier_arrive_among(unsigned number, unsigned threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

}  // namespace BACKEND
