#pragma once
// C = A B, tile by tile through shared memory, a thread per element of C:
//   matmul_tiled          removes, from the naive kernel, all but one in `tile` of the loads from global memory: a
//                         block loads a square of A and one of B once and uses each element `tile` times
//   matmul_tiled_corner   removes, from small tiles, the short rows: the tile's loads are rearranged so that every warp
//                         reads 128 consecutive bytes of A and of B, whatever the shape of the tile of C
// It goes on in register_tile.cuh. A 16-tile does 8192 multiply-adds per 512 loads, a 32-tile 65536 per 2048.
//
// Any m, n and k: outside the matrices there are zeros.
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Grid ceil(n / tile) x ceil(m / tile), block tile x tile.
template <typename T, int tile>
__global__ void matmul_tiled(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
    __shared__ T a_tile[tile][tile];
    __shared__ T b_tile[tile][tile];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = block_row() * tile + y, column = static_cast<size_t>(blockIdx.x) * tile + x;
    T sum = 0;
    for (size_t k = 0; k < a.columns; k += tile) {
        a_tile[y][x] = a.load(row, k + x);
        b_tile[y][x] = b.load(k + y, column);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < tile; ++i) sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();  // both tiles have been used: the next ones may come
    }
    c.store(row, column, sum);
}

constexpr int corner_rows = 8, corner_columns = 32, corner_steps = 32;

/// Tile of C 8 x 32, 32 steps along k at once. Grid ceil(n / 32) x ceil(m / 8), block 32 x 8: warp y loads row y of A's
/// tile and rows y, y + 8, .. of B's. All lanes of a warp read the same element of A's tile (a broadcast) and
/// neighbours of B's.
template <typename T>
__global__ void matmul_tiled_corner(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
    constexpr int steps = corner_steps;
    __shared__ T a_tile[corner_rows][steps];
    __shared__ T b_tile[steps][corner_columns];
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const size_t row = block_row() * corner_rows + y, column = static_cast<size_t>(blockIdx.x) * corner_columns + x;
    T sum = 0;
    for (size_t k = 0; k < a.columns; k += steps) {
        a_tile[y][x] = a.load(row, k + x);
#pragma unroll
        for (int i = 0; i < steps; i += corner_rows) b_tile[i + y][x] = b.load(k + i + y, column);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < steps; ++i) sum += a_tile[y][i] * b_tile[i][x];
        __syncthreads();  // both tiles have been used
    }
    c.store(row, column, sum);
}

template <typename T, int side>
struct MatmulTiled {
    using Element = T;
    static constexpr TileSize tile = {side, side, side};

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 grid = grid_of_tiles(divide_up(arguments.m, side), divide_up(arguments.n, side)), block(side, side);
        matmul_tiled<T, side><<<grid, block, 0, arguments.stream>>>(a_of(arguments), b_of(arguments), c_of(arguments));
        return {grid, block, 0, address_of(matmul_tiled<T, side>)};
    }
};

template <typename T>
struct MatmulTiledCorner {
    using Element = T;
    static constexpr TileSize tile = {corner_rows, corner_columns, corner_steps};

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 grid = grid_of_tiles(divide_up(arguments.m, corner_rows), divide_up(arguments.n, corner_columns));
        const dim3 block(corner_columns, corner_rows);
        matmul_tiled_corner<T><<<grid, block, 0, arguments.stream>>>(a_of(arguments), b_of(arguments), c_of(arguments));
        return {grid, block, 0, address_of(matmul_tiled_corner<T>)};
    }
};

}  // namespace BACKEND
