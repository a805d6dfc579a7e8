// SPDX-License-Identifier: MIT
#pragma once
// A tile of 32 x 32 words goes through shared memory, so that warps both read and write rows of 32 words in global
// memory. What remains is the tile's layout in shared memory, which has 32 banks of 4 bytes:
//   PlainLayout      row after row: the words of a column share a bank, so a warp reads them one after another
//   PaddedLayout     removes the bank conflicts: a word of padding per row puts a column's words into different banks
//   SwizzledLayout   removes the padding: word c of row r lies where word c ^ r would
//
// Any shape, any alignment. (NVIDIA: "An Efficient Matrix Transpose in CUDA C/C++", 2013, has the first two.)
#include "kernels/transpose/arguments.cuh"

namespace BACKEND {

constexpr unsigned tile_block_rows = 8;  // a block has 32 x 8 threads, for 32 columns of a tile

struct PlainLayout {
    template <unsigned side>
    static constexpr unsigned words = side* side;
    template <unsigned side>
    __device__ static unsigned place(unsigned row, unsigned column) {
        return row * side + column;
    }
};

struct PaddedLayout {
    template <unsigned side>
    static constexpr unsigned words = side*(side + 1);
    template <unsigned side>
    __device__ static unsigned place(unsigned row, unsigned column) {
        return row * (side + 1) + column;
    }
};

struct SwizzledLayout {
    template <unsigned side>
    static constexpr unsigned words = side* side;
    template <unsigned side>
    __device__ static unsigned place(unsigned row, unsigned column) {
        return row * side + (column ^ row);
    }
};

/// Copies the tile of the matrix at `place` to shared memory. A thread has side / 32 columns and every eighth row; all
/// its loads are in flight before it stores the first word.
template <typename Layout, unsigned side, typename Word>
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
            tile[Layout::template place<side>(row, column)] = held[i][j];
        }
    }
}

/// Stores the tile that load_tile() read at `place` to its place in the transpose.
template <typename Layout, unsigned side, typename Word>
__device__ void store_tile_transposed(const Word* tile, const WordMatrix<Word>& output, const TilePlace& place) {
#pragma unroll
    for (unsigned i = 0; i < side / tile_block_rows; ++i) {
#pragma unroll
        for (unsigned j = 0; j < side / lanes_per_warp; ++j) {
            const unsigned row = threadIdx.y + i * tile_block_rows, column = threadIdx.x + j * lanes_per_warp;
            const size_t output_row = place.column * side + row, output_column = place.row * side + column;
            if (output.holds(output_row, output_column))
                output.at(output_row, output_column) = tile[Layout::template place<side>(column, row)];
        }
    }
}

/// Grid grid.tiles(), block 32 x 8.
template <typename Layout, unsigned side, typename Word>
__global__ void __launch_bounds__(lanes_per_warp* tile_block_rows)
    transpose_tile(WordMatrix<const Word> input, WordMatrix<Word> output, TileGrid grid) {
    __shared__ Word tile[Layout::template words<side>];
    const TilePlace place = grid.place(blockIdx.x);
    load_tile<Layout, side>(tile, input, place);
    __syncthreads();  // a thread stores words that other threads loaded
    store_tile_transposed<Layout, side>(tile, output, place);
}

template <typename Layout, unsigned side = 32, typename Word>
LaunchShape launch_transpose_tile(const TransposeArguments<Word>& arguments,
                                  TileOrder order = TileOrder::along_input_rows) {
    const TileGrid grid(arguments.rows, arguments.columns, side, side, order);
    if (grid.tiles() == 0) return {};
    const dim3 block(lanes_per_warp, tile_block_rows);
    transpose_tile<Layout, side>
        <<<grid.tiles(), block, 0, arguments.stream>>>(input_of(arguments), output_of(arguments), grid);
    return {dim3(grid.tiles()), block, 0};
}

}  // namespace BACKEND
