#pragma once
// Which block comes last: in a launch whose blocks leave partial results, it finishes the work.
#include <cuda_runtime.h>

namespace BACKEND {

/// By all threads of a block, once: whether it is the last of `blocks` to come. The last one then sees what all blocks
/// have left in global memory: what thread 0 wrote before, and what others wrote before a __syncthreads() that they and
/// thread 0 have passed. Tickets: 0 before the first block comes, and again after the last.
__device__ inline bool is_last_block(unsigned* tickets, unsigned blocks) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        __threadfence();  // the block's results are visible to every block before the ticket is drawn
        is_last = atomicInc(tickets, blocks - 1) == blocks - 1;  // the last ticket wraps the count to 0
        __threadfence();                                         // and other blocks' results are not read before it is
    }
    __syncthreads();  // all threads learn whether theirs is the last block
    return is_last;
}

}  // namespace BACKEND
