// SPDX-License-Identifier: MIT
#pragma once
// C = A B with several elements of C per thread, kept in registers:
//   matmul_register_1d   removes, from the tiled kernel, most loads of B from shared memory: a thread computes 8
//                        elements of one column, so one element of B serves 8 multiply-adds
//   matmul_register_2d   removes as many of A's: a thread computes 8 x 8, with 16 loads for 64 multiply-adds
// It continues in vectorized.cuh. Any m, n and k.
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

constexpr TileSize register_1d_tile = {64, 64, 8};
constexpr unsigned register_1d_block = 512;

/// Tile of C 64 x 64, 8 steps along k. Grid ceil(n / 64) x ceil(m / 64), block 512.
template <typename T, typename A, typename B, typename Products>
__global__ void __launch_bounds__(register_1d_block)
    matmul_register_1d(MatrixView<const T, A> a, MatrixView<const T, B> b, MatrixView<T> c, Products products) {
    constexpr int tile_m = register_1d_tile.m, tile_n = register_1d_tile.n, tile_k = register_1d_tile.k, rows = 8,
                  threads = register_1d_block;
    __shared__ T a_tile[tile_m][tile_k + A::pad];
    __shared__ T b_tile[tile_k][tile_n + B::pad];
    products.select(a.data, b.data, c.data);
    const int thread = static_cast<int>(threadIdx.x), x = thread % tile_n, y = thread / tile_n * rows;
    const size_t row = products.block_row() * tile_m, column = static_cast<size_t>(blockIdx.x) * tile_n;
    T sums[rows] = {};
    for (size_t k = 0; k < a.columns; k += tile_k) {
        load_tile<tile_m, tile_k, threads>(a_tile, a, row, k, thread);
        load_tile<tile_k, tile_n, threads>(b_tile, b, k, column, thread);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < tile_k; ++i) {
            const T right = b_tile[i][x];
#pragma unroll
            for (int r = 0; r < rows; ++r) sums[r] += a_tile[y + r][i] * right;
        }
        __syncthreads();  // both tiles have been read
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) c.store(row + y + r, column + x, sums[r]);
}

constexpr int register_2d_side = 8, register_2d_steps = 8;

/// Tile of C (8 threads_m) x (8 threads_n), 8 steps along k. A thread's rows and columns are threads_m and threads_n
/// apart, so that neighboring lanes read neighboring words. Block threads_m * threads_n, grid ceil(n / tile_n) x
/// ceil(m / tile_m).
template <typename T, int threads_m, int threads_n, typename A, typename B, typename Products>
__global__ void __launch_bounds__(threads_m* threads_n)
    matmul_register_2d(MatrixView<const T, A> a, MatrixView<const T, B> b, MatrixView<T> c, Products products) {
    constexpr int side = register_2d_side, tile_m = side * threads_m, tile_n = side * threads_n,
                  tile_k = register_2d_steps, threads = threads_m * threads_n;
    __shared__ T a_tile[tile_m][tile_k + A::pad];
    __shared__ T b_tile[tile_k][tile_n + B::pad];
    products.select(a.data, b.data, c.data);
    const int thread = static_cast<int>(threadIdx.x), x = thread % threads_n, y = thread / threads_n;
    const size_t row = products.block_row() * tile_m, column = static_cast<size_t>(blockIdx.x) * tile_n;
    T sums[side][side] = {};
    for (size_t k = 0; k < a.columns; k += tile_k) {
        load_tile<tile_m, tile_k, threads>(a_tile, a, row, k, thread);
        load_tile<tile_k, tile_n, threads>(b_tile, b, k, column, thread);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < tile_k; ++i) {
            T left[side], right[side];
#pragma unroll
            for (int r = 0; r < side; ++r) left[r] = a_tile[y + r * threads_m][i];
#pragma unroll
            for (int s = 0; s < side; ++s) right[s] = b_tile[i][x + s * threads_n];
#pragma unroll
            for (int r = 0; r < side; ++r)
#pragma unroll
                for (int s = 0; s < side; ++s) sums[r][s] += left[r] * right[s];
        }
        __syncthreads();  // both tiles have been read
    }
#pragma unroll
    for (int r = 0; r < side; ++r)
#pragma unroll
        for (int s = 0; s < side; ++s) c.store(row + y + r * threads_m, column + x + s * threads_n, sums[r][s]);
}

template <typename T>
struct MatmulRegister1d {
    using Element = T;
    static constexpr TileSize tile = register_1d_tile;
    static constexpr bool takes_batch = true, takes_transposed = true;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 grid = grid_of_tiles(divide_up(arguments.m, tile.m), divide_up(arguments.n, tile.n)),
                   block(register_1d_block);
        return launch_in_any_layout(arguments, grid, [&](const auto& some, auto whole, auto a, auto b, auto products) {
            using A = decltype(a);
            using B = decltype(b);
            matmul_register_1d<T, A, B>
                <<<whole, block, 0, some.stream>>>(a_of<A>(some), b_of<B>(some), c_of(some), products);
            return LaunchShape{whole, block, 0, address_of(matmul_register_1d<T, A, B, decltype(products)>)};
        });
    }
};

/// Tiles of 128 x 128; f64 needs twice the registers and takes 64 x 64.
template <typename T>
struct MatmulRegister2d {
    using Element = T;
    static constexpr int threads = sizeof(T) == 4 ? 16 : 8;  // along each side of the tile
    static constexpr TileSize tile = {register_2d_side * threads, register_2d_side* threads, register_2d_steps};
    static constexpr bool takes_batch = true, takes_transposed = true;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 grid = grid_of_tiles(divide_up(arguments.m, tile.m), divide_up(arguments.n, tile.n)),
                   block(threads * threads);
        return launch_in_any_layout(arguments, grid, [&](const auto& some, auto whole, auto a, auto b, auto products) {
            using A = decltype(a);
            using B = decltype(b);
            matmul_register_2d<T, threads, threads, A, B>
                <<<whole, block, 0, some.stream>>>(a_of<A>(some), b_of<B>(some), c_of(some), products);
            return LaunchShape{whole, block, 0,
                               address_of(matmul_register_2d<T, threads, threads, A, B, decltype(products)>)};
        });
    }
};

}  // namespace BACKEND
