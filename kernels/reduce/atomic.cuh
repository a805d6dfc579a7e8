// SPDX-License-Identifier: MIT
#pragma once
// The tutorial's ladder: all of it ends in atomics on the one result, so one launch is enough.
//   reduce_atomic_global   every thread updates the one result: n atomics on one address, one after another
//   reduce_atomic_shared   removes n - n/block of them from global memory: each block first adds up its own total
//   reduce_shared_tree     removes the shared atomics: log2(block) steps of pairwise combining, half the threads each
//   reduce_shuffle_tree    removes all barriers but one and most of shared memory: values move from lane to lane
// Blocks arrive in no fixed order, so floating-point sums differ in their last bits from run to run.
//
// One element per thread; grid ceil(n / block). A launch of one thread first sets the result to the identity.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// The thread's element. A thread beyond the end gets the identity, so that it takes part in every barrier and shuffle
/// without a branch.
template <typename T, typename Operator>
__device__ inline T element_or_identity(const T* input, size_t n, Operator op) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    return i < n ? input[i] : op.identity();
}

/// Any n, any block size.
template <typename T, typename Operator>
__global__ void reduce_atomic_global(const T* input, size_t n, T* result, Operator op) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) op.combine_atomically(result, input[i]);
}

/// Any n, any block size.
template <typename T, typename Operator>
__global__ void reduce_atomic_shared(const T* input, size_t n, T* result, Operator op) {
    __shared__ T block_total;
    if (threadIdx.x == 0) block_total = op.identity();
    __syncthreads();  // the total is initialized before any thread adds to it

    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) op.combine_atomically(&block_total, input[i]);
    __syncthreads();  // every thread has added to the total before thread 0 reads it

    if (threadIdx.x == 0) op.combine_atomically(result, block_total);
}

/// Any n; block size a power of two; one T of dynamic shared memory per thread.
template <typename T, typename Operator>
__global__ void reduce_shared_tree(const T* input, size_t n, T* result, Operator op) {
    T* values = dynamic_shared<T>();
    const unsigned thread = threadIdx.x;
    values[thread] = element_or_identity(input, n, op);

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();  // the upper half was written by other threads: at the load or in the step before
        if (thread < stride) values[thread] = op.combine(values[thread], values[thread + stride]);
    }
    if (thread == 0) op.combine_atomically(result, values[0]);  // no barrier: thread 0 wrote values[0] itself
}

/// Any n; block size a multiple of 32.
template <typename T, typename Operator>
__global__ void reduce_shuffle_tree(const T* input, size_t n, T* result, Operator op) {
    const T block_total = block_reduce(op, element_or_identity(input, n, op));
    if (threadIdx.x == 0) op.combine_atomically(result, block_total);
}

/// Sets the result to the identity, then runs `kernel` with one thread per element.
template <typename T>
LaunchShape launch_one_thread_per_element(const ReduceKernel<T>& kernel, unsigned block, size_t shared_bytes,
                                          const ReduceArguments<T>& arguments) {
    return launch_onto_identity(kernel, {dim3(grid_for(arguments.n, block)), dim3(block), shared_bytes}, arguments);
}

/// Block size as requested.
template <typename T>
LaunchShape launch_reduce_atomic_global(const ReduceArguments<T>& arguments) {
    return launch_one_thread_per_element({reduce_atomic_global, reduce_atomic_global}, arguments.block_size, 0,
                                         arguments);
}

/// Block size as requested.
template <typename T>
LaunchShape launch_reduce_atomic_shared(const ReduceArguments<T>& arguments) {
    return launch_one_thread_per_element({reduce_atomic_shared, reduce_atomic_shared}, arguments.block_size, 0,
                                         arguments);
}

/// Block size rounded down to a power of two from 32.
template <typename T>
LaunchShape launch_reduce_shared_tree(const ReduceArguments<T>& arguments) {
    const unsigned block = power_of_two_block(arguments.block_size);
    return launch_one_thread_per_element({reduce_shared_tree, reduce_shared_tree}, block, block * sizeof(T), arguments);
}

/// Block size rounded up to whole warps.
template <typename T>
LaunchShape launch_reduce_shuffle_tree(const ReduceArguments<T>& arguments) {
    return launch_one_thread_per_element({reduce_shuffle_tree, reduce_shuffle_tree}, whole_warps(arguments.block_size),
                                         0, arguments);
}

}  // namespace BACKEND
