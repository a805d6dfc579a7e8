// SPDX-License-Identifier: MIT
#pragma once
// C = A B in f32 with 16-byte accesses:
//   matmul_vectorized   removes, from the 2-D register tile, three quarters of the load instructions: tiles come from
//                       global memory four elements at a time; A's is transposed on its way into shared memory, so that
//                       the four rows a lane needs lie side by side there, too
//   matmul_warp_tile    removes most of a warp's bank conflicts and repeated loads: its 8 x 4 lanes cover a tile of
//                       64 x 32, which touches 96 different words of shared memory per step along k, not 144
// It continues in async.cuh. Any m, n and k; rows that are not all aligned to 16 bytes are read element by element.
// Tile of C 128 x 128, 8 steps along k; grid ceil(n / 128) x ceil(m / 128), block 256.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Four neighbors from a column that is a multiple of four, of a matrix of `height` rows of `width` elements. Beyond its
/// edges are zeros. One access of 16 bytes if all rows begin at multiples of 16 bytes.
__device__ inline float4 load_four(const float* matrix, size_t height, size_t width, size_t row, size_t column) {
    const float* from = matrix + row * width + column;
    if (row >= height || column >= width) return make_float4(0, 0, 0, 0);
    if (width % 4 == 0) return *reinterpret_cast<const float4*>(from);
    return make_float4(from[0], column + 1 < width ? from[1] : 0, column + 2 < width ? from[2] : 0,
                       column + 3 < width ? from[3] : 0);
}

// The sums of a thread lie in groups of 4 x 4, `down` rows and `across` columns apart.

/// sums += one step along k. a, b: the thread's first elements of a column of A and of a row of B, in shared memory.
template <int down, int across, int rows, int columns>
__device__ inline void add_step(float (&sums)[rows][columns], const float* a, const float* b) {
    float column_of_a[rows], row_of_b[columns];
#pragma unroll
    for (int r = 0; r < rows; r += 4)
        *reinterpret_cast<float4*>(column_of_a + r) = *reinterpret_cast<const float4*>(a + r / 4 * down);
#pragma unroll
    for (int s = 0; s < columns; s += 4)
        *reinterpret_cast<float4*>(row_of_b + s) = *reinterpret_cast<const float4*>(b + s / 4 * across);
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int s = 0; s < columns; ++s) sums[r][s] += column_of_a[r] * row_of_b[s];
}

/// (top, left): the thread's first element of C.
template <int down, int across, int rows, int columns>
__device__ inline void store_sums(const float (&sums)[rows][columns], float* c, size_t m, size_t n, size_t top,
                                  size_t left) {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int s = 0; s < columns; s += 4) {
            const size_t row = top + r / 4 * down + r % 4, column = left + s / 4 * across;
            float* to = c + row * n + column;
            if (row >= m || column >= n) continue;
            if (n % 4 == 0) {
                *reinterpret_cast<float4*>(to) =
                    make_float4(sums[r][s], sums[r][s + 1], sums[r][s + 2], sums[r][s + 3]);
            } else {
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    if (column + i < n) to[i] = sums[r][s + i];
            }
        }
}

/// The block's tile of C, by 256 threads with 8 x 8 sums each. (y, x): the thread's first element in it.
template <int down, int across>
__device__ inline void multiply_in_fours(const float* a, const float* b, float* c, size_t m, size_t n, size_t k,
                                         unsigned y, unsigned x) {
    // A's rows are padded by four elements, which spreads the transposed elements over the banks.
    __shared__ __align__(16) float a_tile[8][128 + 4], b_tile[8][128];
    const size_t top = size_t(blockIdx.y) * 128, left = size_t(blockIdx.x) * 128;
    // Each thread loads four elements of A, along k, and four of B, along n.
    const unsigned thread = threadIdx.x, a_row = thread / 2, a_step = thread % 2 * 4, b_step = thread / 32,
                   b_column = thread % 32 * 4;
    float sums[8][8] = {};
    for (size_t step = 0; step < k; step += 8) {
        const float4 of_a = load_four(a, m, k, top + a_row, step + a_step);
        a_tile[a_step][a_row] = of_a.x;
        a_tile[a_step + 1][a_row] = of_a.y;
        a_tile[a_step + 2][a_row] = of_a.z;
        a_tile[a_step + 3][a_row] = of_a.w;
        *reinterpret_cast<float4*>(&b_tile[b_step][b_column]) = load_four(b, k, n, step + b_step, left + b_column);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < 8; ++i) add_step<down, across>(sums, &a_tile[i][y], &b_tile[i][x]);
        __syncthreads();  // both tiles have been read
    }
    store_sums<down, across>(sums, c, m, n, top + y, left + x);
}

/// 16 x 16 threads in rows; a warp is two of them.
__device__ inline void multiply_vectorized(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    const unsigned y = threadIdx.x / 16 * 4, x = threadIdx.x % 16 * 4;
    multiply_in_fours<64, 64>(a, b, c, m, n, k, y, x);
}
__global__ void __launch_bounds__(256)
    matmul_vectorized(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    multiply_vectorized(a, b, c, m, n, k);
}

/// 2 x 4 warps of 8 x 4 lanes.
__device__ inline void multiply_warp_tile(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned y = warp / 4 * 64 + lane / 4 * 4, x = warp % 4 * 32 + lane % 4 * 4;
    multiply_in_fours<32, 16>(a, b, c, m, n, k, y, x);
}
__global__ void __launch_bounds__(256)
    matmul_warp_tile(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
    multiply_warp_tile(a, b, c, m, n, k);
}

struct MatmulVectorized {
    using Element = float;
    static constexpr int threads = 256, resident = 2;
    static constexpr TileSize tile = {128, 128, 8};

    __device__ static void multiply(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
        multiply_vectorized(a, b, c, m, n, k);
    }
    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        return launch_tiles(arguments, tile.m, tile.n, [](const dim3& grid, const auto& of) {
            if (of.batch > 1) return launch_batch<MatmulVectorized>(grid, of);
            matmul_vectorized<<<grid, threads, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k);
            return LaunchShape{grid, dim3(threads), 0, address_of(matmul_vectorized)};
        });
    }
};

struct MatmulWarpTile {
    using Element = float;
    static constexpr int threads = 256, resident = 2;
    static constexpr TileSize tile = {128, 128, 8};

    __device__ static void multiply(const float* a, const float* b, float* c, size_t m, size_t n, size_t k) {
        multiply_warp_tile(a, b, c, m, n, k);
    }
    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        return launch_tiles(arguments, tile.m, tile.n, [](const dim3& grid, const auto& of) {
            if (of.batch > 1) return launch_batch<MatmulWarpTile>(grid, of);
            matmul_warp_tile<<<grid, threads, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k);
            return LaunchShape{grid, dim3(threads), 0, address_of(matmul_warp_tile)};
        });
    }
};

}  // namespace BACKEND
