// SPDX-License-Identifier: MIT
#pragma once
// Sixteen bytes per access everywhere: a thread loads a small square of words, one vector from each of its rows,
// transposes it in registers, and puts vectors of the transpose into shared memory, from which they are stored.
//   transpose_vectors   removes three quarters of the memory instructions for 4-byte words, 15 of 16 for bytes
//
// All rows of both matrices must begin at multiples of 16 bytes: can_use_vectors().
#include <cstdint>

#include "common/cuda/check.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/transpose/arguments.cuh"

namespace BACKEND {

/// A square of vector_words x vector_words words in registers: a vector, that is, four registers, from each row.
template <typename Word>
struct RegisterSquare {
    static constexpr unsigned vector_words = vector_bytes / sizeof(Word);
    unsigned bits[vector_words][4];

    __device__ void set_row(unsigned row, const Vector<Word>& vector) { memcpy(bits[row], &vector, vector_bytes); }
    __device__ Vector<Word> row(unsigned row) const {
        Vector<Word> vector;
        memcpy(&vector, bits[row], vector_bytes);
        return vector;
    }

    /// Words narrower than a register first change places within registers, in squares as wide as a register. Then
    /// whole registers change places, which costs nothing: the compiler renames them.
    __device__ void transpose() {
        constexpr unsigned per_register = sizeof(Word) < 4 ? 4 / sizeof(Word) : 1;
        constexpr unsigned registers = sizeof(Word) > 4 ? sizeof(Word) / 4 : 1;  // of one word
#pragma unroll
        for (unsigned row = 0; row < vector_words; row += per_register) {
#pragma unroll
            for (unsigned i = 0; i < 4; ++i) {
                if constexpr (sizeof(Word) == 2) transpose_halves(bits[row][i], bits[row + 1][i]);
                if constexpr (sizeof(Word) == 1)
                    transpose_bytes(bits[row][i], bits[row + 1][i], bits[row + 2][i], bits[row + 3][i]);
            }
        }
#pragma unroll
        for (unsigned i = 0; i < vector_words / per_register; ++i) {
#pragma unroll
            for (unsigned j = 0; j < i; ++j) {
#pragma unroll
                for (unsigned k = 0; k < per_register; ++k) {
#pragma unroll
                    for (unsigned part = 0; part < registers; ++part)
                        exchange(bits[i * per_register + k][j * registers + part],
                                 bits[j * per_register + k][i * registers + part]);
                }
            }
        }
    }

private:
    __device__ static void exchange(unsigned& a, unsigned& b) {
        const unsigned before = a;
        a = b;
        b = before;
    }

    /// Two rows of two 16-bit words.
    __device__ static void transpose_halves(unsigned& a, unsigned& b) {
        const unsigned low = __byte_perm(a, b, 0x5410);
        b = __byte_perm(a, b, 0x7632);
        a = low;
    }

    /// Four rows of four bytes.
    __device__ static void transpose_bytes(unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
        const unsigned ab_low = __byte_perm(a, b, 0x5140), ab_high = __byte_perm(a, b, 0x7362);
        const unsigned cd_low = __byte_perm(c, d, 0x5140), cd_high = __byte_perm(c, d, 0x7362);
        a = __byte_perm(ab_low, cd_low, 0x5410);
        b = __byte_perm(ab_low, cd_low, 0x7632);
        c = __byte_perm(ab_high, cd_high, 0x5410);
        d = __byte_perm(ab_high, cd_high, 0x7632);
    }
};

/// How many vectors a row of a tile has: 256 bytes, or 512 for 16-byte words, so that a thread has enough to do; 128
/// bytes in the small tiles, with which small matrices of narrow words still make a tile for every multiprocessor.
template <typename Word>
constexpr unsigned vector_tile_lanes = sizeof(Word) <= 8 ? 16 : 32;
constexpr unsigned small_vector_tile_lanes = 8;

/// A square tile, `lanes` vectors wide and as many squares high, in shared memory as vectors of the transpose. Vector v
/// of a row lies where vector v ^ s would. s differs between the eight threads that a store to shared memory serves at
/// once, so their vectors lie in different banks, and so do those of a load.
template <typename Word, unsigned lanes = vector_tile_lanes<Word>>
struct VectorTile {
    static constexpr unsigned vector_words = RegisterSquare<Word>::vector_words;
    static constexpr unsigned side = lanes * vector_words;
    static constexpr unsigned squares = lanes * lanes;
    static constexpr unsigned threads = squares < 256 ? squares : 256;

    Vector<Word> vectors[side * lanes];

