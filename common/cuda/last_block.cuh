// SPDX-License-Identifier: MIT
#pragma once
// Finds the last block of a launch to arrive: when the blocks leave partial results, it finishes the work.
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

}  // namespace BACKEND
