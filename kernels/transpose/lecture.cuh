// SPDX-License-Identifier: MIT
#pragma once
// How the textbook's transpositions are launched.
#include "kernels/transpose/arguments.cuh"
#include "kernels/transpose/textbook.cuh"

namespace BACKEND {

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
