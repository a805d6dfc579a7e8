// SPDX-License-Identifier: MIT
#pragma once
// The lecture's transpositions of a row-major matrix. (NVIDIA: "An Efficient Matrix Transpose in CUDA C/C++", 2013.)
//   transpose_naive_read    a thread per element: warps read rows and write columns, a sector of 32 bytes for each
//   transpose_naive_write   removes the strided writes: warps read columns and write rows. Caches help with reads
//   transpose_tile<0>       removes the strided reads: through a tile in shared memory, warps read and write rows. But
//                           in the tile they read columns, and a column's words share one of the 32 banks
//   transpose_tile<1>       removes the bank conflicts: a word of padding per row puts them into different banks
//   transpose_swizzled      removes the padding: word c of row r lies where word c ^ r would
//
// The input has `height` rows of `width` elements, the output `width` rows of `height`. Any shape. A grid is at most
// 65535 blocks high, so loops or the z direction cover higher matrices.
#include "common/cuda/launch_shape.cuh"
#include "kernels/transpose/arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Block 32 x any; grid x ceil(width / 32), any grid y.
template <typename T>
__global__ void transpose_naive_read(const T* input, T* output, size_t width, size_t height) {
    const size_t x = size_t(blockIdx.x) * blockDim.x + threadIdx.x, y = size_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= width) return;
    for (size_t row = y; row < height; row += gridDim.y * blockDim.y) output[x * height + row] = input[row * width + x];
}

/// Block 32 x any; grid x ceil(height / 32), any grid y.
template <typename T>
__global__ void transpose_naive_write(const T* input, T* output, size_t width, size_t height) {
    const size_t x = size_t(blockIdx.x) * blockDim.x + threadIdx.x, y = size_t(blockIdx.y) * blockDim.y + threadIdx.y;
    if (x >= height) return;
    for (size_t row = y; row < width; row += gridDim.y * blockDim.y) output[row * height + x] = input[x * width + row];
}

/// Block 32 x 8: each thread moves four elements. Grid x ceil(width / 32), grid y times z ceil(height / 32).
template <unsigned padding, typename T>
__global__ void transpose_tile(const T* input, T* output, size_t width, size_t height) {
    __shared__ T tile[32][32 + padding];
    const size_t left = size_t(blockIdx.x) * 32, top = (size_t(blockIdx.z) * gridDim.y + blockIdx.y) * 32;
    size_t x = left + threadIdx.x, y = top + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) {
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * width + x];
    }
    __syncthreads();  // a thread stores elements that other threads loaded

    x = top + threadIdx.x, y = left + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) {
        if (x < height && y + j < width) output[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}

/// Block and grid as for transpose_tile.
template <typename T>
__global__ void transpose_swizzled(const T* input, T* output, size_t width, size_t height) {
    __shared__ T tile[32][32];
    const size_t left = size_t(blockIdx.x) * 32, top = (size_t(blockIdx.z) * gridDim.y + blockIdx.y) * 32;
    size_t x = left + threadIdx.x, y = top + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) {
        const unsigned row = threadIdx.y + j;
        if (x < width && y + j < height) tile[row][threadIdx.x ^ row] = input[(y + j) * width + x];
    }
    __syncthreads();  // a thread stores elements that other threads loaded

    x = top + threadIdx.x, y = left + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8) {
        const unsigned row = threadIdx.y + j;
        if (x < height && y + j < width) output[(y + j) * height + x] = tile[threadIdx.x][row ^ threadIdx.x];
    }
}

constexpr unsigned highest_grid = 65535;

/// Block size rounded up to whole warps, which work along `lines` lines of `length` words.
inline LaunchShape naive_shape(unsigned block_size, size_t length, size_t lines) {
    const dim3 block(lanes_per_warp, whole_warps(block_size) / lanes_per_warp);
    const unsigned rows = grid_for(lines, block.y);
    return {dim3(grid_for(length, block.x), rows < highest_grid ? rows : highest_grid), block, 0};
}

template <typename Word>
LaunchShape launch_transpose_naive_read(const TransposeArguments<Word>& arguments) {
    const auto [input, output, height, width, block_size, stream] = arguments;
    const LaunchShape shape = naive_shape(block_size, width, height);
    transpose_naive_read<<<shape.grid, shape.block, 0, stream>>>(input, output, width, height);
    return shape;
}

template <typename Word>
LaunchShape launch_transpose_naive_write(const TransposeArguments<Word>& arguments) {
    const auto [input, output, height, width, block_size, stream] = arguments;
    const LaunchShape shape = naive_shape(block_size, height, width);
    transpose_naive_write<<<shape.grid, shape.block, 0, stream>>>(input, output, width, height);
    return shape;
}

/// A block per tile of 32 x 32.
inline LaunchShape tile_shape(size_t width, size_t height) {
    const unsigned down = grid_for(height, 32), deep = grid_for(down, highest_grid);
    return {dim3(grid_for(width, 32), grid_for(down, deep), deep), dim3(32, 8), 0};
}

template <unsigned padding, typename Word>
LaunchShape launch_transpose_tile(const TransposeArguments<Word>& arguments) {
    const auto [input, output, height, width, block_size, stream] = arguments;
    const LaunchShape shape = tile_shape(width, height);
    transpose_tile<padding><<<shape.grid, shape.block, 0, stream>>>(input, output, width, height);
    return shape;
}

template <typename Word>
LaunchShape launch_transpose_swizzled(const TransposeArguments<Word>& arguments) {
    const auto [input, output, height, width, block_size, stream] = arguments;
    const LaunchShape shape = tile_shape(width, height);
    transpose_swizzled<<<shape.grid, shape.block, 0, stream>>>(input, output, width, height);
    return shape;
}

}  // namespace BACKEND
