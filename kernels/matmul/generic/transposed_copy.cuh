// SPDX-License-Identifier: MIT
#pragma once
// Transposes matrices before or after the product, for kernels that take only one layout.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace BACKEND {

constexpr unsigned copy_rows = 8;  // of threads; 32 are in a row

/// target (columns x rows) = the transpose of source (rows x columns), for each matrix of a batch; product i's matrices
/// begin i * stride elements after the first's. A block moves tiles of side x side through shared memory; rows padded
/// to an odd number of words put the elements of a column into different banks. All loads of a tile are in flight
/// together. Tiles are numbered along the target's rows, so that neighboring blocks write neighboring lines. Any grid;
/// block 32 x 8.
template <typename T, unsigned side>
__global__ void __launch_bounds__(32 * copy_rows)
    transpose_matrices(const T* __restrict__ source, T* __restrict__ target, size_t rows, size_t columns, size_t batch,
                       size_t stride) {
    constexpr unsigned down_thread = side / copy_rows, across_thread = side / 32;  // elements of a thread
    constexpr unsigned padding = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
    __shared__ T tile[side][side + padding];
    const size_t down = divide_up(rows, side), across = divide_up(columns, side);
    for (size_t number = blockIdx.x; number < batch * down * across; number += gridDim.x) {
        const T* const from = source + number / (down * across) * stride;
        T* const to = target + number / (down * across) * stride;
        const size_t row = number % down * side, column = number / down % across * side;
        T held[down_thread][across_thread] = {};
#pragma unroll
        for (unsigned i = 0; i < down_thread; ++i)
#pragma unroll
            for (unsigned j = 0; j < across_thread; ++j) {
                const size_t y = row + threadIdx.y + i * copy_rows, x = column + threadIdx.x + j * 32;
                if (y < rows && x < columns) held[i][j] = from[y * columns + x];
            }
#pragma unroll
        for (unsigned i = 0; i < down_thread; ++i)
#pragma unroll
            for (unsigned j = 0; j < across_thread; ++j)
                tile[threadIdx.y + i * copy_rows][threadIdx.x + j * 32] = held[i][j];
        __syncthreads();  // the whole tile is loaded
#pragma unroll
        for (unsigned i = 0; i < down_thread; ++i)
#pragma unroll
            for (unsigned j = 0; j < across_thread; ++j) {
                const unsigned y = threadIdx.y + i * copy_rows, x = threadIdx.x + j * 32;
                if (column + y < columns && row + x < rows) to[(column + y) * rows + row + x] = tile[x][y];
            }
        __syncthreads();  // it has been read: the next one may overwrite it
    }
}

/// Enqueues it for elements of 1, 2, 4 or 8 bytes.
inline void enqueue_transposition(const void* source, void* target, size_t rows, size_t columns, size_t batch,
                                  size_t stride, size_t element_bytes, unsigned multiprocessors, cudaStream_t stream) {
    const size_t at_once = resident_blocks(32 * copy_rows, multiprocessors);
    const auto enqueue_tiles = [&](auto element, auto constant) {
        using T = decltype(element);
        constexpr unsigned side = decltype(constant)::value;
        const size_t tiles = batch * divide_up(rows, side) * divide_up(columns, side);
        if (tiles == 0) return;
        const dim3 grid(static_cast<unsigned>(tiles < at_once ? tiles : at_once)), block(32, copy_rows);
        transpose_matrices<T, side><<<grid, block, 0, stream>>>(static_cast<const T*>(source), static_cast<T*>(target),
                                                                rows, columns, batch, stride);
    };
    const auto enqueue = [&](auto element) {
        const bool small = rows <= 32 || columns <= 32;
        if (small) enqueue_tiles(element, std::integral_constant<unsigned, 32>());
        else enqueue_tiles(element, std::integral_constant<unsigned, 64>());
    };
    switch (element_bytes) {
        case 1: return enqueue(static_cast<unsigned char>(0));
        case 2: return enqueue(static_cast<unsigned short>(0));
        case 4: return enqueue(0U);
        default: return enqueue_tiles(0ULL, std::integral_constant<unsigned, 32>());
    }
}

}  // namespace BACKEND
