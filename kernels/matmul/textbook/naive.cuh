// SPDX-License-Identifier: MIT
#pragma once
// C = A B, one thread per element of C: the beginning of the ladder.
//   matmul_uncoalesced   x is the row: neighboring lanes read rows of A k elements apart and write C n elements apart
//   matmul_naive         removes the strided accesses. x is the column: neighboring lanes read neighbors of B and
//                        write neighbors of C
// It continues in tiled.cuh. Both load two elements per multiply-add: 4 bytes per flop in f32. Each load has a line of
// its own, so that counters by line tell them apart.
//
// As in all files of this folder, A has m rows of k elements, B has k rows of n, C has m rows of n. Any m, n and k;
// block 32 x any.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/launch_tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Grid x ceil(m / 32), grid y times z ceil(n / blockDim.y).
template <typename T>
__global__ void matmul_uncoalesced(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
    const size_t row = size_t(blockIdx.x) * blockDim.x + threadIdx.x,
                 column = (size_t(blockIdx.z) * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    T sum = 0;
    for (size_t i = 0; i < k; ++i) {
        const T of_a = a[row * k + i];
        sum += of_a * b[i * n + column];
    }
    c[row * n + column] = sum;
}

/// Grid ceil(n / 32) x ceil(m / blockDim.y).
template <typename T>
__global__ void matmul_naive(const T* a, const T* b, T* c, size_t m, size_t n, size_t k) {
    const size_t row = size_t(blockIdx.y) * blockDim.y + threadIdx.y,
                 column = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    T sum = 0;
    for (size_t i = 0; i < k; ++i) {
        const T of_a = a[row * k + i];
        sum += of_a * b[i * n + column];
    }
    c[row * n + column] = sum;
}

inline dim3 naive_block(unsigned block_size) { return dim3(lanes_per_warp, whole_warps(block_size) / lanes_per_warp); }

template <typename T>
struct MatmulUncoalesced {
    using Element = T;
    static constexpr TileSize tile = {1, 1, 0};  // of a thread

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 block = naive_block(arguments.block_size);
        return launch_each(arguments, block.x, block.y, [&](const dim3&, const auto& of) {
            const dim3 grid = grid_of_tiles(divide_up(of.n, block.y), divide_up(of.m, block.x));
            matmul_uncoalesced<<<grid, block, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k);
            return LaunchShape{grid, block, 0, address_of(matmul_uncoalesced<T>)};
        });
    }
};

template <typename T>
struct MatmulNaive {
    using Element = T;
    static constexpr TileSize tile = {1, 1, 0};  // of a thread

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 block = naive_block(arguments.block_size);
        return launch_each(arguments, block.y, block.x, [&](const dim3& grid, const auto& of) {
            matmul_naive<<<grid, block, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.m, of.n, of.k);
            return LaunchShape{grid, block, 0, address_of(matmul_naive<T>)};
        });
    }
};

}  // namespace BACKEND
