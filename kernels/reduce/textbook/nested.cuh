// SPDX-License-Identifier: MIT
#pragma once
// The book's recursive reductions, in which kernels launch kernels:
//   reduce_nested (waits)   a block halves its values and launches a child for the rest: log2(block) launches a block,
//                           each followed by a second launch for the work that comes after the child
//   reduce_nested           removes those second launches: the last child stores the block's total
//   reduce_nested_together  removes most launches: one per level for all blocks, log2(block) in all
// In the book each block waits for its child (cudaDeviceSynchronize), which CUDA 12 removed from device code. Here the
// work after the wait is launched into the tail stream and starts once the grid and its children have ended.
// The book's second form also omits the barrier before the launch, but without it the child is guaranteed to see only
// the launching thread's own writes. Its third form launches the next level while other blocks may still be working on
// this one; only a tail launch starts after all of them.
//
// THESE KERNELS DESTROY THEIR INPUT, as those of in_place.cuh do. Any n > 0: each thread of the first level first adds
// up the elements that are a grid apart. n and the block size fix the order.
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Each thread adds to its value those a whole number of grids further on.
template <typename T>
__device__ void fold_grids(T* values, size_t n) {
    const size_t stride = size_t(gridDim.x) * blockDim.x, mine = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (mine + stride >= n) return;
    T sum = values[mine];
    for (size_t i = mine + stride; i < n; i += stride) sum += values[i];
    values[mine] = sum;
}

/// One thread. The work after the child: it copies the child's total to the block's partial.
template <typename T>
__global__ void reduce_nested_join(const T* values, T* partial) {
    *partial = values[0];
}

/// Any block size; any grid. Leaves a partial per block.
template <typename T>
__global__ void reduce_nested(T* input, size_t n, T* partials, bool waits) {
    const size_t first = size_t(blockIdx.x) * blockDim.x;
    const unsigned count = n - first < blockDim.x ? n - first : blockDim.x, half = (count + 1) / 2;
    T* values = input + first;
    fold_grids(input, n);
    __syncthreads();  // the upper half was folded by other threads
    if (threadIdx.x + half < count) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();  // thread 0 sees all threads' writes, and so does the child that it launches
    if (threadIdx.x > 0) return;
    if (half > 1) {
        reduce_nested<<<1, half>>>(values, half, partials + blockIdx.x, waits);
        if (waits) reduce_nested_join<<<1, 1, 0, cudaStreamTailLaunch>>>(values, partials + blockIdx.x);
    } else {
        partials[blockIdx.x] = values[0];
    }
}

/// Any grid. The first level has a power-of-two block of `width` threads, each further level half as many; a block's
/// values stay `width` elements from the next block's. Leaves a partial per block.
template <typename T>
__global__ void reduce_nested_together(T* input, size_t n, T* partials, unsigned width) {
    const size_t first = size_t(blockIdx.x) * width;
    const unsigned count = n - first < blockDim.x ? n - first : blockDim.x, half = blockDim.x / 2;
    T* values = input + first;
    if (blockDim.x == width) {
        fold_grids(input, n);
        __syncthreads();  // the upper half was folded by other threads
    }
    if (threadIdx.x < half && threadIdx.x + half < count) values[threadIdx.x] += values[threadIdx.x + half];
    if (threadIdx.x > 0) return;
    if (half == 1) {
        partials[blockIdx.x] = values[0];
    } else if (blockIdx.x == 0) {
        // No barrier: a tail launch starts when all blocks have ended.
        reduce_nested_together<<<gridDim.x, half, 0, cudaStreamTailLaunch>>>(input, n, partials, width);
    }
}

/// One block; block size a power of two. Reduces the partials in place.
template <typename T>
__global__ void reduce_nested_partials(T* partials, unsigned count, T* result) {
    const unsigned t = threadIdx.x;
    for (unsigned i = t + blockDim.x; i < count; i += blockDim.x) partials[t] += partials[i];
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();  // the upper half was written by other threads
        if (t < stride && t + stride < count) partials[t] += partials[t + stride];
    }
    if (t == 0) *result = partials[0];
}

}  // namespace BACKEND
