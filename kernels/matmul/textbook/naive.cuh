// SPDX-License-Identifier: MIT
#pragma once
// C = A B, one thread per element of C: the beginning of the ladder.
//   matmul_uncoalesced   x is the row: neighboring lanes read rows of A k elements apart and write C n elements apart
//   matmul_naive         removes the strided accesses. x is the column: neighboring lanes read neighbors of B and
//                        write neighbors of C
// It continues in tiled.cuh. Both load two elements per multiply-add: 4 bytes per flop in f32.
//
// Any m, n and k; block 32 x (block_size / 32).
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/tiles.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

template <typename A, typename B, typename T>
__device__ inline T dot_row_column(const T* a, const T* b, size_t row, size_t column, size_t m, size_t n, size_t k) {
    T sum = 0;
    for (size_t i = 0; i < k; ++i) sum += a[A::index(row, i, m, k)] * b[B::index(i, column, k, n)];
    return sum;
}

/// Grid ceil(m / 32) x ceil(n / blockDim.y).
template <typename T, typename A, typename B, typename Products>
__global__ void matmul_uncoalesced(const T* a, const T* b, T* c, size_t m, size_t n, size_t k, Products products) {
    products.select(a, b, c);
    const size_t row = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t column = products.block_row() * blockDim.y + threadIdx.y;
    if (row < m && column < n) c[row * n + column] = dot_row_column<A, B>(a, b, row, column, m, n, k);
}

/// Grid ceil(n / 32) x ceil(m / blockDim.y).
template <typename T, typename A, typename B, typename Products>
__global__ void matmul_naive(const T* a, const T* b, T* c, size_t m, size_t n, size_t k, Products products) {
    products.select(a, b, c);
    const size_t row = products.block_row() * blockDim.y + threadIdx.y;
    const size_t column = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (row < m && column < n) c[row * n + column] = dot_row_column<A, B>(a, b, row, column, m, n, k);
}

inline dim3 naive_block(unsigned block_size) { return dim3(lanes_per_warp, whole_warps(block_size) / lanes_per_warp); }

template <typename T>
struct MatmulUncoalesced {
    using Element = T;
    static constexpr TileSize tile = {1, 1, 0};  // of a thread
    static constexpr bool takes_batch = true, takes_transposed = true;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 block = naive_block(arguments.block_size);
        const dim3 grid = grid_of_tiles(divide_up(arguments.n, block.y), divide_up(arguments.m, block.x));
        return launch_in_any_layout(arguments, grid, [&](const auto& some, auto whole, auto a, auto b, auto products) {
            using A = decltype(a);
            using B = decltype(b);
            matmul_uncoalesced<T, A, B>
                <<<whole, block, 0, some.stream>>>(some.d_a, some.d_b, some.d_c, some.m, some.n, some.k, products);
            return LaunchShape{whole, block, 0, address_of(matmul_uncoalesced<T, A, B, decltype(products)>)};
        });
    }
};

template <typename T>
struct MatmulNaive {
    using Element = T;
    static constexpr TileSize tile = {1, 1, 0};  // of a thread
    static constexpr bool takes_batch = true, takes_transposed = true;

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        const dim3 block = naive_block(arguments.block_size);
        const dim3 grid = grid_of_tiles(divide_up(arguments.m, block.y), divide_up(arguments.n, block.x));
        return launch_in_any_layout(arguments, grid, [&](const auto& some, auto whole, auto a, auto b, auto products) {
            using A = decltype(a);
            using B = decltype(b);
            matmul_naive<T, A, B>
                <<<whole, block, 0, some.stream>>>(some.d_a, some.d_b, some.d_c, some.m, some.n, some.k, products);
            return LaunchShape{whole, block, 0, address_of(matmul_naive<T, A, B, decltype(products)>)};
        });
    }
};

}  // namespace BACKEND
