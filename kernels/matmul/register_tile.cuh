#pragma once
// C = A B with several elements of C to a thread, kept in registers:
//   matmul_register_1d   removes, from the tiled kernel, most loads of B from shared memory: a thread computes 8
//   elements below
//                        each other, so one element of B serves 8 multiply-adds
//   matmul_register_2d   removes as many of A's: a square of 8 x 8, 16 loads for 64 multiply-adds
// It goes on in vectorized.cuh. Any m, n and k.
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Loads a tile of rows x columns whose corner is (row, column), by all `threads` threads of the block.
template <typename T, int rows, int columns, int threads>
__device__ inline void load_tile(T (&tile)[rows][columns], const MatrixView<const T>& matrix, size_t row, size_t column,
                                 int thread) {
    static_assert(rows * columns % threads == 0, "every thread loads as many elements");
#pragma unroll
    for (int i = 0; i < rows * columns; i += threads) {
        const int y = (i + thread) / columns, x = (i + thread) % columns;
        tile[y][x] = matrix.load(row + y, column + x);
    }
}

/// Tile of C 64 x 64, 8 steps along k. Grid ceil(n / 64) x ceil(m / 64), block 512.
template <typename T>
__global__ void __launch_bounds__(512)
    matmul_register_1d(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
    constexpr int tile_m = 64, tile_n = 64, tile_k = 8, rows = 8, threads = 512;
    __shared__ T a_tile[tile_m][tile_k];
    __shared__ T b_tile[tile_k][tile_n];
    const int thread = static_cast<int>(threadIdx.x), x = thread % tile_n, y = thread / tile_n * rows;
    const size_t row = block_row() * tile_m, column = static_cast<size_t>(blockIdx.x) * tile_n;
    T sums[rows] = {};
    for (size_t k = 0; k < a.columns; k += tile_k) {
        load_tile<T, tile_m, tile_k, threads>(a_tile, a, row, k, thread);
        load_tile<T, tile_k, tile_n, threads>(b_tile, b, k, column, thread);
        __syncthreads(); // both tiles are loaded
#pragma unroll
        for (int i = 0; i < tile_k; ++i) {
            const T right = b_tile[i][x];
#pragma unroll
            for (int r = 0; r < rows; ++r) sums[r] += a_tile[y + r][i] * right;
        }
        __syncthreads(); // both tiles have been used
    }
#pragma unroll
    for (int r = 0; r < rows; ++r) c.store(row + y + r, column + x, sums[r]);
}

/// Tile of C (8 threads_m) x (8 threads_n), 8 steps along k. A thread's rows and columns are threads_m and threads_n
/// apart, so that neighbouring lanes read neighbouring words. Block threads_m * threads_n, grid ceil(n / tile_n) x
/// ceil(m / tile_m).
template <typename T, int threads_m, int threads_n>
__global__ void __launch_bounds__(threads_m* threads_n)
    matmul_register_2d(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c) {
    constexpr int side = 8, tile_m = side * threads_m, tile_n = side * threads_n, tile_k = 8,
                  threads = threads_m * threads_n;
    __shared__ T a_tile[tile_m][tile_k];
    __shared__ T b_tile[tile_k][tile_n];
    const int thread = static_cast<int>(threadIdx.x), x = thread % threads_n, y = thread / threads_n;
    const size_t row = block_row() * tile_m, column = static_cast<size_t>(blockIdx.x) * tile_n;
    T sums[side][side] = {};
    for (size_t k = 0; k < a.columns; k += tile_k) {
        load_tile<T, tile_m, tile_k, threads>(a_tile, a, row, k, thread);
        load_tile<T, tile_k, tile_n, threads>(b_tile, b, k, column, thread);
        __syncthreads(); // both tiles are loaded
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
        __syncthreads(); // both tiles have been used
    }
#pragma unroll
    for (int r = 0; r < side; ++r)
#pragma unroll
        for (int s = 0; s < side; ++s) c.store(row + y + r * threads_m, column + x + s * threads_n, sums[r][s]);
}

template <typename T> LaunchShape launch_matmul_register_1d(const MatmulArguments<T>& arguments) {
    const dim3 grid = grid_of_tiles(divide_up(arguments.m, 64), divide_up(arguments.n, 64)), block(512);
    matmul_register_1d<T><<<grid, block, 0, arguments.stream>>>(a_of(arguments), b_of(arguments), c_of(arguments));
    return {grid, block, 0, address_of(matmul_register_1d<T>)};
}

/// Tiles of 128 x 128; f64 needs twice the registers and takes 64 x 64.
template <typename T> LaunchShape launch_matmul_register_2d(const MatmulArguments<T>& arguments) {
    constexpr int side = sizeof(T) == 4 ? 16 : 8, tile = 8 * side;
    const dim3 grid = grid_of_tiles(divide_up(arguments.m, tile), divide_up(arguments.n, tile)), block(side * side);
    matmul_register_2d<T, side, side>
        <<<grid, block, 0, arguments.stream>>>(a_of(arguments), b_of(arguments), c_of(arguments));
    return {grid, block, 0, address_of(matmul_register_2d<T, side, side>)};
}

} // namespace BACKEND
