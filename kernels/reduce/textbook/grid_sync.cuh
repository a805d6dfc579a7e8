// SPDX-License-Identifier: MIT
#pragma once
// A reduction in one launch without atomics: this_grid().sync() lets all blocks wait for each other.
//   reduce_grid_sync   each block leaves a partial; behind the grid's barrier the first block reduces the partials
// Plain CUDA has no barrier between the blocks of a launch: they run in any order, and a block that waited for one that
// had not begun would keep it from beginning. This one needs a cooperative launch, which refuses a grid that the device
// cannot hold at once. Elsewhere the barrier is the end of the launch, and the partials take another one.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// values[0] becomes the sum of the block's values. Block size a power of two.
template <typename T>
__device__ void add_in_tree(T* values) {
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();  // the upper half was written by other threads
        if (threadIdx.x < stride) values[threadIdx.x] += values[threadIdx.x + stride];
    }
}

/// Any n and any grid that the device holds at once; block size a power of two; one T of dynamic shared memory per
/// thread. partials: one for each block. With one block of one thread it is the sequential program. n, block and grid
/// fix the order, so the result is the same bits every time.
template <typename T>
__global__ void reduce_grid_sync(const T* input, size_t n, T* partials, T* result) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* values = reinterpret_cast<T*>(shared_bytes);
    const unsigned t = threadIdx.x;

    const size_t stride = size_t(gridDim.x) * blockDim.x;
    T sum = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + t; i < n; i += stride) sum += input[i];
    values[t] = sum;
    add_in_tree(values);
    if (t == 0) partials[blockIdx.x] = values[0];

    cooperative_groups::this_grid().sync();  // every block has left its partial
    if (blockIdx.x > 0) return;
    sum = 0;
    for (unsigned block = t; block < gridDim.x; block += blockDim.x) sum += partials[block];
    values[t] = sum;
    add_in_tree(values);
    if (t == 0) *result = values[0];
}

}  // namespace BACKEND
