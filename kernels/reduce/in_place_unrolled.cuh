// SPDX-License-Identifier: MIT
#pragma once
// The third course's ladder, second half: interleaved pairs in place in global memory, unrolled step by step.
//   reduce_unroll2                   removes half the blocks: each first folds in a second block's data
//   reduce_unroll8                   removes most of the wait for memory: eight loads in flight per thread, not two
//   reduce_unroll8_warp              removes the last five block barriers and loop turns: one warp finishes alone
//   reduce_unroll8_complete          removes the loop, but tests blockDim at run time
//   reduce_unroll8_complete_static   removes those tests: the block size is a template parameter
// The course's last warp ran without synchronization; here a __syncwarp() separates the steps.
//
// THESE KERNELS DESTROY THEIR INPUT: restore it before every launch. Any n; block size a power of two, from 64 for
// the last three. Further launches of the same kernel reduce the partials in place until one value remains.
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Folds the block's `blocks` * blockDim.x elements onto its first blockDim.x. Points `mine` at the first of them and
/// returns how many of those exist. Each thread touches only elements it owns, so no barrier is needed yet.
template <unsigned blocks, typename T, typename Operator>
__device__ unsigned fold_blocks(T* values, size_t n, T*& mine, Operator op) {
    const unsigned thread = threadIdx.x;
    const size_t first = static_cast<size_t>(blockIdx.x) * (blocks * blockDim.x);
    mine = values + first;
    if (first + blocks * blockDim.x <= n) {
        T loaded[blocks];
#pragma unroll
        for (unsigned k = 0; k < blocks; ++k) loaded[k] = mine[thread + k * blockDim.x];  // all loads before any sum
        T value = loaded[0];
#pragma unroll
        for (unsigned k = 1; k < blocks; ++k) value = op.combine(value, loaded[k]);
        mine[thread] = value;
        return blockDim.x;
    }
    for (unsigned k = 1; k < blocks; ++k) {  // the last block: some of its elements may not exist
        if (first + thread + k * blockDim.x < n) {
            mine[thread] = op.combine(mine[thread], mine[thread + k * blockDim.x]);
        }
    }
    if (first >= n) return 0;
    return n - first < blockDim.x ? static_cast<unsigned>(n - first) : blockDim.x;
}

/// One step of the tree: the lower `stride` threads combine with the upper half, as far as it exists. A step reads
/// nothing that another thread writes in it, so one barrier between steps is enough.
template <typename T, typename Operator>
__device__ void combine_pair(T* mine, unsigned stride, unsigned count, Operator op) {
    const unsigned thread = threadIdx.x;
    if (thread < stride && thread + stride < count) {
        mine[thread] = op.combine(mine[thread], mine[thread + stride]);
    }
}

/// The tree as a loop, down to and including `last_stride`; another function may continue from there.
template <typename T, typename Operator>
__device__ inline void combine_pairs(T* mine, unsigned count, unsigned last_stride, Operator op) {
    for (unsigned stride = blockDim.x / 2; stride >= last_stride; stride /= 2) {
        __syncthreads();  // the upper half was written by other threads
        combine_pair(mine, stride, count, op);
    }
}

/// Combines the last 64 values. Only the first warp calls it, after a __syncthreads().
template <typename T, typename Operator>
__device__ void combine_last_warp_in_place(T* mine, unsigned count, Operator op) {
#pragma unroll
    for (unsigned stride = lanes_per_warp; stride > 0; stride /= 2) {
        combine_pair(mine, stride, count, op);
        __syncwarp();  // the next step reads what other lanes wrote
    }
}

template <typename T, typename Operator>
__device__ inline void store_partial(const T* mine, unsigned count, T* partials, Operator op) {
    if (threadIdx.x == 0) partials[blockIdx.x] = count > 0 ? mine[0] : op.identity();
}

/// Block size a power of two; grid ceil(n / (2 * block)).
template <typename T, typename Operator>
__global__ void reduce_unroll2(T* values, size_t n, T* partials, Operator op) {
    T* mine;
    const unsigned count = fold_blocks<2>(values, n, mine, op);
    combine_pairs(mine, count, 1, op);
    store_partial(mine, count, partials, op);
}

/// Block size a power of two; grid ceil(n / (8 * block)).
template <typename T, typename Operator>
__global__ void reduce_unroll8(T* values, size_t n, T* partials, Operator op) {
    T* mine;
    const unsigned count = fold_blocks<8>(values, n, mine, op);
    combine_pairs(mine, count, 1, op);
    store_partial(mine, count, partials, op);
}

