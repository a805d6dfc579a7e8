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
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Loads a tile whose corner is (row, column), with a block of block_columns x block_rows threads; the tile is as wide
/// as the block.
template <int rows, int block_columns, int block_rows, typename T, int row_elements, typename Layout>
__device__ inline void load_by_rows(T (&tile)[rows][row_elements], const MatrixView<const T, Layout>& matrix,
                                    size_t row, size_t column) {
    const unsigned x = threadIdx.x, y = threadIdx.y;
    if constexpr (Layout::transposed) {
        const int thread = static_cast<int>(y * block_columns + x);
        load_tile<rows, block_columns, block_columns * block_rows>(tile, matrix, row, column, thread);
    } else {
#pragma unroll
        for (int i = 0; i < rows; i += block_rows) tile[i + y][x] = matrix.load(row + i + y, column + x);
    }
}

/// Grid ceil(n / tile) x ceil(m / tile), block tile x tile.
template <typename T, int tile, typename A, typename B, typename Products>
__global__ void matmul_tiled(MatrixView<const T, A> a, MatrixView<const T, B> b, MatrixView<T> c, Products products) {
    __shared__ T a_tile[tile][tile + A::pad];
    __shared__ T b_tile[tile][tile + B::pad];
    products.select(a.data, b.data, c.data);
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = products.block_row() * tile + y, column = static_cast<size_t>(blockIdx.x) * tile + x;
    T sum = 0;
    for (size_t k = 0; k < a.columns; k += tile) {
        load_by_rows<tile, tile, tile>(a_tile, a, row - y, k);
        load_by_rows<tile, tile, tile>(b_tile, b, k, column - x);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < tile; ++i) sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();  // both tiles have been read: the next ones may overwrite them
    }
    c.store(row, column, sum);
}

constexpr int corner_rows = 8, corner_columns = 32, corner_steps = 32;

/// Tile of C 8 x 32, 32 steps along k at once. Grid ceil(n / 32) x ceil(m / 8), block 32 x 8: warp y loads row y of A's
/// tile and rows y, y + 8, ... of B's. All lanes of a warp read the same element of A's tile (a broadcast) and
/// neighbors of B's.
template <typename T, typename A, typename B, typename Products>
__global__ void matmul_tiled_corner(MatrixView<const T, A> a, MatrixView<const T, B> b, MatrixView<T> c,
                                    Products products) {
    constexpr int steps = corner_steps;
    __shared__ T a_tile[corner_rows][steps + A::pad];
    __shared__ T b_tile[steps][corner_columns + B::pad];
    products.select(a.data, b.data, c.data);
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = products.block_row() * corner_rows + y,
                 column = static_cast<size_t>(blockIdx.x) * corner_columns + x;
    T sum = 0;
    for (size_t k = 0; k < a.columns; k += steps) {
        load_by_rows<corner_rows, steps, corner_rows>(a_tile, a, row - y, k);
        load_by_rows<steps, corner_columns, corner_rows>(b_tile, b, k, column - x);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < steps; ++i) sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();  // both tiles have been read
    }
    c.store(row, column, sum);
}

template <typename T, int side>
struct MatmulTiled {
    using Element = T;
    static constexpr TileSize tile = {side, side, side};
    static constexpr bool takes_batch = true, takes_transposed = true;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 grid = grid_of_tiles(divide_up(arguments.m, side), divide_up(arguments.n, side)), block(side, side);
        return launch_in_any_layout(arguments, grid, [&](const auto& some, auto whole, auto a, auto b, auto products) {
            using A = decltype(a);
            using B = decltype(b);
            matmul_tiled<T, side, A, B>
                <<<whole, block, 0, some.stream>>>(a_of<A>(some), b_of<B>(some), c_of(some), products);
            return LaunchShape{whole, block, 0, address_of(matmul_tiled<T, side, A, B, decltype(products)>)};
        });
    }
};

template <typename T>
struct MatmulTiledCorner {
    using Element = T;
    static constexpr TileSize tile = {corner_rows, corner_columns, corner_steps};
    static constexpr bool takes_batch = true, takes_transposed = true;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 grid = grid_of_tiles(divide_up(arguments.m, corner_rows), divide_up(arguments.n, corner_columns));
        const dim3 block(corner_columns, corner_rows);
        return launch_in_any_layout(arguments, grid, [&](const auto& some, auto whole, auto a, auto b, auto products) {
            using A = decltype(a);
            using B = decltype(b);
            matmul_tiled_corner<T, A, B>
                <<<whole, block, 0, some.stream>>>(a_of<A>(some), b_of<B>(some), c_of(some), products);
            return LaunchShape{whole, block, 0, address_of(matmul_tiled_corner<T, A, B, decltype(products)>)};
        });
    }
};

}  // namespace BACKEND
