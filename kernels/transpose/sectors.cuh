// SPDX-License-Identifier: MIT
#pragma once
// If rows are not aligned, a tile's rows of the output begin and end within 32-byte sectors, and memory must merge what
// two blocks write to one sector.
//   transpose_sectors   removes these partial writes: every row of an output tile starts at a sector boundary. The
//                       price is that each column of the input tile reads one more sector's worth of words
//
// Any shape, any alignment, words of 4 and 8 bytes.
#include <cstdint>

#include "kernels/transpose/arguments.cuh"

namespace BACKEND {

/// What a block reads: 32 columns, which become the rows that it writes, and 64 rows. The first of these, one sector's
/// worth, belong to the tile above; some of them are written, because this tile's first sector begins among them.
template <typename Word>
struct SectorTile {
    static constexpr unsigned sector_bytes = 32;
    static constexpr unsigned sector_words = sector_bytes / sizeof(Word);
    static constexpr unsigned columns = lanes_per_warp, rows_read = 64, rows = rows_read - sector_words;
    static constexpr unsigned threads = 256, warps = threads / lanes_per_warp;

    Word words[columns][rows_read + 1];  // one word of padding avoids bank conflicts

    /// How many words of its sector precede this word.
    __device__ static unsigned words_before(const Word* word) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(word) / sizeof(Word)) % sector_words;
    }

    /// All loads are in flight before the first word is stored.
    __device__ void load(const WordMatrix<const Word>& input, size_t first_row, size_t first_column) {
        const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
        Word held[rows_read / warps];
#pragma unroll
        for (unsigned i = 0; i < rows_read / warps; ++i) {
            const size_t row = first_row + warp + i * warps - sector_words;  // wraps around above the matrix
            held[i] = input.holds(row, first_column + lane) ? input.at(row, first_column + lane) : Word();
        }
#pragma unroll
        for (unsigned i = 0; i < rows_read / warps; ++i) words[lane][warp + i * warps] = held[i];
    }

    /// Writes the columns as rows: from the sector of their first word up to the sector of the next tile's first word.
    __device__ void store_transposed(const WordMatrix<Word>& output, size_t first_row, size_t first_column) const {
        const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
        const size_t rows_left = output.columns - first_row;
#pragma unroll 4
        for (unsigned column = warp; column < columns; column += warps) {
            if (first_column + column >= output.rows) break;
            Word* const first = &output.at(first_column + column, first_row);
            const unsigned before = first_row == 0 ? 0 : words_before(first);
            const unsigned count =
                before + (rows_left <= rows ? static_cast<unsigned>(rows_left) : rows - words_before(first + rows));
            Word* const to = first - before;
            const Word* const from = words[column] + sector_words - before;
            for (unsigned k = lane; k < count; k += lanes_per_warp) to[k] = from[k];
        }
    }
};

/// Grid grid.tiles(), block SectorTile::threads.
template <typename Word>
__global__ void __launch_bounds__(SectorTile<Word>::threads)
    transpose_sectors(WordMatrix<const Word> input, WordMatrix<Word> output, TileGrid grid) {
    __shared__ SectorTile<Word> tile;
    const TilePlace place = grid.place(blockIdx.x);
    const size_t first_row = place.row * tile.rows, first_column = place.column * tile.columns;
    tile.load(input, first_row, first_column);
    __syncthreads();  // a thread stores words that other threads loaded
    tile.store_transposed(output, first_row, first_column);
}

template <typename Word>
LaunchShape launch_transpose_sectors(const TransposeArguments<Word>& arguments) {
    using Tile = SectorTile<Word>;
    const TileGrid grid(arguments.rows, arguments.columns, Tile::rows, Tile::columns, TileOrder::along_output_rows);
    if (grid.tiles() == 0) return {};
    transpose_sectors<<<grid.tiles(), Tile::threads, 0, arguments.stream>>>(input_of(arguments), output_of(arguments),
                                                                            grid);
    return {dim3(grid.tiles()), dim3(Tile::threads), 0};
}

}  // namespace BACKEND
