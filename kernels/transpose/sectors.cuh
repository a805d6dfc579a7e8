#pragma once
// Where rows begin anywhere, a tile's rows of the output would begin and end within sectors of 32 bytes, and memory
// would have to merge what two blocks write to one sector.
//   transpose_sectors   every row of a tile of the output is moved to the sector before it: blocks write whole sectors,
//                       at the price of a sector more that each column reads. Narrow words go four bytes at a time
//
// Any shape, any alignment, words of up to 8 bytes.
#include "kernels/transpose/arguments.cuh"

namespace BACKEND {

constexpr unsigned sector_bytes = 32;

/// The part of the input that a block reads: `columns` columns, which are the rows that it writes, and `rows_read` rows,
/// of which it writes `rows`. It moves units of 4 bytes, or of a word if that is larger.
template <typename Word>
struct SectorTile {
    using Unit = std::conditional_t<sizeof(Word) == 8, std::uint64_t, std::uint32_t>;
    static constexpr unsigned unit_words = sizeof(Unit) / sizeof(Word);
    static constexpr unsigned sector_words = sector_bytes / sizeof(Word);
    static constexpr unsigned threads = 256;
    static constexpr unsigned warps = threads / lanes_per_warp;
    static constexpr unsigned rows_read = sizeof(Word) >= 4 ? 64 : 128;
    static constexpr unsigned rows = rows_read - sector_words;
    /// A row that begins within a unit reaches into one unit more.
    static constexpr unsigned columns = unit_words == 1 ? lanes_per_warp : (lanes_per_warp - 1) * unit_words;

    /// The unit at each place holds words of one row. Rows lie in such an order, and with a unit of padding, that the
    /// rows a warp takes a unit from lie in different banks.
    Unit units[rows_read][lanes_per_warp + 1];

    __device__ static unsigned slot(unsigned row) {
        return row % unit_words * (rows_read / unit_words) + row / unit_words;
    }

    /// How many words of its unit lie before a word. (Of a word's number the last bits are enough.)
    __device__ static unsigned words_before(const Word* word) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(word) / sizeof(Word)) % unit_words;
    }
    __device__ static unsigned words_before(const WordMatrix<const Word>& matrix, size_t row, size_t column) {
        const auto before_row = static_cast<unsigned>(row) * static_cast<unsigned>(matrix.columns);
        return (words_before(matrix.data) + before_row + static_cast<unsigned>(column)) % unit_words;
    }

    /// Row 0 of the tile is `sector_words` above row `first_row` of the matrix. All loads are under way before the first
    /// unit is stored.
    __device__ void load(const WordMatrix<const Word>& input, size_t first_row, size_t first_column) {
        const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
        const Word* const end = input.data + input.rows * input.columns;
        const auto row_of = [&](unsigned i) {
            return first_row + (warp + i * warps) - sector_words;
        };  // or wraps around
        const auto unit_of = [&](size_t row) {
            return &input.at(row, first_column) - words_before(input, row, first_column) + lane * unit_words;
        };
        Unit held[rows_read / warps] = {};
#pragma unroll
        for (unsigned i = 0; i < rows_read / warps; ++i) {
            const size_t row = row_of(i);
            const Word* const unit = unit_of(row);
            if (row < input.rows && unit >= input.data && unit + unit_words <= end &&
                first_column + lane * unit_words < input.columns + unit_words)
                held[i] = *reinterpret_cast<const Unit*>(unit);
        }
        // The units that the two ends of the matrix cut, word by word.
        if (unit_words > 1 && (first_row == 0 || first_row + rows >= input.rows)) {
#pragma unroll
            for (unsigned i = 0; i < rows_read / warps; ++i) {
                const size_t row = row_of(i);
                if (row > 0 && row + 1 < input.rows) continue;
                if (row >= input.rows) continue;
                const Word* const unit = unit_of(row);
                if (unit >= input.data && unit + unit_words <= end) continue;
                for (unsigned k = 0; k < unit_words; ++k)
                    if (unit + k >= input.data && unit + k < end) put_word(held[i], k, unit[k]);
            }
        }
#pragma unroll
        for (unsigned i = 0; i < rows_read / warps; ++i) units[slot(warp + i * warps)][lane] = held[i];
    }

    /// Writes the tile's columns as rows, from the sector that holds their first word to the one before their last.
    /// (Where words lie within sectors and units depends on the last bits of their numbers alone, for which 32 are enough.)
    __device__ void store_transposed(const WordMatrix<const Word>& input, const WordMatrix<Word>& output,
                                     size_t first_row, size_t first_column) const {
        const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
        const size_t rows_left = input.rows - first_row;
        Word* target = &output.at(first_column + warp, first_row);  // of row sector_words of the tile's column
        auto number = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(target) / sizeof(Word));
        const unsigned begins =
            words_before(input, first_row - sector_words, first_column);  // row 0 of the tile, in its unit
#pragma unroll(unit_words == 1 ? 4 : 1)
        for (unsigned column = warp; column < columns; column += warps) {
            if (first_column + column >= input.columns) break;
            // Rows of the tile from `begin` to `end`, which fill units from `first` on.
            const unsigned begin = first_row == 0 ? sector_words : sector_words - number % sector_words;
            const unsigned end = rows_left <= rows ? sector_words + static_cast<unsigned>(rows_left)
                                                   : rows_read - (number + rows) % sector_words;
            const unsigned first = begin - (number + begin) % unit_words;
#pragma unroll
            for (unsigned k = 0; k < rows_read / unit_words / lanes_per_warp; ++k) {
                const unsigned at = first + (lane + k * lanes_per_warp) * unit_words;
                if (at >= begin && at + unit_words <= end) {
                    Unit unit = 0;
#pragma unroll
                    for (unsigned j = 0; j < unit_words; ++j)
                        put_word(unit, j, word_at(at + j, column, begins, input.columns));
                    *reinterpret_cast<Unit*>(target - sector_words + at) = unit;
                } else if (unit_words > 1) {  // at an end of the row
                    for (unsigned i = at < begin ? begin : at; i < at + unit_words && i < end; ++i)
                        target[static_cast<int>(i - sector_words)] = word_at(i, column, begins, input.columns);
                }
            }
            target += warps * input.rows;
            number += warps * static_cast<unsigned>(input.rows);
        }
    }

private:
    __device__ static void put_word(Unit& unit, unsigned place, Word word) {
        unit |= static_cast<Unit>(word) << (place * sizeof(Word) % sizeof(Unit) * 8);
    }

    /// Of a row of the tile. Its first row begins `begins` words into a unit.
    __device__ Word word_at(unsigned row, unsigned column, unsigned begins, size_t row_words) const {
        const unsigned place = (begins + row * static_cast<unsigned>(row_words)) % unit_words + column;
        return reinterpret_cast<const Word*>(units[slot(row)])[place];
    }
};

/// A block of SectorTile::threads for each tile.
template <typename Word>
__global__ void __launch_bounds__(SectorTile<Word>::threads)
    transpose_sectors(WordMatrix<const Word> input, WordMatrix<Word> output, TileGrid grid) {
    __shared__ SectorTile<Word> tile;
    const TilePlace place = grid.place(blockIdx.x);
    const size_t first_row = place.row * SectorTile<Word>::rows,
                 first_column = place.column * SectorTile<Word>::columns;
    tile.load(input, first_row, first_column);
    __syncthreads();  // a thread stores what others have loaded
    tile.store_transposed(input, output, first_row, first_column);
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
