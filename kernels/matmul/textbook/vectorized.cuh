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
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

constexpr int vectorized_tile = 128, vectorized_steps = 8, vectorized_block = 256;

/// One stage in shared memory. A's rows are padded by four elements, which spreads the transposed elements over the
/// banks.
struct VectorizedStage {
    float a[vectorized_steps][vectorized_tile + 4];
    float b[vectorized_steps][vectorized_tile];

    /// Each thread loads four elements of A, along k, and four of B, along n.
    __device__ void load(const MatrixView<const float>& matrix_a, const MatrixView<const float>& matrix_b, size_t row,
                         size_t column, size_t k, int thread) {
        const int a_row = thread / 2, a_step = thread % 2 * 4, b_step = thread / 32, b_column = thread % 32 * 4;
        const float4 along_k = matrix_a.load_four(row + a_row, k + a_step);
        a[a_step][a_row] = along_k.x;
        a[a_step + 1][a_row] = along_k.y;
        a[a_step + 2][a_row] = along_k.z;
        a[a_step + 3][a_row] = along_k.w;
        *reinterpret_cast<float4*>(&b[b_step][b_column]) = matrix_b.load_four(k + b_step, column + b_column);
    }
};

/// The warp tile of each of the two kernels, with 8 x 8 sums per lane; warps_n of them lie side by side in the block's
/// tile. In RowsOfThreads a warp is two rows of 16 threads.
struct RowsOfThreads : WarpTile<16, 128, 2> {
    static constexpr int warps_n = 1;
};
struct SquareOfThreads : WarpTile<64, 32, 8> {
    static constexpr int warps_n = 4;
};

template <typename Warp>
__device__ inline void multiply_tiles(const MatrixView<const float>& a, const MatrixView<const float>& b,
                                      const MatrixView<float>& c, size_t block_row) {
    __shared__ __align__(16) VectorizedStage stage;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const size_t row = block_row * vectorized_tile, column = static_cast<size_t>(blockIdx.x) * vectorized_tile;
    const int warp_row = warp / Warp::warps_n * Warp::warp_m, warp_column = warp % Warp::warps_n * Warp::warp_n;
    float sums[Warp::rows][Warp::columns] = {};
    for (size_t k = 0; k < a.columns; k += vectorized_steps) {
        stage.load(a, b, row, column, k, thread);
        __syncthreads();  // both tiles are loaded
#pragma unroll
        for (int i = 0; i < vectorized_steps; ++i)
            Warp::multiply(&stage.a[i][warp_row], &stage.b[i][warp_column], lane, sums);
        __syncthreads();  // both tiles have been read
    }
    Warp::store(c, row + warp_row, column + warp_column, lane, sums);
}

/// Grid ceil(n / 128) x ceil(m / 128), block 256.
template <typename Products>
__global__ void __launch_bounds__(vectorized_block)
    matmul_vectorized(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, Products products) {
    products.select(a.data, b.data, c.data);
    multiply_tiles<RowsOfThreads>(a, b, c, products.block_row());
}

/// Grid ceil(n / 128) x ceil(m / 128), block 256.
template <typename Products>
__global__ void __launch_bounds__(vectorized_block)
    matmul_warp_tile(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c, Products products) {
    products.select(a.data, b.data, c.data);
    multiply_tiles<SquareOfThreads>(a, b, c, products.block_row());
}

inline dim3 vectorized_grid(const MatmulArguments<float>& arguments) {
    return grid_of_tiles(divide_up(arguments.m, vectorized_tile), divide_up(arguments.n, vectorized_tile));
}

struct MatmulVectorized {
    using Element = float;
    static constexpr TileSize tile = {vectorized_tile, vectorized_tile, vectorized_steps};
    static constexpr bool takes_batch = true;

    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        const dim3 grid = vectorized_grid(arguments), block(vectorized_block);
        return launch_batch(arguments, grid, [&](const auto& some, const dim3& whole, auto products) {
            matmul_vectorized<<<whole, block, 0, some.stream>>>(a_of(some), b_of(some), c_of(some), products);
            return LaunchShape{whole, block, 0, address_of(matmul_vectorized<decltype(products)>)};
        });
    }
};

struct MatmulWarpTile {
    using Element = float;
    static constexpr TileSize tile = {vectorized_tile, vectorized_tile, vectorized_steps};
    static constexpr bool takes_batch = true;

    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        const dim3 grid = vectorized_grid(arguments), block(vectorized_block);
        return launch_batch(arguments, grid, [&](const auto& some, const dim3& whole, auto products) {
            matmul_warp_tile<<<whole, block, 0, some.stream>>>(a_of(some), b_of(some), c_of(some), products);
            return LaunchShape{whole, block, 0, address_of(matmul_warp_tile<decltype(products)>)};
        });
    }
};

}  // namespace BACKEND
