// SPDX-License-Identifier: MIT
#pragma once
// The third course's ladder, first half: a tree inside the input array itself, in global memory.
//   reduce_neighbored         t % (2 * stride): half of every warp's lanes are idle, then three quarters, ...
//   reduce_neighbored_dense   removes the divergence: consecutive threads take the pairs, so whole warps retire
//   reduce_interleaved_pairs  removes the strided accesses: the operands are half a block apart, so neighboring lanes
//                             touch neighboring words, and a warp's request needs the fewest sectors
// It continues in in_place_unrolled.cuh.
//
// THESE KERNELS DESTROY THEIR INPUT: restore it before every launch. Any n. Each block leaves one partial; further
// launches of the same kernel reduce the partials in place until one value remains. n and the block size fix the
// order, so the result is the same bits every time.
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// How many of the block's `capacity` elements, which start at `first`, lie within the n.
__device__ inline unsigned elements_in_block(size_t n, size_t first, unsigned capacity) {
    if (first >= n) return 0;
    return n - first < capacity ? static_cast<unsigned>(n - first) : capacity;
}

/// Any block size; grid ceil(n / block).
template <typename T, typename Operator>
__global__ void reduce_neighbored(T* values, size_t n, T* partials, Operator op) {
    const unsigned thread = threadIdx.x;
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x;
    const unsigned count = elements_in_block(n, first, blockDim.x);
    T* mine = values + first;

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (thread % (2 * stride) == 0 && thread + stride < count) {
            mine[thread] = op.combine(mine[thread], mine[thread + stride]);
        }
        __syncthreads();  // the next step reads what other threads of the block wrote to global memory
    }
    if (thread == 0) partials[blockIdx.x] = count > 0 ? mine[0] : op.identity();
}

/// Any block size; grid ceil(n / block).
template <typename T, typename Operator>
__global__ void reduce_neighbored_dense(T* values, size_t n, T* partials, Operator op) {
    const unsigned thread = threadIdx.x;
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x;
    const unsigned count = elements_in_block(n, first, blockDim.x);
    T* mine = values + first;

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        const unsigned left = 2 * stride * thread;
        if (left + stride < count) mine[left] = op.combine(mine[left], mine[left + stride]);
        __syncthreads();  // the next step's operands were written by other threads
    }
    if (thread == 0) partials[blockIdx.x] = count > 0 ? mine[0] : op.identity();
}

/// Block size a power of two; grid ceil(n / block).
template <typename T, typename Operator>
__global__ void reduce_interleaved_pairs(T* values, size_t n, T* partials, Operator op) {
    const unsigned thread = threadIdx.x;
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x;
    const unsigned count = elements_in_block(n, first, blockDim.x);
    T* mine = values + first;

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride && thread + stride < count) {
            mine[thread] = op.combine(mine[thread], mine[thread + stride]);
        }
        __syncthreads();  // the next step's upper half was written by other threads
    }
    if (thread == 0) partials[blockIdx.x] = count > 0 ? mine[0] : op.identity();
}

/// Block size rounded up to whole warps. Destroys its input.
template <typename T>
LaunchShape launch_reduce_neighbored(const ReduceArguments<T>& arguments) {
    return launch_passes<T>(InPlaceKernel<T>{reduce_neighbored, reduce_neighbored}, {whole_warps(arguments.block_size)},
                            arguments);
}

/// Block size rounded up to whole warps. Destroys its input.
template <typename T>
LaunchShape launch_reduce_neighbored_dense(const ReduceArguments<T>& arguments) {
    return launch_passes<T>(InPlaceKernel<T>{reduce_neighbored_dense, reduce_neighbored_dense},
                            {whole_warps(arguments.block_size)}, arguments);
}

/// Block size rounded down to a power of two from 32. Destroys its input.
template <typename T>
LaunchShape launch_reduce_interleaved_pairs(const ReduceArguments<T>& arguments) {
    return launch_passes<T>(InPlaceKernel<T>{reduce_interleaved_pairs, reduce_interleaved_pairs},
                            {power_of_two_block(arguments.block_size)}, arguments);
}

}  // namespace BACKEND
