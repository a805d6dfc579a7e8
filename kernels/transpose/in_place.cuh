// SPDX-License-Identifier: MIT
#pragma once
// A square matrix transposed in place: a block has a tile and its mirror image across the diagonal, reads both, and
// then writes each to the other's place.
//   transpose_in_place_tiles     one word at a time, any side and alignment
//   transpose_in_place_vectors   removes most instructions: 16 bytes at a time, if rows_begin_at_vectors()
#include "kernels/transpose/tiles.cuh"
#include "kernels/transpose/vectors.cuh"

namespace BACKEND {

/// Numbers the tiles on and above the diagonal, each of which stands for a pair. There is an odd number of tiles per
/// side, so that they fill a rectangle of (tiles_per_side + 1) / 2 rows: row r holds row r of the matrix from the
/// diagonal on and, left of that, the end of the matrix's row tiles_per_side - r.
struct TilePairs {
    unsigned tiles_per_side;

    /// An even number of tiles is rounded up: the last row and column then lie outside the matrix.
    TilePairs(size_t rows, unsigned side) : tiles_per_side(static_cast<unsigned>(divide_up(rows, side)) | 1) {}

    unsigned pairs() const { return tiles_per_side * ((tiles_per_side + 1) / 2); }

    /// The pair's tile with the smaller row.
    __device__ TilePlace place(unsigned pair) const {
        const unsigned row = pair / tiles_per_side, column = pair % tiles_per_side;
        if (column >= row) return {row, column};
        return {tiles_per_side - row, tiles_per_side - 1 - column};
    }
};

/// Grid pairs.pairs(), block 32 x 8.
template <typename Word>
__global__ void __launch_bounds__(lanes_per_warp* tile_block_rows)
    transpose_in_place_tiles(WordMatrix<Word> matrix, TilePairs pairs) {
    constexpr unsigned side = 32;
    __shared__ Word tile[side * side], mirror[side * side];
    const TilePlace place = pairs.place(blockIdx.x), mirror_place{place.column, place.row};
    const bool is_pair = place.row != place.column;
    const WordMatrix<const Word> input{matrix.data, matrix.rows, matrix.columns};
    load_tile<side>(tile, input, place);
    if (is_pair) load_tile<side>(mirror, input, mirror_place);
    __syncthreads();  // both tiles have been read before either is overwritten
    store_tile_transposed<side>(tile, matrix, place);
    if (is_pair) store_tile_transposed<side>(mirror, matrix, mirror_place);
}

/// A tile small enough that a block can hold two.
template <typename Word>
using InPlaceTile = VectorTile<Word, sizeof(Word) <= 2 ? small_vector_tile_lanes : vector_tile_lanes<Word>>;

/// Grid pairs.pairs(), block InPlaceTile::threads.
template <typename Word>
__global__ void __launch_bounds__(InPlaceTile<Word>::threads)
    transpose_in_place_vectors(WordMatrix<Word> matrix, TilePairs pairs) {
    __shared__ InPlaceTile<Word> tile, mirror;
    const TilePlace place = pairs.place(blockIdx.x), mirror_place{place.column, place.row};
    const bool is_pair = place.row != place.column;
    const WordMatrix<const Word> input{matrix.data, matrix.rows, matrix.columns};
    tile.load_transposed(input, place);
    if (is_pair) mirror.load_transposed(input, mirror_place);
    __syncthreads();  // both tiles have been read before either is overwritten
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
