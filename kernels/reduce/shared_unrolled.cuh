// SPDX-License-Identifier: MIT
#pragma once
// The second course's ladder, second half: the tree in shared memory without its overheads.
//   reduce_unrolled_warp       removes the last five block barriers and loop turns: one warp combines the last 64
//   reduce_unrolled_block      removes the loop: the block size is a template parameter, so every test is compiled away
//   reduce_multiple_elements   removes most blocks: a fixed grid strides over the input, and the tree, which is pure
//                              overhead, is paid for once per many elements
// The course's last warp ran without synchronization and relied on lanes in lockstep, which no GPU since Volta
// promises; here every step reads, waits, writes and waits (__syncwarp).
//
// All: any n, block size a power of two from 64, one T of dynamic shared memory per thread. Further launches of the
// same kernel reduce the partials. n, block size and grid fix the order: the same bits every time.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Combines values[0 .. 64) into values[0]. Called by the 32 lanes of the first warp after a __syncthreads().
/// All lanes work in all steps, as in the course; the upper lanes' results are never used.
template <typename T, typename Operator>
__device__ void combine_last_warp(T* values, Operator op) {
    const unsigned lane = threadIdx.x;
    T value = values[lane];
#pragma unroll
    for (unsigned stride = lanes_per_warp; stride > 0; stride /= 2) {
        value = op.combine(value, values[lane + stride]);
        __syncwarp();  // every lane has read its right operand before that operand's owner overwrites it
        values[lane] = value;
        __syncwarp();  // every lane has written its value before another lane reads it
    }
}

/// Two elements of the input, a block apart: see reduce_first_add.
template <typename T, typename Operator>
__device__ inline T combine_two_elements(const T* input, size_t n, size_t i, unsigned block_size, Operator op) {
    T value = i < n ? input[i] : op.identity();
    if (i + block_size < n) value = op.combine(value, input[i + block_size]);
    return value;
}

/// Grid ceil(n / (2 * block)): two elements per thread.
template <typename T, typename Operator>
__global__ void reduce_unrolled_warp(const T* input, size_t n, T* partials, Operator op) {
    T* values = dynamic_shared<T>();
    const unsigned thread = threadIdx.x;
    const size_t i = static_cast<size_t>(blockIdx.x) * (2 * blockDim.x) + thread;
    values[thread] = combine_two_elements(input, n, i, blockDim.x, op);
    __syncthreads();  // every value is in place

    for (unsigned stride = blockDim.x / 2; stride > lanes_per_warp; stride /= 2) {
        if (thread < stride) values[thread] = op.combine(values[thread], values[thread + stride]);
        __syncthreads();  // the next step reads what other warps wrote
    }
    if (thread < lanes_per_warp) combine_last_warp(values, op);
    if (thread == 0) partials[blockIdx.x] = values[0];
}

/// Combines values[0 .. block_size) into values[0] without a loop: one step, then the same for half the size.
/// The caller has passed a barrier, so every value is in place.
template <unsigned block_size, typename T, typename Operator>
__device__ void combine_unrolled(T* values, Operator op) {
    static_assert(block_size >= 64 && block_size <= 1024 && (block_size & (block_size - 1)) == 0);
    const unsigned thread = threadIdx.x;
    if constexpr (block_size > 64) {
        if (thread < block_size / 2) values[thread] = op.combine(values[thread], values[thread + block_size / 2]);
        __syncthreads();  // as in the loop: the next step reads what other warps wrote
        combine_unrolled<block_size / 2>(values, op);
    } else if (thread < lanes_per_warp) {
        combine_last_warp(values, op);
    }
}

/// Grid ceil(n / (2 * block)): two elements per thread.
template <unsigned block_size, typename T, typename Operator>
__global__ void __launch_bounds__(block_size)
    reduce_unrolled_block(const T* input, size_t n, T* partials, Operator op) {
    T* values = dynamic_shared<T>();
    const size_t i = static_cast<size_t>(blockIdx.x) * (2 * block_size) + threadIdx.x;
    values[threadIdx.x] = combine_two_elements(input, n, i, block_size, op);
    __syncthreads();  // every value is in place
    combine_unrolled<block_size>(values, op);
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Any grid: it strides over the input, two elements per thread at a time.
template <unsigned block_size, typename T, typename Operator>
__global__ void __launch_bounds__(block_size)
    reduce_multiple_elements(const T* input, size_t n, T* partials, Operator op) {
    T* values = dynamic_shared<T>();
    const size_t first = static_cast<size_t>(blockIdx.x) * (2 * block_size) + threadIdx.x;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * (2 * block_size);
    T value = op.identity();
    for (size_t i = first; i < n; i += grid_stride) {
        value = op.combine(value, combine_two_elements(input, n, i, block_size, op));
    }
    values[threadIdx.x] = value;
    __syncthreads();  // every value is in place
    combine_unrolled<block_size>(values, op);
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Block size rounded down to a power of two from 64.
template <typename T>
LaunchShape launch_reduce_unrolled_warp(const ReduceArguments<T>& arguments) {
    const unsigned block = power_of_two_block(arguments.block_size, smallest_unrolled_block);
    return launch_passes<T>(ReduceKernel<T>{reduce_unrolled_warp, reduce_unrolled_warp}, {block, 2, block * sizeof(T)},
                            arguments);
}

/// Block size rounded down to a power of two from 64.
template <typename T>
LaunchShape launch_reduce_unrolled_block(const ReduceArguments<T>& arguments) {
    static constexpr ReduceKernel<T> kernels[] = {
        {reduce_unrolled_block<64>, reduce_unrolled_block<64>},
        {reduce_unrolled_block<128>, reduce_unrolled_block<128>},
        {reduce_unrolled_block<256>, reduce_unrolled_block<256>},
        {reduce_unrolled_block<512>, reduce_unrolled_block<512>},
        {reduce_unrolled_block<1024>, reduce_unrolled_block<1024>},
    };
    const unsigned block = power_of_two_block(arguments.block_size, smallest_unrolled_block);
    return launch_passes<T>(kernel_of_block_size(kernels, block), {block, 2, block * sizeof(T)}, arguments);
}

/// Block size rounded down to a power of two from 64; at most as many blocks as the device holds at once.
template <typename T>
LaunchShape launch_reduce_multiple_elements(const ReduceArguments<T>& arguments) {
    static constexpr ReduceKernel<T> kernels[] = {
        {reduce_multiple_elements<64>, reduce_multiple_elements<64>},
        {reduce_multiple_elements<128>, reduce_multiple_elements<128>},
        {reduce_multiple_elements<256>, reduce_multiple_elements<256>},
        {reduce_multiple_elements<512>, reduce_multiple_elements<512>},
        {reduce_multiple_elements<1024>, reduce_multiple_elements<1024>},
    };
    const unsigned block = power_of_two_block(arguments.block_size, smallest_unrolled_block);
    const PassPlan plan{block, 2, block * sizeof(T), resident_blocks(block, arguments.multiprocessors)};
    return launch_passes<T>(kernel_of_block_size(kernels, block), plan, arguments);
}

}  // namespace BACKEND
