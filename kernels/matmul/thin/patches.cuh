// SPDX-License-Identifier: MIT
#pragma once
// C = A B where a launch, its instructions and a few round trips to memory are most of the time, without tensor cores:
//   matmul_patches   removes, from the tiled kernels, shared memory and barriers: each lane computes a patch of C, and
//                    loads its elements of A and B straight from global memory. Lanes share them through the L1 cache
//                    alone. The code is short: with cold caches, a short kernel also waits for its instructions
// Any m, n and k: for few steps along k, since every lane loads its elements again.
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// A lane's rows, four apart, and its columns, eight apart: a warp's loads of a row of B, and its stores, are 32 bytes
/// or more in one piece. `steps`: those along k whose loads are in flight.
template <typename T>
struct PatchShape {
    static constexpr int rows = 4, columns = 8, lanes_m = 4, lanes_n = 8, warps_m = 2, warps_n = 2;
    static constexpr unsigned steps = sizeof(T) == 8 ? 1 : 4, tile_m = warps_m * lanes_m * rows,
                              tile_n = warps_n * lanes_n * columns, threads = warps_m * warps_n * lanes_per_warp;
    static constexpr size_t resident = sizeof(T) == 8 ? 5 : 4;  // blocks per multiprocessor
};

/// Grid: grid_of_tiles(); block 128.
template <typename T>
__global__ void __launch_bounds__(PatchShape<T>::threads) matmul_patches(const T* a, const T* b, T* c, SmallPlan plan) {
    using Shape = PatchShape<T>;
    using Sum = SumOf<T>;
    constexpr int rows = Shape::rows, columns = Shape::columns, in_flight = Shape::steps;
    const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
    const size_t row =
        row_of_tiles() * Shape::tile_m + warp / Shape::warps_n * (Shape::lanes_m * rows) + lane / Shape::lanes_n;
    const unsigned column =
        blockIdx.x * Shape::tile_n + warp % Shape::warps_n * (Shape::lanes_n * columns) + lane % Shape::lanes_n;
    if (row >= plan.m || column >= plan.n) return;
    // A row or column that does not exist is computed from the lane's first one, and not stored.
    const T* of_rows[rows];
    unsigned of_columns[columns];
#pragma unroll
    for (int i = 0; i < rows; ++i)
        of_rows[i] = a + (row + i * Shape::lanes_m < plan.m ? row + i * Shape::lanes_m : row) * plan.k;
#pragma unroll
    for (int j = 0; j < columns; ++j)
        of_columns[j] = column + j * Shape::lanes_n < plan.n ? column + j * Shape::lanes_n : column;
    Sum sums[rows][columns] = {};
#pragma unroll 1
    for (unsigned first = 0; first < plan.k; first += in_flight) {
        T left[in_flight][rows], right[in_flight][columns];
#pragma unroll
        for (int s = 0; s < in_flight; ++s) {
            const unsigned k = first + s < plan.k ? first + s : first;
#pragma unroll
            for (int i = 0; i < rows; ++i) left[s][i] = of_rows[i][k];
#pragma unroll
            for (int j = 0; j < columns; ++j) right[s][j] = b[size_t{k} * plan.n + of_columns[j]];
        }
#pragma unroll
        for (int s = 0; s < in_flight; ++s)
            if (first + s < plan.k) {
#pragma unroll
                for (int i = 0; i < rows; ++i)
#pragma unroll
                    for (int j = 0; j < columns; ++j)
                        sums[i][j] += static_cast<Sum>(left[s][i]) * static_cast<Sum>(right[s][j]);
            }
    }
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        if (row + i * Shape::lanes_m >= plan.m) break;
        T* const target = c + (row + i * Shape::lanes_m) * plan.n + column;
#pragma unroll
        for (int j = 0; j < columns; ++j)
            if (column + j * Shape::lanes_n < plan.n) target[j * Shape::lanes_n] = static_cast<T>(sums[i][j]);
    }
}

template <typename T>
struct Patches {
    using Shape = PatchShape<T>;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const SmallPlan& plan) {
        const dim3 grid = grid_of_tiles(divide_up(plan.m, Shape::tile_m), divide_up(plan.n, Shape::tile_n)),
                   block(Shape::threads);
        const auto kernel = matmul_patches<T>;
        kernel<<<grid, block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, plan);
        return {grid, block, 0, address_of(kernel)};
    }
};

}  // namespace BACKEND
