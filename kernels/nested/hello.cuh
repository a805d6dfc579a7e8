// SPDX-License-Identifier: MIT
#pragma once
// A book's first example of dynamic parallelism: every thread greets, and one thread of each block launches the next
// grid.
#include "kernels/nested/launches.cuh"

namespace BACKEND {

/// Any block size.
__global__ void hello(Greeting* greetings, unsigned* count, unsigned depth) {
    greetings[atomicAdd(count, 1U)] = {depth, blockIdx.x, threadIdx.x, blockDim.x};
    const unsigned threads = blockDim.x / 2;
    if (threadIdx.x == 0 && threads > 0) hello<<<1, threads>>>(greetings, count, depth + 1);
}

void launch_hello(Greeting* d_greetings, unsigned* d_count, unsigned threads) {
    constexpr unsigned blocks = 2;
    hello<<<blocks, threads>>>(d_greetings, d_count, 0);
}

}  // namespace BACKEND
