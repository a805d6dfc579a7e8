// SPDX-License-Identifier: MIT
#pragma once
// C = A B, tile by tile through shared memory, one thread per element of C:
//   matmul_tiled          removes, from the naive kernel, all but one in `tile` of the loads from global memory: a
//                         block loads a square of A and one of B once and uses each element `tile` times
//   matmul_tiled_corner   removes, from small tiles, the short rows: every warp reads 32 consecutive elements of A and
//                         of B (128 bytes in f32), whatever the shape of the tile of C
// It continues in register_tile.cuh. A 16-tile does 4096 multiply-adds per 512 loads, a 32-tile 32768 per 2048.
//
// Any m, n and k: elements outside the matrices read as zero.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Grid ceil(n / tile) x ceil(m / tile), block tile x tile.
template <int tile, typename T>
__global__ void matmul_tiled(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
    __shared__ T a_tile[tile][tile], b_tile[tile][tile];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = size_t(blockIdx.y) * tile + y, column = size_t(blockIdx.x) * tile + x;
    T sum = 0;
    for (size_t step = 0; step < k; step += tile) {
        a_tile[y][x] = row < m && step + x < k ? a[row * k + step + x] : 0;
        b_tile[y][x] = step + y < k && column < n ? b[(step + y) * n + column] : 0;
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < tile; ++i) sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();  // both tiles have been read: the next ones may overwrite them
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

/// Tile of C 8 x 32, 32 steps along k at once. Grid ceil(n / 32) x ceil(m / 8), block 32 x 8: warp y loads row y of A's
/// tile and rows y, y + 8, ... of B's. All lanes of a warp read the same element of A's tile (a broadcast) and
/// neighbors of B's.
template <typename T>
__global__ void matmul_tiled_corner(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
    __shared__ T a_tile[8][32], b_tile[32][32];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = size_t(blockIdx.y) * 8 + y, column = size_t(blockIdx.x) * 32 + x;
    T sum = 0;
    for (size_t step = 0; step < k; step += 32) {
        a_tile[y][x] = row < m && step + x < k ? a[row * k + step + x] : 0;
#pragma unroll
        for (unsigned i = 0; i < 32; i += 8)
            b_tile[i + y][x] = step + i + y < k && column < n ? b[(step + i + y) * n + column] : 0;
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < 32; ++i) sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();  // both tiles have been read
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

template <typename T, int side>
struct MatmulTiled {
    using Element = T;
    static constexpr TileSize tile = {side, side, side};

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        return launch_each(arguments, side, side, [](const dim3& grid, const auto& of) {
            const dim3 block(side, side);
            matmul_tiled<side><<<grid, block, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k);
            return LaunchShape{grid, block, 0, address_of(matmul_tiled<side, T>)};
        });
    }
};

template <typename T>
struct MatmulTiledCorner {
    using Element = T;
    static constexpr TileSize tile = {8, 32, 32};

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        return launch_each(arguments, tile.m, tile.n, [](const dim3& grid, const auto& of) {
            const dim3 block(32, 8);
            matmul_tiled_corner<<<grid, block, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k);
            return LaunchShape{grid, block, 0, address_of(matmul_tiled_corner<T>)};
        });
    }
};

}  // namespace BACKEND
