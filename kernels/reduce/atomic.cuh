#pragma once
// The tutorial's ladder: every block ends in one atomic on the result, so one launch is enough.
//   reduce_atomic_global   every thread updates the one result: n atomics on one address, one after another
//   reduce_atomic_shared   removes n - n/block of them from global memory: a block first collects in its own total
//   reduce_shared_tree     removes the shared atomics: log2(block) steps of pairwise combining, half the threads each
//   reduce_shuffle_tree    removes shared memory and all but one barrier: registers move from lane to lane
// The order in which blocks arrive is not fixed, so floating sums differ in their last bits from run to run.
//
// One element per thread, grid = ceil(n / block). The result is set to the identity by a launch of one thread first.
#include "kernels/reduce/per_block.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// The thread's element, or the identity for a thread beyond the end: it then takes part in every barrier and shuffle
/// without a branch.
template <typename Operator, typename T> __device__ inline T element_or_identity(const T* input, size_t n) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    return i < n ? input[i] : Operator::identity();
}

/// Any n, any block size.
template <typename T, typename Operator> __global__ void reduce_atomic_global(const T* input, size_t n, T* result) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) Operator::combine_atomically(result, input[i]);
}

/// Any n, any block size.
template <typename T, typename Operator> __global__ void reduce_atomic_shared(const T* input, size_t n, T* result) {
    __shared__ T block_total;
    if (threadIdx.x == 0) block_total = Operator::identity();
    __syncthreads(); // nobody adds before the total has its first value

    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) Operator::combine_atomically(&block_total, input[i]);
    __syncthreads(); // the total is complete when the last thread has added to it

    if (threadIdx.x == 0) Operator::combine_atomically(result, block_total);
}

/// Any n; block size a power of two; dynamic shared memory for one T per thread.
template <typename T, typename Operator> __global__ void reduce_shared_tree(const T* input, size_t n, T* result) {
    T* values = dynamic_shared<T>();
    const unsigned thread = threadIdx.x;
    values[thread] = element_or_identity<Operator>(input, n);

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads(); // the upper half was written by other threads: at the load or in the step before
        if (thread < stride) values[thread] = Operator::combine(values[thread], values[thread + stride]);
    }
    if (thread == 0) Operator::combine_atomically(result, values[0]); // thread 0 wrote values[0] itself: no barrier
}

/// Any n; block size a multiple of 32.
template <typename T, typename Operator> __global__ void reduce_shuffle_tree(const T* input, size_t n, T* result) {
    const T block_total = block_reduce<Operator>(element_or_identity<Operator>(input, n));
    if (threadIdx.x == 0) Operator::combine_atomically(result, block_total);
}

/// Sets the result to the identity, then runs `kernel` with one thread per element.
template <typename T, typename Operator>
LaunchShape launch_one_thread_per_element(void (*kernel)(const T*, size_t, T*), const ReduceArguments<T>& arguments,
                                          unsigned block, size_t shared_bytes) {
    const unsigned grid = grid_for(arguments.n, block);
    store_identity<T, Operator><<<1, 1, 0, arguments.stream>>>(arguments.d_result);
    kernel<<<grid, block, shared_bytes, arguments.stream>>>(arguments.d_input, arguments.n, arguments.d_result);
    return {dim3(grid), dim3(block), shared_bytes};
}

/// Block size as asked for.
template <typename T, typename Operator> LaunchShape launch_reduce_atomic_global(const ReduceArguments<T>& arguments) {
    return launch_one_thread_per_element<T, Operator>(reduce_atomic_global<T, Operator>, arguments,
                                                      arguments.block_size, 0);
}

/// Block size as asked for.
template <typename T, typename Operator> LaunchShape launch_reduce_atomic_shared(const ReduceArguments<T>& arguments) {
    return launch_one_thread_per_element<T, Operator>(reduce_atomic_shared<T, Operator>, arguments,
                                                      arguments.block_size, 0);
}

/// Block size rounded down to a power of two from 32.
template <typename T, typename Operator> LaunchShape launch_reduce_shared_tree(const ReduceArguments<T>& arguments) {
    const unsigned block = power_of_two_block(arguments.block_size);
    return launch_one_thread_per_element<T, Operator>(reduce_shared_tree<T, Operator>, arguments, block,
                                                      block * sizeof(T));
}

/// Block size rounded up to whole warps.
template <typename T, typename Operator> LaunchShape launch_reduce_shuffle_tree(const ReduceArguments<T>& arguments) {
    return launch_one_thread_per_element<T, Operator>(reduce_shuffle_tree<T, Operator>, arguments,
                                                      whole_warps(arguments.block_size), 0);
}

} // namespace BACKEND
