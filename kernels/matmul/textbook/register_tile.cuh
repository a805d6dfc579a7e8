// SPDX-License-Identifier: MIT
#pragma once
// C = A B with several elements of C per thread, kept in registers:
//   matmul_register_1d   removes, from the tiled kernel, most loads of B from shared memory: a thread computes 8
//                        elements of one column, so one element of B serves 8 multiply-adds
//   matmul_register_2d   removes as many of A's: a thread computes 8 x 8, with 16 loads for 64 multiply-adds
// It continues in vectorized.cuh. Any m, n and k.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// All `threads` of a block load a tile whose corner is (top, left) of a matrix of `height` rows of `width` elements;
/// beyond its edges are zeros. Neighboring lanes read neighbors.
template <int threads, int rows, int columns, typename T>
__device__ inline void load_tile(T (&tile)[rows][columns], const T* matrix, size_t height, size_t width, size_t top,
                                 size_t left) {
    static_assert(rows * columns % threads == 0, "every thread loads as many elements");
#pragma unroll
    for (unsigned first = 0; first < rows * columns; first += threads) {
        const unsigned number = first + threadIdx.x, y = number / columns, x = number % columns;
        tile[y][x] = top + y < height && left + x < width ? matrix[(top + y) * width + left + x] : T(0);
    }
}

/// Tile of C 64 x 64, 8 steps along k. Grid ceil(n / 64) x ceil(m / 64), block 512.
template <typename T>
__global__ void __launch_bounds__(512) matmul_register_1d(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
    __shared__ T a_tile[64][8], b_tile[8][64];
    const unsigned x = threadIdx.x % 64, y = threadIdx.x / 64 * 8;
    const size_t top = size_t(blockIdx.y) * 64, left = size_t(blockIdx.x) * 64;
    T sums[8] = {};
    for (size_t step = 0; step < k; step += 8) {
        load_tile<512>(a_tile, a, m, k, top, step);
        load_tile<512>(b_tile, b, k, n, step, left);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const T right = b_tile[i][x];
#pragma unroll
            for (int r = 0; r < 8; ++r) sums[r] += a_tile[y + r][i] * right;
        }
        __syncthreads();  // both tiles have been read
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
        if (top + y + r < m && left + x < n) c[(top + y + r) * n + left + x] = sums[r];
}

/// The block's tile of C, of 8 side x 8 side elements. A thread's rows and columns are `side` apart, so that neighboring
/// lanes read neighboring words.
template <int side, typename T>
__device__ inline void multiply_register_2d(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
    constexpr int tile = 8 * side, threads = side * side;
    __shared__ T a_tile[tile][8], b_tile[8][tile];
    const unsigned x = threadIdx.x % side, y = threadIdx.x / side;
    const size_t top = size_t(blockIdx.y) * tile, left = size_t(blockIdx.x) * tile;
    T sums[8][8] = {};
    for (size_t step = 0; step < k; step += 8) {
        load_tile<threads>(a_tile, a, m, k, top, step);
        load_tile<threads>(b_tile, b, k, n, step, left);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            T column_of_a[8], row_of_b[8];
#pragma unroll
            for (int r = 0; r < 8; ++r) column_of_a[r] = a_tile[y + r * side][i];
#pragma unroll
            for (int s = 0; s < 8; ++s) row_of_b[s] = b_tile[i][x + s * side];
#pragma unroll
            for (int r = 0; r < 8; ++r)
#pragma unroll
                for (int s = 0; s < 8; ++s) sums[r][s] += column_of_a[r] * row_of_b[s];
        }
        __syncthreads();  // both tiles have been read
    }
#pragma unroll
    for (int r = 0; r < 8; ++r)
#pragma unroll
        for (int s = 0; s < 8; ++s) {
            const size_t row = top + y + r * side, column = left + x + s * side;
            if (row < m && column < n) c[row * n + column] = sums[r][s];
        }
}

/// Tile of C (8 side) x (8 side), 8 steps along k. Grid ceil(n / (8 side)) x ceil(m / (8 side)), block side * side.
template <int side, typename T>
__global__ void __launch_bounds__(side* side)
    matmul_register_2d(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
    multiply_register_2d<side>(a, b, c, m, n, k);
}

template <typename T>
struct MatmulRegister1d {
    using Element = T;
    static constexpr TileSize tile = {64, 64, 8};

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        return launch_each(arguments, tile.m, tile.n, [](const dim3& grid, const auto& of) {
            matmul_register_1d<<<grid, 512, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k);
            return LaunchShape{grid, dim3(512), 0, address_of(matmul_register_1d<T>)};
        });
    }
};

/// Tiles of 128 x 128; f64 needs twice the registers and takes 64 x 64.
template <typename T>
struct MatmulRegister2d {
    using Element = T;
    static constexpr int side = sizeof(T) == 4 ? 16 : 8, threads = side * side, resident = 1;
    static constexpr TileSize tile = {8 * side, 8 * side, 8};

    __device__ static void multiply(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
        multiply_register_2d<side>(a, b, c, m, n, k);
    }
    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        return launch_tiles(arguments, tile.m, tile.n, [](const dim3& grid, const auto& of) {
            if (of.batch > 1) return launch_batch<MatmulRegister2d>(grid, of);
            matmul_register_2d<side><<<grid, threads, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k);
            return LaunchShape{grid, dim3(threads), 0, address_of(matmul_register_2d<side, T>)};
        });
    }
};

}  // namespace BACKEND
