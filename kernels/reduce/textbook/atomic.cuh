// SPDX-License-Identifier: MIT
#pragma once
// The tutorial's ladder: every kernel ends in atomics on the one result, so one launch is enough.
//   reduce_atomic_global   every thread adds to the one result: n atomics on one address, one after another
//   reduce_atomic_shared   removes n - n/block of them from global memory: each block first adds up its own total
//   reduce_shared_tree     removes the shared atomics: log2(block) steps of adding pairs, half the threads each
//   reduce_shared_shuffle  removes the last five of these steps and their barriers: 32 values move from lane to lane
// Where the tutorial stops, with the remark that this could be taken further:
//   reduce_shuffle_tree    removes all barriers but one and most of shared memory: every warp shuffles
//   reduce_grid_stride     removes all trees but one per resident block: a grid that fills the device strides over the
//                          input, and each thread adds up in a register. The reduction to write first
// Blocks arrive in no fixed order, so floating-point sums differ in their last bits from run to run.
//
// Any n. *result is 0 before the launch.
#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Grid ceil(n / block), any block size.
template <typename T>
__global__ void reduce_atomic_global(const T* input, size_t n, T* result) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(result, input[i]);
}

/// Grid ceil(n / block), any block size.
template <typename T>
__global__ void reduce_atomic_shared(const T* input, size_t n, T* result) {
    __shared__ T block_total;
    if (threadIdx.x == 0) block_total = 0;
    __syncthreads();  // the total is 0 before any thread adds to it

    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&block_total, input[i]);
    __syncthreads();  // every thread has added to the total before thread 0 reads it

    if (threadIdx.x == 0) atomicAdd(result, block_total);
}

/// Grid ceil(n / block); block size a power of two; one T of dynamic shared memory per thread.
template <typename T>
__global__ void reduce_shared_tree(const T* input, size_t n, T* result) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* values = reinterpret_cast<T*>(shared_bytes);
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < n ? input[i] : 0;

    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        __syncthreads();  // the upper half was written by other threads: at the load or in the step before
        if (threadIdx.x < stride) values[threadIdx.x] += values[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) atomicAdd(result, values[0]);  // no barrier: thread 0 wrote values[0] itself
}

/// Lane 0 receives the sum of the 32 lanes' values. A shuffle's mask makes the lanes wait for each other.
template <typename T>
__device__ T warp_sum(T sum) {
#pragma unroll
    for (unsigned offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    return sum;
}

/// Grid ceil(n / block); block size a power of two from 32; one T of dynamic shared memory per thread.
template <typename T>
__global__ void reduce_shared_shuffle(const T* input, size_t n, T* result) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* values = reinterpret_cast<T*>(shared_bytes);
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < n ? input[i] : 0;

    for (unsigned stride = blockDim.x / 2; stride > 16; stride /= 2) {
        __syncthreads();  // the upper half was written by other threads: at the load or in the step before
        if (threadIdx.x < stride) values[threadIdx.x] += values[threadIdx.x + stride];
    }
    T sum = values[threadIdx.x];  // no barrier: every thread wrote its value itself
    if (threadIdx.x < 32) sum = warp_sum(sum);
    if (threadIdx.x == 0) atomicAdd(result, sum);
}

/// Thread 0 receives the sum of all threads' values. Block size a multiple of 32.
template <typename T>
__device__ T block_sum(T sum) {
    __shared__ T warp_sums[32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    sum = warp_sum(sum);
    if (lane == 0) warp_sums[warp] = sum;
    __syncthreads();  // the first warp reads what lane 0 of each warp has written
    if (warp > 0) return sum;
    return warp_sum(lane < blockDim.x / 32 ? warp_sums[lane] : T(0));
}

/// Grid ceil(n / block); block size a multiple of 32.
template <typename T>
__global__ void reduce_shuffle_tree(const T* input, size_t n, T* result) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const T sum = block_sum(i < n ? input[i] : T(0));  // a thread beyond the end takes part in every shuffle
    if (threadIdx.x == 0) atomicAdd(result, sum);
}

/// Any grid; block size a multiple of 32.
template <typename T>
__global__ void reduce_grid_stride(const T* input, size_t n, T* result) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    T sum = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) sum += input[i];

    sum = block_sum(sum);
    if (threadIdx.x == 0) atomicAdd(result, sum);
}

}  // namespace BACKEND
