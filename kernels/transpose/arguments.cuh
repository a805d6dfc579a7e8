#pragma once
// What every transposition gets, and the order in which blocks work on the tiles of a matrix.
//
// A transposition moves elements and never looks at them: kernels know words of 1, 2, 4, 8 and 16 bytes, not types.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// The input has rows x columns words, the output columns x rows, both row by row without gaps. They do not overlap,
/// except in place, where d_input is not used. block_size: 1 to 1024.
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

/// Tiles are numbered down a band of `band` tile rows, then one column to the right: blocks that run at the same time
/// then read a few long pieces of the input's rows, and write long pieces of the output's, where a band of one row
/// would write pieces of one tile's width.
struct TileBands {
    unsigned tile_rows, tile_columns, band;

    TileBands(size_t rows, size_t columns, unsigned side, unsigned band_)
        : tile_rows(static_cast<unsigned>(divide_up(rows, side))),
          tile_columns(static_cast<unsigned>(divide_up(columns, side))),
          band(tile_rows < band_ ? tile_rows : band_) {}

    unsigned tiles() const { return tile_rows * tile_columns; }

    __device__ TilePlace place(unsigned tile) const {
        const unsigned band_tiles = band * tile_columns;
        const unsigned first_row = tile / band_tiles * band, within = tile % band_tiles;
        const unsigned height = tile_rows - first_row < band ? tile_rows - first_row : band;
        return {first_row + within % height, within / height};
    }
};

}  // namespace BACKEND
