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

    /// How many words of the unit lie before `word`.
    __device__ static unsigned words_before(const Word* word) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(word) / sizeof(Word) % unit_words);
    }

    /// Row 0 of the tile is `sector_words` above row `first_row` of the matrix. All loads are under way before the first
    /// unit is stored.
    __device__ void load(const WordMatrix<const Word>& input, size_t first_row, size_t first_column) {
        const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
        const Word* const end = input.data + input.rows * input.columns;
        Unit held[rows_read / warps] = {};
#pragma unroll
        for (unsigned i = 0; i < rows_read / warps; ++i) {
            const size_t row = first_row + (warp + i * warps) - sector_words;  // above the matrix it wraps around
            if (row >= input.rows) continue;
            const Word* const row_begin = &input.at(row, first_column);
            const Word* const unit = row_begin - words_before(row_begin) + lane * unit_words;
            if (unit >= input.data + (row + 1) * input.columns) continue;
            if (unit >= input.data && unit + unit_words <= end) {
                held[i] = *reinterpret_cast<const Unit*>(unit);
            } else {  // at an end of the matrix
                for (unsigned k = 0; k < unit_words; ++k)
                    if (unit + k >= input.data && unit + k < end) put_word(held[i], k, unit[k]);
            }
        }
#pragma unroll
        for (unsigned i = 0; i < rows_read / warps; ++i) units[slot(warp + i * warps)][lane] = held[i];
    }

    /// Writes the tile's columns as rows, from the sector that holds their first word to the one before their last.
    __device__ void store_transposed(const WordMatrix<const Word>& input, const WordMatrix<Word>& output,
                                     size_t first_row, size_t first_column) const {
        const unsigned lane = threadIdx.x % lanes_per_warp, warp = threadIdx.x / lanes_per_warp;
        for (unsigned column = warp; column < columns && first_column + column < input.columns; column += warps) {
            Word* const target = &output.at(first_column + column, first_row);  // of the tile's row sector_words
            const auto words_into_sector = [](const Word* word) {
                return static_cast<int>(reinterpret_cast<std::uintptr_t>(word) % sector_bytes / sizeof(Word));
            };
            const int begin = first_row == 0 ? 0 : -words_into_sector(target);
            const int end = input.rows - first_row <= rows ? static_cast<int>(input.rows - first_row)
                                                           : static_cast<int>(rows) - words_into_sector(target + rows);
            const int first_unit = begin - static_cast<int>(words_before(target + begin));
            for (int at = first_unit + static_cast<int>(lane * unit_words); at < end;
                 at += static_cast<int>(lanes_per_warp * unit_words)) {
                if (at >= begin && at + static_cast<int>(unit_words) <= end) {
                    Unit unit = 0;
#pragma unroll
                    for (unsigned k = 0; k < unit_words; ++k)
                        put_word(unit, k, word_at(input, first_row, first_column, at + static_cast<int>(k), column));
                    *reinterpret_cast<Unit*>(target + at) = unit;
                } else {  // at an end of the row
                    for (int i = at < begin ? begin : at; i < at + static_cast<int>(unit_words) && i < end; ++i)
                        target[i] = word_at(input, first_row, first_column, i, column);
                }
            }
        }
    }

private:
    __device__ static void put_word(Unit& unit, unsigned place, Word word) {
        unit |= static_cast<Unit>(word) << (place * sizeof(Word) % sizeof(Unit) * 8);
    }

    /// Of row first_row + `row` of the matrix, which may be negative.
    __device__ Word word_at(const WordMatrix<const Word>& input, size_t first_row, size_t first_column, int row,
                            unsigned column) const {
        const Word* const row_begin =
            &input.at(first_row + static_cast<size_t>(static_cast<std::int64_t>(row)), first_column);
        const unsigned place = words_before(row_begin) + column;
        return reinterpret_cast<const Word*>(
            units[slot(static_cast<unsigned>(row + static_cast<int>(sector_words)))])[place];
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
