// SPDX-License-Identifier: MIT
#pragma once
// How the blocks of direct.cuh copy parts of a matrix to shared memory, whatever the alignment of its rows: as the
// aligned pieces of 16 bytes that cover them, or in the largest units that all rows are aligned to.
#include "common/cuda/async_copy.cuh"
#include "common/cuda/bulk_copy.cuh"
#include "kernels/matmul/generic/tile_order.cuh"
#include "kernels/matmul/hopper/warp_product.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Starts copying the first `bytes` of 16 bytes, bypassing L1; the rest becomes zero. (memcheck assumes that all 16 bytes
/// are read unless there are none.)
__device__ inline void copy_async_in_part(void* shared, const void* global, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global), "r"(bytes)
                 : "memory");
}

/// How rows are copied: in whole pieces of 16 bytes, if all begin at multiples of them; as the pieces that cover them; or
/// in the largest units (16, 8 or 4 bytes) that the matrix's rows are aligned to, so that they begin at a piece in shared
/// memory.
enum class RowCopy { pieces, shifted, units };

/// A matrix whose rows may begin anywhere.
template <typename T>
struct PiecewiseMatrix {
    static constexpr int piece = DirectLayout<T>::piece;
    const T* data;
    size_t rows, columns, stride;  // to the next product's

    __device__ void select(OnlyProduct) {}
    __device__ void select(int product) { data = matrix_of(product, data, stride); }

    /// Whether all rows begin at multiples of so many bytes.
    __host__ __device__ bool is_aligned_to(size_t bytes) const { return columns * sizeof(T) % bytes == 0; }

    /// The place of a row's first element in its piece of 16 bytes. Rows that are a multiple of `piece` apart have the
    /// same.
    __device__ unsigned shift_of(unsigned row) const { return row * static_cast<unsigned>(columns) % piece; }

    /// Copies `count` rows of `pieces` pieces from (row, column) on, in the largest units that all rows are aligned to.
    /// Zeros outside.
    template <int count, int pieces, int row_elements, int threads>
    __device__ void copy(T* shared, size_t row, size_t column, int thread) const {
        if (is_aligned_to(16)) copy_units<uint4, count, pieces, row_elements, threads>(shared, row, column, thread);
        else if (is_aligned_to(8))
            copy_units<uint2, count, pieces * 2, row_elements, threads>(shared, row, column, thread);
        else copy_units<unsigned, count, pieces * 4, row_elements, threads>(shared, row, column, thread);
    }

private:
    template <typename Unit, int count, int units, int row_elements, int threads>
    __device__ void copy_units(T* shared, size_t row, size_t column, int thread) const {
        static_assert(threads % units == 0 && count % (threads / units) == 0, "every thread copies as much");
        constexpr int rows_at_once = threads / units, unit = sizeof(Unit) / sizeof(T);
        const int first_r = thread / units, x = thread % units * unit;
        row += first_r;
        const T* source = data + row * columns + column + x;
        shared += first_r * row_elements + x;
        const bool in_row = column + x < columns;
#pragma unroll 4
        for (int i = 0; i < count / rows_at_once; ++i) {
            const bool there = in_row && row + i * rows_at_once < rows;
            copy_async(reinterpret_cast<Unit*>(shared + i * rows_at_once * row_elements),
                       reinterpret_cast<const Unit*>(there ? source : data), there);
            source += rows_at_once * columns;
        }
    }
};

/// A thread's part of the copies of a matrix's stages, one stage after another, as pieces: those that cover the rows, if
/// they are `shifted`. Row r then begins at element shift_of(r) of its place. What a piece holds of another row does no
/// harm, and rows and columns that do not exist are left out: they only matter to results that do not exist. Beyond the
/// end of k there are zeros. `along_rows`: stages follow each other along the rows, which are A's, or else down the
/// columns, which are B's.
template <typename T, bool shifted, bool along_rows, int count, int pieces, int row_elements, int threads>
class StageCopies {
    static constexpr int piece = PiecewiseMatrix<T>::piece, rows_at_once = threads / pieces,
                         most_rows = count / rows_at_once;  // of a thread
    static_assert(threads % pieces == 0 && count % rows_at_once == 0, "every thread copies as much");
    static_assert(!shifted || rows_at_once % piece == 0, "all rows of a thread are shifted alike");
    static_assert(count <= threads, "a thread copies the last piece of one row, if rows are shifted");

