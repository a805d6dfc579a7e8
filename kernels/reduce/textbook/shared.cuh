// SPDX-License-Identifier: MIT
#pragma once
// The course's ladder: a tree in shared memory, and what each of its shapes costs.
//   reduce_interleaved_divergent   neighbors first: t % (2 * stride) keeps half of every warp's lanes idle, and each
//                                  step costs a slow remainder
//   reduce_interleaved_conflicts   removes the divergence: consecutive threads work. But their operands lie 2 * stride
//                                  words apart, so 2, 4, ... 32 lanes share a bank
//   reduce_sequential              removes the bank conflicts: neighboring lanes have neighboring operands
//   reduce_first_add               removes the idle half of the threads: each adds two elements as it loads them
//   reduce_unrolled_warp           removes the last five block barriers and loop turns: one warp adds up the last 64
//   reduce_unrolled_block          removes the loop: the block size is a template parameter, so every test is compiled
//                                  away
//   reduce_multiple_elements       removes most blocks: a fixed grid strides over the input, and the tree, which is
//                                  pure overhead, is paid for once per many elements
// The course's last warp ran without synchronization and relied on lanes in lockstep, which no GPU since Volta
// promises; here every step reads, waits, writes and waits (__syncwarp).
//
// Any n; block size a power of two, from 64 for the last three; one T of dynamic shared memory per thread. Each block
// leaves one partial; further launches of the same kernel reduce the partials until one value remains. n, the block
// size and the grid fix the order, so the result is the same bits every time.
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Grid ceil(n / block): one element per thread.
template <typename T>
__global__ void reduce_interleaved_divergent(const T* input, size_t n, T* partials) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* values = reinterpret_cast<T*>(shared_bytes);
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < n ? input[i] : 0;

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();  // the right operand was written by another thread
        if (threadIdx.x % (2 * stride) == 0) values[threadIdx.x] += values[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];  // no barrier: thread 0 wrote values[0] itself
}

/// Grid ceil(n / block): one element per thread.
template <typename T>
__global__ void reduce_interleaved_conflicts(const T* input, size_t n, T* partials) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* values = reinterpret_cast<T*>(shared_bytes);
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < n ? input[i] : 0;

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();  // both operands were written by other threads
        const unsigned left = 2 * stride * threadIdx.x;
        if (left < blockDim.x) values[left] += values[left + stride];
    }
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Grid ceil(n / block): one element per thread.
template <typename T>
__global__ void reduce_sequential(const T* input, size_t n, T* partials) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* values = reinterpret_cast<T*>(shared_bytes);
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < n ? input[i] : 0;

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();  // the upper half was written by other threads: at the load or in the step before
        if (threadIdx.x < stride) values[threadIdx.x] += values[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Grid ceil(n / (2 * block)): two elements per thread, a block apart so that both loads are coalesced.
template <typename T>
__global__ void reduce_first_add(const T* input, size_t n, T* partials) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* values = reinterpret_cast<T*>(shared_bytes);
    const size_t i = size_t(blockIdx.x) * (2 * blockDim.x) + threadIdx.x;
    T sum = i < n ? input[i] : 0;
    if (i + blockDim.x < n) sum += input[i + blockDim.x];
    values[threadIdx.x] = sum;

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();  // as in reduce_sequential
        if (threadIdx.x < stride) values[threadIdx.x] += values[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Adds up values[0 .. 64) in values[0]. The 32 lanes of the first warp call it after a __syncthreads(). All lanes work
/// in all steps, as in the course; the upper lanes' results are never used.
template <typename T>
__device__ void add_last_warp(T* values) {
    T sum = values[threadIdx.x];
#pragma unroll
    for (unsigned stride = 32; stride > 0; stride /= 2) {
        sum += values[threadIdx.x + stride];
        __syncwarp();  // every lane has read its right operand before that operand's owner overwrites it
        values[threadIdx.x] = sum;
        __syncwarp();  // every lane has written its value before another lane reads it
    }
}

/// Grid ceil(n / (2 * block)): two elements per thread.
template <typename T>
__global__ void reduce_unrolled_warp(const T* input, size_t n, T* partials) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* values = reinterpret_cast<T*>(shared_bytes);
    const size_t i = size_t(blockIdx.x) * (2 * blockDim.x) + threadIdx.x;
    T sum = i < n ? input[i] : 0;
    if (i + blockDim.x < n) sum += input[i + blockDim.x];
    values[threadIdx.x] = sum;
    __syncthreads();  // every value is in place

    for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
        if (threadIdx.x < stride) values[threadIdx.x] += values[threadIdx.x + stride];
        __syncthreads();  // the next step reads what other warps wrote
    }
    if (threadIdx.x < 32) add_last_warp(values);
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Adds up values[0 .. block_size) in values[0] without a loop: one step, then the same for half the size. The caller
/// has passed a barrier, so every value is in place.
template <unsigned block_size, typename T>
__device__ void add_unrolled(T* values) {
    static_assert(block_size >= 64 && block_size <= 1024 && (block_size & (block_size - 1)) == 0);
    if constexpr (block_size > 64) {
        constexpr unsigned half = block_size / 2;
        if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
        __syncthreads();  // as in the loop: the next step reads what other warps wrote
        add_unrolled<half>(values);
    } else if (threadIdx.x < 32) {
        add_last_warp(values);
    }
}

/// Grid ceil(n / (2 * block)): two elements per thread.
template <unsigned block_size, typename T>
__global__ void __launch_bounds__(block_size) reduce_unrolled_block(const T* input, size_t n, T* partials) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* values = reinterpret_cast<T*>(shared_bytes);
    const size_t i = size_t(blockIdx.x) * (2 * block_size) + threadIdx.x;
    T sum = i < n ? input[i] : 0;
    if (i + block_size < n) sum += input[i + block_size];
    values[threadIdx.x] = sum;
    __syncthreads();  // every value is in place
    add_unrolled<block_size>(values);
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Any grid: it strides over the input, two elements per thread at a time.
template <unsigned block_size, typename T>
__global__ void __launch_bounds__(block_size) reduce_multiple_elements(const T* input, size_t n, T* partials) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* values = reinterpret_cast<T*>(shared_bytes);
    const size_t stride = size_t(gridDim.x) * (2 * block_size);
    T sum = 0;
    for (size_t i = size_t(blockIdx.x) * (2 * block_size) + threadIdx.x; i < n; i += stride) {
        sum += i + block_size < n ? input[i] + input[i + block_size] : input[i];
    }
    values[threadIdx.x] = sum;
    __syncthreads();  // every value is in place
    add_unrolled<block_size>(values);
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

}  // namespace BACKEND
