// SPDX-License-Identifier: MIT
#pragma once
// The second course's ladder, first half: a tree in shared memory, one element per thread, and what each shape costs.
//   reduce_interleaved_divergent   neighbors first: t % (2 * stride) keeps half of every warp's lanes idle, and each
//                                  step costs a slow remainder
//   reduce_interleaved_conflicts   removes the divergence: consecutive threads work. But their operands lie 2 * stride
//                                  words apart, so 2, 4, ... 32 lanes share a bank
//   reduce_sequential              removes the bank conflicts: neighboring lanes have neighboring operands
//   reduce_first_add               removes the idle half of the threads: each combines two elements as it loads them
// It continues in shared_unrolled.cuh.
//
// All: any n, block size a power of two, one T of dynamic shared memory per thread. Each block leaves one partial;
// further launches of the same kernel reduce the partials until one value remains. n and the block size fix the
// order, so the result is the same bits every time.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Grid ceil(n / block): one element per thread.
template <typename T, typename Operator>
__global__ void reduce_interleaved_divergent(const T* input, size_t n, T* partials, Operator op) {
    T* values = dynamic_shared<T>();
    const unsigned thread = threadIdx.x;
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + thread;
    values[thread] = i < n ? input[i] : op.identity();

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();  // values[thread + stride] was written by another thread
        if (thread % (2 * stride) == 0) values[thread] = op.combine(values[thread], values[thread + stride]);
    }
    if (thread == 0) partials[blockIdx.x] = values[0];
}

/// Grid ceil(n / block): one element per thread.
template <typename T, typename Operator>
__global__ void reduce_interleaved_conflicts(const T* input, size_t n, T* partials, Operator op) {
    T* values = dynamic_shared<T>();
    const unsigned thread = threadIdx.x;
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + thread;
    values[thread] = i < n ? input[i] : op.identity();

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();  // both operands were written by other threads
        const unsigned left = 2 * stride * thread;
        if (left < blockDim.x) values[left] = op.combine(values[left], values[left + stride]);
    }
    if (thread == 0) partials[blockIdx.x] = values[0];  // no barrier: thread 0 wrote values[0] itself
}

/// Combines values[0 .. blockDim.x) into values[0], which thread 0 may read without a further barrier.
template <typename T, typename Operator>
__device__ inline void combine_halves(T* values, Operator op) {
    const unsigned thread = threadIdx.x;
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();  // the upper half was written by other threads: at the load or in the step before
        if (thread < stride) values[thread] = op.combine(values[thread], values[thread + stride]);
    }
}

/// Grid ceil(n / block): one element per thread.
template <typename T, typename Operator>
__global__ void reduce_sequential(const T* input, size_t n, T* partials, Operator op) {
    T* values = dynamic_shared<T>();
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < n ? input[i] : op.identity();
    combine_halves(values, op);
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Grid ceil(n / (2 * block)): two elements per thread, a block apart so that both loads are coalesced.
template <typename T, typename Operator>
__global__ void reduce_first_add(const T* input, size_t n, T* partials, Operator op) {
    T* values = dynamic_shared<T>();
    const size_t i = static_cast<size_t>(blockIdx.x) * (2 * blockDim.x) + threadIdx.x;
    T value = i < n ? input[i] : op.identity();
    if (i + blockDim.x < n) value = op.combine(value, input[i + blockDim.x]);
    values[threadIdx.x] = value;
    combine_halves(values, op);
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Launches `kernel` over the input and then over its partials, with a block of block_size rounded down to a power of
/// two from 32; each block takes items_per_thread elements per thread.
template <typename T>
LaunchShape launch_shared_passes(const ReduceKernel<T>& kernel, unsigned items_per_thread,
                                 const ReduceArguments<T>& arguments) {
    const unsigned block = power_of_two_block(arguments.block_size);
    return launch_passes<T>(kernel, {block, items_per_thread, block * sizeof(T)}, arguments);
}

template <typename T>
LaunchShape launch_reduce_interleaved_divergent(const ReduceArguments<T>& arguments) {
    return launch_shared_passes({reduce_interleaved_divergent, reduce_interleaved_divergent}, 1, arguments);
}

template <typename T>
LaunchShape launch_reduce_interleaved_conflicts(const ReduceArguments<T>& arguments) {
    return launch_shared_passes({reduce_interleaved_conflicts, reduce_interleaved_conflicts}, 1, arguments);
}

template <typename T>
LaunchShape launch_reduce_sequential(const ReduceArguments<T>& arguments) {
    return launch_shared_passes({reduce_sequential, reduce_sequential}, 1, arguments);
}

template <typename T>
LaunchShape launch_reduce_first_add(const ReduceArguments<T>& arguments) {
    return launch_shared_passes({reduce_first_add, reduce_first_add}, 2, arguments);
}

}  // namespace BACKEND