    /// A piece of a row, and where it goes in a stage.
    struct Piece {
        const T* source;
        size_t row, x;  // in the matrix; x counts from the row's beginning, rounded down to a piece
        int place;
        unsigned shift;

        __device__ Piece(const PiecewiseMatrix<T>& matrix, size_t first_row, size_t first_column, int r, int p)
            : row(first_row + r), x(first_column + p * piece), place(r * row_elements + p * piece) {
            shift = shifted ? matrix.shift_of(r) : 0;
            source = matrix.data + row * matrix.columns + x - shift;
        }
        /// How many elements it has up to the end of its row.
        __device__ int elements(size_t columns) const {
            if (x >= columns + shift) return 0;
            return columns + shift - x < piece ? static_cast<int>(columns + shift - x) : piece;
        }
        __device__ void advance(int steps, size_t columns) {
            source += along_rows ? steps : steps * columns;
            if (along_rows) x += steps;
            else row += steps;
        }
    };

    const PiecewiseMatrix<T>& matrix;
    Piece first, last;  // that of the thread's first row, and a row's last one, beside its `pieces`
    int rows;  // of the thread, to copy: those of A that exist; all of B's, or none if its columns do not exist
    bool has_last;

public:
    __device__ StageCopies(const PiecewiseMatrix<T>& matrix_, size_t row, size_t column, int thread)
        : matrix(matrix_),
          first(matrix, row, column, thread / pieces, thread % pieces),
          last(matrix, row, column, thread, pieces) {
        rows = most_rows;
        if (along_rows && first.row + (most_rows - 1) * rows_at_once >= matrix.rows)
            rows = first.row >= matrix.rows
                       ? 0
                       : static_cast<int>((matrix.rows - first.row + rows_at_once - 1) / rows_at_once);
        if (!along_rows && first.elements(matrix.columns) == 0) rows = 0;
        has_last = shifted && last.shift > 0 && thread < count &&
                   (along_rows ? last.row < matrix.rows : last.elements(matrix.columns) > 0);
    }

    /// Copies a stage of `steps` steps along k, `existing` of which exist, and goes on to the next one.
    template <int steps>
    __device__ void copy(T* stage, size_t existing) {
        if (existing >= steps + (shifted ? piece : 0)) copy_whole(stage);
        else copy_last(stage);
        first.advance(steps, matrix.columns);
        if (shifted) last.advance(steps, matrix.columns);
    }

private:
    __device__ void copy_whole(T* stage) const {
#pragma unroll
        for (int i = 0; i < most_rows; ++i)
            if (i < rows)
                copy_async_past_l1(reinterpret_cast<uint4*>(stage + first.place + i * rows_at_once * row_elements),
                                   reinterpret_cast<const uint4*>(first.source + i * rows_at_once * matrix.columns));
        if (has_last)
            copy_async_past_l1(reinterpret_cast<uint4*>(stage + last.place),
                               reinterpret_cast<const uint4*>(last.source));
    }

    __device__ void copy_last(T* stage) const {
        const int of_first = first.elements(matrix.columns), of_last = has_last ? last.elements(matrix.columns) : 0;
#pragma unroll 1
        for (int i = 0; i < rows; ++i)
            copy_part(stage + first.place + i * rows_at_once * row_elements,
                      first.source + i * rows_at_once * matrix.columns, first.row + i * rows_at_once, of_first);
        if (has_last) copy_part(stage + last.place, last.source, last.row, of_last);
    }

    __device__ static bool is_part(int elements) { return shifted && elements > 0 && elements < piece; }

    /// Copies the first elements of a piece; the rest becomes zero.
    __device__ void copy_part(T* target, const T* source, size_t row, int elements) const {
        if (row >= matrix.rows) elements = 0;
        if (is_part(elements) && source + piece > matrix.data + matrix.rows * matrix.columns)
            return copy_end(target, source, elements);
        copy_async_in_part(target, elements > 0 ? source : matrix.data, elements * int{sizeof(T)});
    }

    /// Copies the first elements of a piece beyond which nothing may be read.
    __device__ static void copy_end(T* target, const T* source, int elements) {
        T values[piece];
#pragma unroll
        for (int e = 0; e < piece; ++e) values[e] = e < elements ? source[e] : T(0.0f);
#pragma unroll
        for (int e = 0; e < piece; ++e) target[e] = values[e];
    }
};

}  // namespace BACKEND