/// Block size a power of two from 64; grid ceil(n / (8 * block)).
template <typename T, typename Operator>
__global__ void reduce_unroll8_warp(T* values, size_t n, T* partials, Operator op) {
    T* mine;
    const unsigned count = fold_blocks<8>(values, n, mine, op);
    combine_pairs(mine, count, 2 * lanes_per_warp, op);
    __syncthreads();  // the first warp reads what all threads wrote
    if (threadIdx.x < lanes_per_warp) combine_last_warp_in_place(mine, count, op);
    store_partial(mine, count, partials, op);
}

/// The whole tree for a block of `block_size` threads. If block_size is a constant, the compiler removes the tests.
template <typename T, typename Operator>
__device__ void combine_completely_unrolled(T* mine, unsigned count, unsigned block_size, Operator op) {
    __syncthreads();  // every thread has folded its elements
    if (block_size >= 1024) {
        combine_pair(mine, 512, count, op);
        __syncthreads();  // here and below: the next step reads what other threads wrote
    }
    if (block_size >= 512) {
        combine_pair(mine, 256, count, op);
        __syncthreads();
    }
    if (block_size >= 256) {
        combine_pair(mine, 128, count, op);
        __syncthreads();
    }
    if (block_size >= 128) {
        combine_pair(mine, 64, count, op);
        __syncthreads();
    }
    if (threadIdx.x < lanes_per_warp) combine_last_warp_in_place(mine, count, op);
}

/// Block size a power of two from 64; grid ceil(n / (8 * block)).
template <typename T, typename Operator>
__global__ void reduce_unroll8_complete(T* values, size_t n, T* partials, Operator op) {
    T* mine;
    const unsigned count = fold_blocks<8>(values, n, mine, op);
    combine_completely_unrolled(mine, count, blockDim.x, op);
    store_partial(mine, count, partials, op);
}

/// Block size block_size, a power of two from 64; grid ceil(n / (8 * block)).
template <unsigned block_size, typename T, typename Operator>
__global__ void __launch_bounds__(block_size)
    reduce_unroll8_complete_static(T* values, size_t n, T* partials, Operator op) {
    static_assert(block_size >= 64 && block_size <= 1024 && (block_size & (block_size - 1)) == 0);
    T* mine;
    const unsigned count = fold_blocks<8>(values, n, mine, op);
    combine_completely_unrolled(mine, count, block_size, op);
    store_partial(mine, count, partials, op);
}

/// Block size rounded down to a power of two from 32. Destroys its input.
template <typename T>
LaunchShape launch_reduce_unroll2(const ReduceArguments<T>& arguments) {
    return launch_passes<T>(InPlaceKernel<T>{reduce_unroll2, reduce_unroll2},
                            {power_of_two_block(arguments.block_size), 2}, arguments);
}

/// Block size rounded down to a power of two from 32. Destroys its input.
template <typename T>
LaunchShape launch_reduce_unroll8(const ReduceArguments<T>& arguments) {
    return launch_passes<T>(InPlaceKernel<T>{reduce_unroll8, reduce_unroll8},
                            {power_of_two_block(arguments.block_size), 8}, arguments);
}

/// Block size rounded down to a power of two from 64. Destroys its input.
template <typename T>
LaunchShape launch_reduce_unroll8_warp(const ReduceArguments<T>& arguments) {
    return launch_passes<T>(InPlaceKernel<T>{reduce_unroll8_warp, reduce_unroll8_warp},
                            {power_of_two_block(arguments.block_size, smallest_unrolled_block), 8}, arguments);
}

/// Block size rounded down to a power of two from 64. Destroys its input.
template <typename T>
LaunchShape launch_reduce_unroll8_complete(const ReduceArguments<T>& arguments) {
    return launch_passes<T>(InPlaceKernel<T>{reduce_unroll8_complete, reduce_unroll8_complete},
                            {power_of_two_block(arguments.block_size, smallest_unrolled_block), 8}, arguments);
}

/// Block size rounded down to a power of two from 64. Destroys its input.
template <typename T>
LaunchShape launch_reduce_unroll8_complete_static(const ReduceArguments<T>& arguments) {
    static constexpr InPlaceKernel<T> kernels[] = {
        {reduce_unroll8_complete_static<64>, reduce_unroll8_complete_static<64>},
        {reduce_unroll8_complete_static<128>, reduce_unroll8_complete_static<128>},
        {reduce_unroll8_complete_static<256>, reduce_unroll8_complete_static<256>},
        {reduce_unroll8_complete_static<512>, reduce_unroll8_complete_static<512>},
        {reduce_unroll8_complete_static<1024>, reduce_unroll8_complete_static<1024>},
    };
    const unsigned block = power_of_two_block(arguments.block_size, smallest_unrolled_block);
    return launch_passes<T>(kernel_of_block_size(kernels, block), {block, 8}, arguments);
}

}  // namespace BACKEND
