// SPDX-License-Identifier: MIT
#pragma once
// Threads that wait for each other. Since Volta every thread has its own program counter, so lanes of one warp may do
// so. Before, a warp's lanes shared one: lanes that waited in a loop blocked the lanes they were waiting for.
#include "kernels/diverge/arguments.cuh"

namespace BACKEND {

/// Threads in pairs, `distance` apart, a power of two: one asks, the other answers, `rounds` times. The block is a
/// multiple of twice the distance; grid ceil(n / block). Threads beyond n take part with a word of 0.
__global__ void diverge_handshake(const DivergeArguments arguments, unsigned distance) {
    __shared__ unsigned letters[largest_block];
    __shared__ volatile unsigned turns[largest_block];
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned pair = threadIdx.x & ~distance;  // the index of the pair's letter
    const unsigned word = i < arguments.n ? arguments.d_in[i] : 0;
    unsigned value = word;
    turns[threadIdx.x] = 0;
    __syncthreads();  // all turns are 0 before any thread waits for its turn
    if (threadIdx.x == pair) {
        for (unsigned round = 0; round < arguments.rounds; ++round) {
            while (turns[pair] != 2 * round + 1) {}
            __threadfence_block();
            value = diverge_step(letters[pair], word, 0, diverge_factor(0, 0));
            letters[pair] = value;
            __threadfence_block();
            turns[pair] = 2 * round + 2;
        }
    } else {
        for (unsigned round = 0; round < arguments.rounds; ++round) {
            letters[pair] = value;
            __threadfence_block();
            turns[pair] = 2 * round + 1;
            while (turns[pair] != 2 * round + 2) {}
            __threadfence_block();
            value = letters[pair];
        }
    }
    if (i < arguments.n) arguments.d_out[i] = value;
}

/// The lanes of each warp take a lock in turn to add up their words: all of them get the sum. `inside`: a lane that
/// gets the lock uses and releases it before it leaves the loop. (Otherwise, before Volta, it would wait after the loop
/// for the other lanes, which need the lock to get there.) Block a multiple of 32; grid ceil(n / block).
template <bool inside>
__global__ void diverge_lock(const DivergeArguments arguments) {
    constexpr unsigned most_warps = largest_block / lanes_per_warp;
    __shared__ unsigned locks[most_warps], sums[most_warps];
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned warp = threadIdx.x / lanes_per_warp;
    const unsigned word = i < arguments.n ? arguments.d_in[i] : 0;
    if (threadIdx.x % lanes_per_warp == 0) locks[warp] = sums[warp] = 0;
    __syncthreads();  // the lock is initialized before any lane takes it
    if constexpr (inside) {
        bool waits = true;
        while (waits) {
            if (atomicCAS(&locks[warp], 0u, 1u) == 0) {
                __threadfence_block();
                sums[warp] += word;
                __threadfence_block();
                atomicExch(&locks[warp], 0u);
                waits = false;
            }
        }
    } else {
        while (atomicCAS(&locks[warp], 0u, 1u) != 0) {}
        __threadfence_block();
        sums[warp] += word;
        __threadfence_block();
        atomicExch(&locks[warp], 0u);
    }
    __syncthreads();  // the sum is complete
    if (i < arguments.n) arguments.d_out[i] = sums[warp];
}

/// Rounds the block up to pairs of warps, so that it holds whole pairs of threads, be they in one warp or in two.
template <unsigned distance>
LaunchShape launch_diverge_handshake(const DivergeArguments& arguments) {
    constexpr unsigned two_warps = 2 * lanes_per_warp;
    static_assert(two_warps % (2 * distance) == 0, "whole pairs");
    const unsigned block = static_cast<unsigned>(divide_up(arguments.block_size, two_warps)) * two_warps;
    const unsigned grid = grid_for(arguments.n, block);
    diverge_handshake<<<grid, block, 0, arguments.stream>>>(arguments, distance);
    return {dim3(grid), dim3(block), 0};
}

template <bool inside>
LaunchShape launch_diverge_lock(const DivergeArguments& arguments) {
    return launch_diverge_kernel(diverge_lock<inside>, arguments, whole_warps(arguments.block_size));
}

}  // namespace BACKEND
