// SPDX-License-Identifier: MIT
#pragma once
//   transpose_tiles   the textbook's swizzled tile with any side, along the rows of the output; any shape and alignment
#include "kernels/transpose/arguments.cuh"

namespace BACKEND {

constexpr unsigned tile_block_rows = 8;  // a block has 32 x 8 threads, for 32 columns of a tile

/// The place of a word in a tile.
template <unsigned side>
__device__ unsigned swizzled(unsigned row, unsigned column) {
    return row * side + (column ^ row);
}

/// Copies the tile of the matrix at `place` to shared memory. A thread has side / 32 columns and every eighth row; all
/// its loads are in flight before it stores the first word.
template <unsigned side, typename Word>
__device__ void load_tile(Word* tile, const WordMatrix<const Word>& input, const TilePlace& place) {
    constexpr unsigned rows = side / tile_block_rows, columns = side / lanes_per_warp;
    Word held[rows][columns] = {};
#pragma unroll
    for (unsigned i = 0; i < rows; ++i) {
#pragma unroll
        for (unsigned j = 0; j < columns; ++j) {
            const size_t row = place.row * side + threadIdx.y + i * tile_block_rows,
                         column = place.column * side + threadIdx.x + j * lanes_per_warp;
            if (input.holds(row, column)) held[i][j] = input.at(row, column);
        }
    }
#pragma unroll
    for (unsigned i = 0; i < rows; ++i) {
#pragma unroll
        for (unsigned j = 0; j < columns; ++j) {
            const unsigned row = threadIdx.y + i * tile_block_rows, column = threadIdx.x + j * lanes_per_warp;
            tile[swizzled<side>(row, column)] = held[i][j];
        }
    }
}

/// Stores the tile that load_tile() read at `place` to its place in the transpose.
template <unsigned side, typename Word>
__device__ void store_tile_transposed(const Word* tile, const WordMatrix<Word>& output, const TilePlace& place) {
#pragma unroll
    for (unsigned i = 0; i < side / tile_block_rows; ++i) {
#pragma unroll
        for (unsigned j = 0; j < side / lanes_per_warp; ++j) {
            const unsigned row = threadIdx.y + i * tile_block_rows, column = threadIdx.x + j * lanes_per_warp;
            const size_t output_row = place.column * side + row, output_column = place.row * side + column;
            if (output.holds(output_row, output_column))
                output.at(output_row, output_column) = tile[swizzled<side>(column, row)];
        }
    }
}

/// Grid grid.tiles(), block 32 x 8.
template <unsigned side, typename Word>
__global__ void __launch_bounds__(lanes_per_warp* tile_block_rows)
    transpose_tiles(WordMatrix<const Word> input, WordMatrix<Word> output, TileGrid grid) {
    __shared__ Word tile[side * side];
    const TilePlace place = grid.place(blockIdx.x);
    load_tile<side>(tile, input, place);
    __syncthreads();  // a thread stores words that other threads loaded
    store_tile_transposed<side>(tile, output, place);
}

template <unsigned side, typename Word>
LaunchShape launch_transpose_tiles(const TransposeArguments<Word>& arguments) {
    const TileGrid grid(arguments.rows, arguments.columns, side, side, TileOrder::along_output_rows);
    if (grid.tiles() == 0) return {};
    const dim3 block(lanes_per_warp, tile_block_rows);
    transpose_tiles<side>
        <<<grid.tiles(), block, 0, arguments.stream>>>(input_of(arguments), output_of(arguments), grid);
    return {dim3(grid.tiles()), block, 0};
}

}  // namespace BACKEND
