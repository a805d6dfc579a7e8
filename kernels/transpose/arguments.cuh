// SPDX-License-Identifier: MIT
#pragma once
// The arguments of every transposition, and the order in which blocks work on the tiles of a matrix. The ladder:
//   copy.cuh       the bound
//   textbook.cuh   the lecture's: from a thread per element to a tile in shared memory
//   vectors.cuh    removes most instructions: 16 bytes per access, if all rows are aligned
//   sectors.cuh    removes partial writes of 32-byte sectors, if rows are not aligned
//   fastest.cuh    chooses among them, and tiles.cuh; in_place.cuh transposes a square matrix in place
//
// A transposition moves elements without interpreting them: kernels know words of 1, 2, 4, 8 and 16 bytes, not types.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// The input has rows x columns words, the output columns x rows, both row-major without gaps. They do not overlap;
/// in place, d_input is not used. block_size: 1 to 1024.
template <typename Word>
struct TransposeArguments {
    const Word* d_input = nullptr;
    Word* d_output = nullptr;
    size_t rows = 0, columns = 0;
    unsigned block_size = 256;
    cudaStream_t stream = nullptr;
};

/// A row-major matrix in global memory.
template <typename Word>
struct WordMatrix {
    Word* data;
    size_t rows, columns;

    __device__ bool holds(size_t row, size_t column) const { return row < rows && column < columns; }
    __device__ Word& at(size_t row, size_t column) const { return data[row * columns + column]; }
};

template <typename Word>
WordMatrix<const Word> input_of(const TransposeArguments<Word>& arguments) {
    return {arguments.d_input, arguments.rows, arguments.columns};
}
template <typename Word>
WordMatrix<Word> output_of(const TransposeArguments<Word>& arguments) {
    return {arguments.d_output, arguments.columns, arguments.rows};
}

struct TilePlace {
    size_t row, column;  // of the tile, counted in tiles
};

/// Blocks with neighboring numbers run at about the same time. Numbered along the input's rows, as in textbooks, they
/// read long pieces of memory and write short ones; along the output's rows, they write long ones.
enum class TileOrder { along_input_rows, along_output_rows };

/// Which tile each block has. A tile is `height` rows of the input high and `width` columns wide.
struct TileGrid {
    unsigned tile_rows, tile_columns;
    TileOrder order;

    TileGrid(size_t rows, size_t columns, unsigned height, unsigned width, TileOrder order_)
        : tile_rows(static_cast<unsigned>(divide_up(rows, height))),
          tile_columns(static_cast<unsigned>(divide_up(columns, width))),
          order(order_) {}

    unsigned tiles() const { return tile_rows * tile_columns; }

    __device__ TilePlace place(unsigned tile) const {
        if (order == TileOrder::along_input_rows) return {tile / tile_columns, tile % tile_columns};
        return {tile % tile_rows, tile / tile_rows};
    }
};

}  // namespace BACKEND