    __device__ Vector<Word>& at(unsigned row, unsigned vector) {
        return vectors[row * lanes + (vector ^ (row / vector_words % 8))];
    }

    __device__ void load_transposed(const WordMatrix<const Word>& input, const TilePlace& place) {
        RegisterSquare<Word> held[squares / threads];
#pragma unroll
        for (unsigned k = 0; k < squares / threads; ++k) {
            const size_t row = place.row * side + square_row(k), column = place.column * side + square_column();
            if (!input.holds(row, column)) continue;
#pragma unroll
            for (unsigned i = 0; i < vector_words; ++i) {
                // Not load_once(): bypassing L1, an H200 reads more slowly when it writes as much.
                held[k].set_row(i, load_vector(reinterpret_cast<const Vector<Word>*>(&input.at(row + i, column))));
            }
        }
#pragma unroll
        for (unsigned k = 0; k < squares / threads; ++k) {
            const size_t row = place.row * side + square_row(k), column = place.column * side + square_column();
            if (!input.holds(row, column)) continue;
            held[k].transpose();
#pragma unroll
            for (unsigned i = 0; i < vector_words; ++i)
                store_vector(&at(square_column() + i, square_row(k) / vector_words), held[k].row(i));
        }
    }

    __device__ void store(const WordMatrix<Word>& output, const TilePlace& place) {
#pragma unroll
        for (unsigned i = threadIdx.x; i < side * lanes; i += threads) {
            const unsigned row = i / lanes, vector = i % lanes;
            const size_t output_row = place.column * side + row,
                         output_column = place.row * side + vector * vector_words;
            if (output.holds(output_row, output_column))
                store_vector_global(reinterpret_cast<Vector<Word>*>(&output.at(output_row, output_column)),
                                    load_vector(&at(row, vector)));
        }
    }

private:
    /// Where this thread's k-th square begins in the tile.
    __device__ static unsigned square_row(unsigned k) { return (threadIdx.x + k * threads) / lanes * vector_words; }
    __device__ static unsigned square_column() { return threadIdx.x % lanes * vector_words; }
};

/// Grid grid.tiles(), block VectorTile::threads; dynamic shared memory for one tile.
template <typename Word, unsigned lanes>
__global__ void __launch_bounds__(VectorTile<Word, lanes>::threads)
    transpose_vectors(WordMatrix<const Word> input, WordMatrix<Word> output, TileGrid grid) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    auto& tile = *reinterpret_cast<VectorTile<Word, lanes>*>(shared_bytes);
    const TilePlace place = grid.place(blockIdx.x);
    tile.load_transposed(input, place);
    __syncthreads();  // a thread stores vectors that other threads loaded
    tile.store(output, place);
}

template <typename Word>
bool rows_begin_at_vectors(const Word* address, size_t row_words) {
    return reinterpret_cast<std::uintptr_t>(address) % vector_bytes == 0 &&
           row_words * sizeof(Word) % vector_bytes == 0;
}

template <typename Word>
bool can_use_vectors(const TransposeArguments<Word>& arguments) {
    return rows_begin_at_vectors(arguments.d_input, arguments.columns) &&
           rows_begin_at_vectors(arguments.d_output, arguments.rows);
}

template <unsigned lanes, typename Word>
LaunchShape launch_transpose_vector_tiles(const TransposeArguments<Word>& arguments, TileOrder order) {
    using Tile = VectorTile<Word, lanes>;
    const TileGrid grid(arguments.rows, arguments.columns, Tile::side, Tile::side, order);
    if (grid.tiles() == 0) return {};
    const auto kernel = transpose_vectors<Word, lanes>;
    if constexpr (sizeof(Tile) > most_shared_bytes_without_request)
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(sizeof(Tile))));
    kernel<<<grid.tiles(), Tile::threads, sizeof(Tile), arguments.stream>>>(input_of(arguments), output_of(arguments),
                                                                            grid);
    return {dim3(grid.tiles()), dim3(Tile::threads), sizeof(Tile)};
}

/// Takes small tiles if large ones would leave most multiprocessors idle.
template <typename Word>
LaunchShape launch_transpose_vectors(const TransposeArguments<Word>& arguments,
                                     TileOrder order = TileOrder::along_input_rows) {
    if constexpr (sizeof(Word) <= 2) {
        constexpr size_t few_tiles = 128, side = VectorTile<Word>::side;
        if (divide_up(arguments.rows, side) * divide_up(arguments.columns, side) < few_tiles)
            return launch_transpose_vector_tiles<small_vector_tile_lanes>(arguments, order);
    }
    return launch_transpose_vector_tiles<vector_tile_lanes<Word>>(arguments, order);
}

}  // namespace BACKEND
