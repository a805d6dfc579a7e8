// SPDX-License-Identifier: MIT
#pragma once
// C = A B in f32, the last step that every GPU can take:
//   matmul_async   removes, from the warp tile, the waiting for global memory: while one stage is multiplied, the next
//                  ones are in flight, copied to shared memory without passing through registers. Also removes one of
//                  the two barriers per stage
// A is transposed by copying its elements one by one, four bytes each, to where the lanes want them. On Hopper the
// ladder continues in hopper/f32.cuh. Any m, n and k.
#include "common/cuda/async_copy.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"
#include "kernels/matmul/textbook/vectorized.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// 8 steps along k of the block's rows of A, transposed and padded as in the vectorized kernel, and columns of B.
template <int tile>
struct AsyncStage {
    float a[8][tile + 4], b[8][tile];

    /// Starts this thread's copies; zeros lie beyond the matrices' edges. B is copied in fours if its rows allow it.
    __device__ void copy(const float* from_a, const float* from_b, size_t m, size_t n, size_t k, size_t top,
                         size_t left, size_t step) {
        constexpr unsigned threads = 2 * tile;
        const unsigned thread = threadIdx.x;
#pragma unroll
        for (unsigned first = 0; first < tile * 8; first += threads) {
            const unsigned y = (first + thread) / 8, x = (first + thread) % 8;
            const bool there = top + y < m && step + x < k;
            copy_async(&a[x][y], there ? from_a + (top + y) * k + step + x : from_a, there);
        }
        if (n % 4 == 0) {
#pragma unroll
            for (unsigned first = 0; first < tile * 8 / 4; first += threads) {
                const unsigned y = (first + thread) / (tile / 4), x = (first + thread) % (tile / 4) * 4;
                const bool there = step + y < k && left + x < n;
                const float* from = there ? from_b + (step + y) * n + left + x : from_b;
                copy_async(reinterpret_cast<float4*>(&b[y][x]), reinterpret_cast<const float4*>(from), there);
            }
        } else {
            for (unsigned i = thread; i < tile * 8; i += threads) {
                const unsigned y = i / tile, x = i % tile;
                const bool there = step + y < k && left + x < n;
                copy_async(&b[y][x], there ? from_b + (step + y) * n + left + x : from_b, there);
            }
        }
        commit_copies();
    }
};

/// The block's tile x tile of C: 2 x tile / 32 warps of 8 x 4 lanes, each with tile / 2 x 32 sums.
template <int tile>
__device__ inline void multiply_async(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    constexpr int stages = 3;
    __shared__ __align__(16) AsyncStage<tile> ring[stages];
    const size_t top = size_t(blockIdx.y) * tile, left = size_t(blockIdx.x) * tile;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned y = warp / (tile / 32) * (tile / 2) + lane / 4 * 4, x = warp % (tile / 32) * 32 + lane % 4 * 4;
    float sums[tile / 16][8] = {};
#pragma unroll
    for (int s = 0; s < stages - 1; ++s) ring[s].copy(a, b, m, n, k, top, left, size_t(s) * 8);
    int now = 0, next = stages - 1;
    for (size_t step = 0; step < k; step += 8) {
        wait_copies<stages - 2>();  // this thread's part of the stage has arrived
        __syncthreads();  // all threads' parts have, and all are done with the previous stage, which is refilled next
        ring[next].copy(a, b, m, n, k, top, left, step + (stages - 1) * 8);
#pragma unroll
        for (int i = 0; i < 8; ++i) add_step<32, 16>(sums, &ring[now].a[i][y], &ring[now].b[i][x]);
        now = now + 1 == stages ? 0 : now + 1;
        next = next + 1 == stages ? 0 : next + 1;
    }
    wait_copies<0>();  // the last copies write only zeros, but must not do so after the block has exited
    store_sums<32, 16>(sums, c, m, n, top + y, left + x);
}

/// Grid ceil(n / tile) x ceil(m / tile), block 2 tile.
template <int tile>
__global__ void __launch_bounds__(2 * tile, 2)
    matmul_async(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    multiply_async<tile>(a, b, c, m, n, k);
}

/// A side of 128, or of 64 where larger tiles would leave multiprocessors idle.
template <int side>
struct MatmulAsync {
    using Element = float;
    static constexpr int threads = 2 * side, resident = 2;
    static constexpr TileSize tile = {side, side, 8};

    __device__ static void multiply(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
        multiply_async<side>(a, b, c, m, n, k);
    }
    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        return launch_tiles(arguments, side, side, [](const dim3& grid, const auto& of) {
            if (of.batch > 1) return launch_batch<MatmulAsync>(grid, of);
            matmul_async<side><<<grid, threads, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k);
            return LaunchShape{grid, dim3(threads), 0, address_of(matmul_async<side>)};
        });
    }
};

}  // namespace BACKEND
