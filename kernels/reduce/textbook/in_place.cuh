// SPDX-License-Identifier: MIT
#pragma once
// The book's ladder: a tree inside the input array itself, in global memory.
//   reduce_neighbored                t % (2 * stride): half of every warp's lanes are idle, then three quarters, ...
//   reduce_neighbored_dense          removes the divergence: consecutive threads take the pairs, so whole warps retire
//   reduce_interleaved_pairs         removes the strided accesses: the operands are half a block apart, so neighboring
//                                    lanes touch neighboring words, and a warp's request needs the fewest sectors
//   reduce_unroll<2>                 removes half the blocks: each first adds a second block's data to its own
//   reduce_unroll<8>                 removes most of the wait for memory: eight loads in flight per thread, not two
//   reduce_unroll8_warp              removes the last five block barriers and loop turns: one warp finishes alone
//   reduce_unroll8_complete          removes the loop, but tests blockDim at run time
//   reduce_unroll8_complete_static   removes those tests: the block size is a template parameter
// The book's last warp ran without synchronization; here a __syncwarp() separates the steps.
//
// THESE KERNELS DESTROY THEIR INPUT: restore it before every launch. Any n > 0. Each block leaves one partial; further
// launches of the same kernel reduce the partials in place until one value remains. n and the block size fix the
// order, so the result is the same bits every time.
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Any block size; grid ceil(n / block).
template <typename T>
__global__ void reduce_neighbored(T* input, size_t n, T* partials) {
    const size_t first = size_t(blockIdx.x) * blockDim.x;
    const unsigned count = n - first < blockDim.x ? n - first : blockDim.x;  // the last block may have fewer elements
    const unsigned t = threadIdx.x;
    T* values = input + first;

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0 && t + stride < count) values[t] += values[t + stride];
        __syncthreads();  // the next step reads what other threads of the block wrote to global memory
    }
    if (t == 0) partials[blockIdx.x] = values[0];
}

/// Any block size; grid ceil(n / block).
template <typename T>
__global__ void reduce_neighbored_dense(T* input, size_t n, T* partials) {
    const size_t first = size_t(blockIdx.x) * blockDim.x;
    const unsigned count = n - first < blockDim.x ? n - first : blockDim.x;
    T* values = input + first;

    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        const unsigned left = 2 * stride * threadIdx.x;
        if (left + stride < count) values[left] += values[left + stride];
        __syncthreads();  // the next step's operands were written by other threads
    }
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Block size a power of two; grid ceil(n / block).
template <typename T>
__global__ void reduce_interleaved_pairs(T* input, size_t n, T* partials) {
    const size_t first = size_t(blockIdx.x) * blockDim.x;
    const unsigned count = n - first < blockDim.x ? n - first : blockDim.x;
    const unsigned t = threadIdx.x;
    T* values = input + first;

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (t < stride && t + stride < count) values[t] += values[t + stride];
        __syncthreads();  // the next step's upper half was written by other threads
    }
    if (t == 0) partials[blockIdx.x] = values[0];
}

/// Adds the block's `pieces` * blockDim.x elements, as far as they exist, onto its first blockDim.x, and returns how
/// many of those exist: values[0 .. left). Each thread touches only elements it owns, so no barrier is needed yet.
template <unsigned pieces, typename T>
__device__ unsigned fold(T* values, size_t left) {
    const unsigned t = threadIdx.x;
    if (pieces * blockDim.x <= left) {
        T loaded[pieces];
#pragma unroll
        for (unsigned k = 0; k < pieces; ++k) loaded[k] = values[t + k * blockDim.x];  // all loads before any sum
        T sum = loaded[0];
#pragma unroll
        for (unsigned k = 1; k < pieces; ++k) sum += loaded[k];
        values[t] = sum;
        return blockDim.x;
    }
    for (size_t i = t + blockDim.x; i < left; i += blockDim.x) values[t] += values[i];  // the last block
    return left < blockDim.x ? left : blockDim.x;
}

/// One step of the tree: the lower `stride` threads add the upper half, as far as it exists. A step reads nothing that
/// another thread writes in it, so one barrier between steps is enough.
template <typename T>
__device__ void add_upper_half(T* values, unsigned stride, unsigned count) {
    const unsigned t = threadIdx.x;
    if (t < stride && t + stride < count) values[t] += values[t + stride];
}

/// The last steps, for 64 values. Only the first warp calls it, after a __syncthreads().
template <typename T>
__device__ void finish_in_one_warp(T* values, unsigned count) {
#pragma unroll
    for (unsigned stride = 32; stride > 0; stride /= 2) {
        add_upper_half(values, stride, count);
        __syncwarp();  // the next step reads what other lanes wrote
    }
}

/// Block size a power of two; grid ceil(n / (pieces * block)).
template <unsigned pieces, typename T>
__global__ void reduce_unroll(T* input, size_t n, T* partials) {
    const size_t first = size_t(blockIdx.x) * (pieces * blockDim.x);
    T* values = input + first;
    const unsigned count = fold<pieces>(values, n - first);
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();  // the upper half was written by other threads
        add_upper_half(values, stride, count);
    }
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Block size a power of two from 64; grid ceil(n / (8 * block)).
template <typename T>
__global__ void reduce_unroll8_warp(T* input, size_t n, T* partials) {
    const size_t first = size_t(blockIdx.x) * (8 * blockDim.x);
    T* values = input + first;
    const unsigned count = fold<8>(values, n - first);
    for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
        __syncthreads();  // the upper half was written by other threads
        add_upper_half(values, stride, count);
    }
    __syncthreads();  // the first warp reads what all threads wrote
    if (threadIdx.x < 32) finish_in_one_warp(values, count);
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// The whole tree for a block of `block_size` threads. If block_size is a constant, the compiler removes the tests.
template <typename T>
__device__ void add_completely_unrolled(T* values, unsigned count, unsigned block_size) {
    __syncthreads();  // every thread has folded its elements
    if (block_size >= 1024) {
        add_upper_half(values, 512, count);
        __syncthreads();  // here and below: the next step reads what other threads wrote
    }
    if (block_size >= 512) {
        add_upper_half(values, 256, count);
        __syncthreads();
    }
    if (block_size >= 256) {
        add_upper_half(values, 128, count);
        __syncthreads();
    }
    if (block_size >= 128) {
        add_upper_half(values, 64, count);
        __syncthreads();
    }
    if (threadIdx.x < 32) finish_in_one_warp(values, count);
}

/// Block size a power of two from 64; grid ceil(n / (8 * block)).
template <typename T>
__global__ void reduce_unroll8_complete(T* input, size_t n, T* partials) {
    const size_t first = size_t(blockIdx.x) * (8 * blockDim.x);
    T* values = input + first;
    const unsigned count = fold<8>(values, n - first);
    add_completely_unrolled(values, count, blockDim.x);
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

/// Block size block_size, a power of two from 64; grid ceil(n / (8 * block)).
template <unsigned block_size, typename T>
__global__ void __launch_bounds__(block_size) reduce_unroll8_complete_static(T* input, size_t n, T* partials) {
    static_assert(block_size >= 64 && block_size <= 1024 && (block_size & (block_size - 1)) == 0);
    const size_t first = size_t(blockIdx.x) * (8 * block_size);
    T* values = input + first;
    const unsigned count = fold<8>(values, n - first);
    add_completely_unrolled(values, count, block_size);
    if (threadIdx.x == 0) partials[blockIdx.x] = values[0];
}

}  // namespace BACKEND
