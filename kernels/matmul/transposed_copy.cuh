#pragma once
// Transposes operands before the product, for kernels that take only one layout.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

constexpr unsigned copy_tile = 32, copy_rows = 8;

/// target (columns x rows) = the transpose of source (rows x columns), for each matrix of a batch; product i's matrices
/// begin i * stride elements after the first's. A block moves tiles of 32 x 32 through shared memory; the padded rows
/// put the elements of a column into different banks. Any grid; block 32 x 8.
template <typename T>
__global__ void __launch_bounds__(copy_tile* copy_rows)
    transpose_matrices(const T* __restrict__ source, T* __restrict__ target, size_t rows, size_t columns, size_t batch,
                       size_t stride) {
    __shared__ T tile[copy_tile][copy_tile + 1];
    const size_t down = divide_up(rows, copy_tile), across = divide_up(columns, copy_tile);
    const unsigned x = threadIdx.x, y = threadIdx.y;
    for (size_t number = blockIdx.x; number < batch * down * across; number += gridDim.x) {
        const T* const from = source + number / (down * across) * stride;
        T* const to = target + number / (down * across) * stride;
        const size_t row = number / across % down * copy_tile, column = number % across * copy_tile;
#pragma unroll
        for (unsigned i = 0; i < copy_tile; i += copy_rows)
            if (row + i + y < rows && column + x < columns) tile[i + y][x] = from[(row + i + y) * columns + column + x];
        __syncthreads();  // the whole tile is loaded
#pragma unroll
        for (unsigned i = 0; i < copy_tile; i += copy_rows)
            if (column + i + y < columns && row + x < rows) to[(column + i + y) * rows + row + x] = tile[x][i + y];
        __syncthreads();  // it has been read: the next one may overwrite it
    }
}

/// Enqueues it for elements of 1, 2, 4 or 8 bytes.
inline void enqueue_transposition(const void* source, void* target, size_t rows, size_t columns, size_t batch,
                                  size_t stride, size_t element_bytes, unsigned multiprocessors, cudaStream_t stream) {
    const size_t tiles = batch * divide_up(rows, copy_tile) * divide_up(columns, copy_tile);
    const size_t at_once = resident_blocks(copy_tile * copy_rows, multiprocessors);
    if (tiles == 0) return;
    const auto enqueue = [&](auto element) {
        using T = decltype(element);
        const dim3 grid(static_cast<unsigned>(tiles < at_once ? tiles : at_once)), block(copy_tile, copy_rows);
        transpose_matrices<T><<<grid, block, 0, stream>>>(static_cast<const T*>(source), static_cast<T*>(target), rows,
                                                          columns, batch, stride);
    };
    switch (element_bytes) {
        case 1: return enqueue(static_cast<unsigned char>(0));
        case 2: return enqueue(static_cast<unsigned short>(0));
        case 4: return enqueue(0U);
        default: return enqueue(0ULL);
    }
}

}  // namespace BACKEND
