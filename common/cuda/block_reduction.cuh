// SPDX-License-Identifier: MIT
// Reducing one value per thread to one value per warp and per block: the last stage of every modern reduction.
// An operator `op` has identity(), combine(a, b), and has_warp_instruction, which says whether it also has
// combine_warp(value).
#pragma once

#include <cuda_runtime.h>

#include <cstring>

#include "common/cuda/launch_shape.cuh"

namespace BACKEND {

/// The types that CUDA can shuffle directly: splitting 64 bits into two words would take the simulator twice as long.
/// (A list instead of <type_traits>, which a run-time compiler lacks.)
template <typename T>
inline constexpr bool has_shuffle = false;
template <>
inline constexpr bool has_shuffle<int> = true;
template <>
inline constexpr bool has_shuffle<unsigned> = true;
template <>
inline constexpr bool has_shuffle<long> = true;
template <>
inline constexpr bool has_shuffle<unsigned long> = true;
template <>
inline constexpr bool has_shuffle<long long> = true;
template <>
inline constexpr bool has_shuffle<unsigned long long> = true;
template <>
inline constexpr bool has_shuffle<float> = true;
template <>
inline constexpr bool has_shuffle<double> = true;

/// The value of the lane `distance` above, word by word if CUDA has no shuffle for its type.
template <typename T>
__device__ __forceinline__ T shuffle_down(const T& value, unsigned distance) {
    constexpr unsigned all_lanes = 0xffffffffU;
    if constexpr (has_shuffle<T>) {
        return __shfl_down_sync(all_lanes, value, distance);
    } else {
        unsigned words[sizeof(T) / sizeof(unsigned)];
        memcpy(words, &value, sizeof value);
#pragma unroll
        for (unsigned& word : words) word = __shfl_down_sync(all_lanes, word, distance);
        T other;
        memcpy(&other, words, sizeof other);
        return other;
    }
}

/// Lane 0 receives the combination of the values of the first `lanes` lanes (a power of two); the lanes above must hold
/// the identity, and only lane 0's result is meaningful. All 32 lanes of the warp must call it. It needs no shared
/// memory and no barrier: a shuffle passes a register from lane to lane, and its mask makes the lanes wait for each
/// other.
template <unsigned lanes = lanes_per_warp, typename Operator, typename T>
__device__ T warp_reduce(Operator op, T value) {
    if constexpr (Operator::has_warp_instruction) {
        return op.combine_warp(value);
    } else {
#pragma unroll
        for (unsigned distance = lanes / 2; distance > 0; distance /= 2) {
            value = op.combine(value, shuffle_down(value, distance));
        }
        return value;
    }
}

/// Thread 0 receives the combination of all threads' values. blockDim.x is a multiple of 32, at most 1024; every thread
/// of the block must call it, and a block that calls it twice needs a __syncthreads() in between. static_warps: the
/// block's number of warps (a power of two) if it is known at compile time, which saves the shuffles that only larger
/// blocks need; otherwise 0.
template <unsigned static_warps = 0, typename Operator, typename T>
__device__ T block_reduce(Operator op, T value) {
    constexpr unsigned most_warps = static_warps == 0 ? largest_block / lanes_per_warp : static_warps;
    __shared__ T warp_totals[most_warps];
    const unsigned warps = static_warps == 0 ? blockDim.x / lanes_per_warp : static_warps;
    const unsigned lane = threadIdx.x % lanes_per_warp;
    const unsigned warp = threadIdx.x / lanes_per_warp;

    value = warp_reduce(op, value);
    if (lane == 0) warp_totals[warp] = value;
    __syncthreads();  // the first warp reads what lane 0 of each warp has written
    if (warp == 0) {
        value = lane < warps ? warp_totals[lane] : op.identity();
        value = warp_reduce<most_warps>(op, value);
    }
    return value;
}

/// The block's dynamic shared memory, whose size the launch chose, as an array of T.
template <typename T>
__device__ inline T* dynamic_shared() {
    extern __shared__ __align__(16) unsigned char dynamic_shared_bytes[];
    return reinterpret_cast<T*>(dynamic_shared_bytes);
}

}  // namespace BACKEND
