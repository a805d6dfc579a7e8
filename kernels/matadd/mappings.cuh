// SPDX-License-Identifier: MIT
#pragma once
// C = A + B for matrices, one thread per element, in blocks of any shape:
//   matadd_column_major   threadIdx.x runs down a column: each lane of a warp is in a different row and sector
//   matadd_row_major      removes the strided accesses: threadIdx.x runs along a row, so neighboring lanes access
//                         neighboring words. If the block is narrower than a warp, a warp takes parts of several rows
// The ladder ends in common/cuda/streaming_sum.cuh, which ignores the shape: a matrix without gaps is a vector.
//
// Any shape of matrix, any block of up to 1024 threads. Neither input may overlap the output.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// All three matrices have rows x columns elements, row-major without gaps, and are aligned as T is, not more. block:
/// for the variants that take one; 1 to 1024 threads, z is 1.
template <typename T>
struct MataddArguments {
    const T* d_a = nullptr;
    const T* d_b = nullptr;
    T* d_c = nullptr;
    size_t rows = 0, columns = 0;
    dim3 block{32, 32};
    cudaStream_t stream = nullptr;
};

/// A thread's index along the grid's second extent, which continues in z if it needs more blocks than a grid may have
/// in y.
__device__ __forceinline__ size_t second_index() {
    return (static_cast<size_t>(blockIdx.z) * gridDim.y + blockIdx.y) * blockDim.y + threadIdx.y;
}

/// Grid: the columns in x, the rows in y and z.
template <typename T>
__global__ void matadd_row_major(const T* a, const T* b, T* c, size_t rows, size_t columns) {
    const size_t column = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x, row = second_index();
    if (row < rows && column < columns)
        c[row * columns + column] = a[row * columns + column] + b[row * columns + column];
}

/// Grid: the rows in x, the columns in y and z.
template <typename T>
__global__ void matadd_column_major(const T* a, const T* b, T* c, size_t rows, size_t columns) {
    const size_t row = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x, column = second_index();
    if (row < rows && column < columns)
        c[row * columns + column] = a[row * columns + column] + b[row * columns + column];
}

/// The grid that covers first x second elements: as few layers in z as possible, then as few blocks in y.
inline dim3 matadd_grid(size_t first, size_t second, dim3 block) {
    constexpr size_t most_blocks_in_y = 65535;
    const size_t blocks = grid_for(second, block.y);
    const size_t layers = divide_up(blocks, most_blocks_in_y);
    return {grid_for(first, block.x), static_cast<unsigned>(divide_up(blocks, layers)), static_cast<unsigned>(layers)};
}

/// first, second: the extents of the matrix along x and along y and z.
template <typename T>
LaunchShape launch_matadd(void (*kernel)(const T*, const T*, T*, size_t, size_t), size_t first, size_t second,
                          const MataddArguments<T>& of) {
    const dim3 grid = matadd_grid(first, second, of.block);
    kernel<<<grid, of.block, 0, of.stream>>>(of.d_a, of.d_b, of.d_c, of.rows, of.columns);
    return {grid, of.block, 0, address_of(kernel)};
}

template <typename T>
LaunchShape launch_matadd_row_major(const MataddArguments<T>& arguments) {
    return launch_matadd(matadd_row_major<T>, arguments.columns, arguments.rows, arguments);
}

template <typename T>
LaunchShape launch_matadd_column_major(const MataddArguments<T>& arguments) {
    return launch_matadd(matadd_column_major<T>, arguments.rows, arguments.columns, arguments);
}

}  // namespace BACKEND
