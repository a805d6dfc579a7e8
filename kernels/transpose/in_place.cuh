#pragma once
// A square matrix transposed where it lies: a block has a tile and its mirror image across the diagonal, reads both, and
// then writes each to the other's place.
//   transpose_in_place_tiles     words one at a time, any side and alignment
//   transpose_in_place_vectors   16 bytes at a time, where can_use_vectors() allows it
#include "kernels/transpose/tiles.cuh"
#include "kernels/transpose/vectors.cuh"

namespace BACKEND {

/// The pairs of tiles above the diagonal and the tiles on it, of an odd number of tiles per side, numbered row by row of
/// a rectangle: below its own diagonal, row r of the rectangle holds the end of the matrix's row `side - r`.
struct TilePairs {
    unsigned tiles_per_side;

    /// Where the number is even, the last row and column lie outside the matrix.
    TilePairs(size_t rows, unsigned side) : tiles_per_side(static_cast<unsigned>(divide_up(rows, side)) | 1) {}

    unsigned pairs() const { return tiles_per_side * ((tiles_per_side + 1) / 2); }

    /// Of the two, the tile with the smaller row.
    __device__ TilePlace place(unsigned pair) const {
        const unsigned row = pair / tiles_per_side, column = pair % tiles_per_side;
        if (column >= row) return {row, column};
        return {tiles_per_side - row, tiles_per_side - 1 - column};
    }
};

/// A block of 32 x 8 threads for each pair.
template <typename Word>
__global__ void __launch_bounds__(lanes_per_warp* tile_block_rows)
    transpose_in_place_tiles(WordMatrix<Word> matrix, TilePairs pairs) {
    constexpr unsigned side = 32;
    __shared__ Word tile[SwizzledLayout::words<side>], mirror[SwizzledLayout::words<side>];
    const TilePlace place = pairs.place(blockIdx.x), mirror_place{place.column, place.row};
    const bool is_pair = place.row != place.column;
    const WordMatrix<const Word> input{matrix.data, matrix.rows, matrix.columns};
    load_tile<SwizzledLayout, side>(tile, input, place);
    if (is_pair) load_tile<SwizzledLayout, side>(mirror, input, mirror_place);
    __syncthreads();  // nothing is written before everything is read
    store_tile_transposed<SwizzledLayout, side>(tile, matrix, place);
    if (is_pair) store_tile_transposed<SwizzledLayout, side>(mirror, matrix, mirror_place);
}

/// Small enough for two per block.
template <typename Word>
using InPlaceTile = VectorTile<Word, sizeof(Word) <= 2 ? small_vector_tile_lanes : vector_tile_lanes<Word>>;

/// A block of InPlaceTile::threads for each pair.
template <typename Word>
__global__ void __launch_bounds__(InPlaceTile<Word>::threads)
    transpose_in_place_vectors(WordMatrix<Word> matrix, TilePairs pairs) {
    __shared__ InPlaceTile<Word> tile, mirror;
    const TilePlace place = pairs.place(blockIdx.x), mirror_place{place.column, place.row};
    const bool is_pair = place.row != place.column;
    const WordMatrix<const Word> input{matrix.data, matrix.rows, matrix.columns};
    tile.load_transposed(input, place);
    if (is_pair) mirror.load_transposed(input, mirror_place);
    __syncthreads();  // nothing is written before everything is read
    tile.store(matrix, place);
    if (is_pair) mirror.store(matrix, mirror_place);
}

/// d_output holds the square matrix.
template <typename Word>
LaunchShape launch_transpose_in_place(const TransposeArguments<Word>& arguments) {
    const WordMatrix<Word> matrix = output_of(arguments);
    if (matrix.rows == 0) return {};
    if (rows_begin_at_vectors(arguments.d_output, arguments.rows)) {
        const TilePairs pairs(matrix.rows, InPlaceTile<Word>::side);
        const dim3 block(InPlaceTile<Word>::threads);
        transpose_in_place_vectors<<<pairs.pairs(), block, 0, arguments.stream>>>(matrix, pairs);
        return {dim3(pairs.pairs()), block, 0};
    }
    const TilePairs pairs(matrix.rows, 32);
    const dim3 block(lanes_per_warp, tile_block_rows);
    transpose_in_place_tiles<<<pairs.pairs(), block, 0, arguments.stream>>>(matrix, pairs);
    return {dim3(pairs.pairs()), block, 0};
}

}  // namespace BACKEND
