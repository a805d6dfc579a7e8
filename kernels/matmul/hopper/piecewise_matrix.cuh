#pragma once
// How the blocks of direct.cuh copy parts of a matrix to shared memory, whatever the alignment of its rows: in the
// largest units that all rows are aligned to, 16, 8 or 4 bytes. If rows have an odd number of 16-bit elements, the
// aligned pieces of 16 bytes that cover a part of a row are copied as they are, and shifted into place later.
#include "common/cuda/async_copy.cuh"
#include "common/cuda/bulk_copy.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/matmul/hopper/warp_product.cuh"
#include "kernels/matmul/tile_order.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// Starts copying 16 bytes, bypassing L1, or zeros if they do not exist (`there`). (The instruction could copy only the
/// part that exists, but memcheck assumes that all 16 bytes are read.)
__device__ inline void copy_async_or_clear(void* shared, const void* global, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global),
                 "r"(there ? 16 : 0)
                 : "memory");
}

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
    /// Whether rows have an odd number of 16-bit elements: cp.async copies at least two. copy() then leaves rows for
    /// straighten() to shift into place.
    __host__ __device__ bool needs_straightening() const { return !is_aligned_to(4); }

    /// Copies `count` rows of `pieces` pieces from (row, column) on; `column` is a multiple of a piece. Zeros outside.
    template <int count, int pieces, int row_elements, int threads>
    __device__ void copy(T* shared, size_t row, size_t column, int thread) const {
        if (is_aligned_to(16)) copy_pieces<count, pieces, row_elements, threads>(shared, row, column, thread);
        else if (is_aligned_to(8))
            copy_units<uint2, count, pieces * 2, row_elements, threads>(shared, row, column, thread);
        else if constexpr (sizeof(T) < 8) {
            if (!needs_straightening())
                copy_units<unsigned, count, pieces * 4, row_elements, threads>(shared, row, column, thread);
            else if constexpr (sizeof(T) == 2)
                copy_covering_rows<count, pieces, row_elements, threads>(shared, row, column, thread);
        }
    }

    /// The same where rows begin at multiples of 16 bytes.
    template <int count, int pieces, int row_elements, int threads>
    __device__ void copy_pieces(T* shared, size_t row, size_t column, int thread) const {
        static_assert(threads % pieces == 0 && count % (threads / pieces) == 0, "every thread copies as much");
        constexpr int rows_at_once = threads / pieces;
        const int first_r = thread / pieces, p = thread % pieces;
        const size_t x = column + p * piece;
        row += first_r;
        shared += first_r * row_elements + p * piece;
        const T* source = data + row * columns + x;
#pragma unroll
        for (int i = 0; i < count / rows_at_once; ++i) {
            const bool there = row + i * rows_at_once < rows && x < columns;
            copy_async_or_clear(shared + i * rows_at_once * row_elements, there ? source : data, there);
            source += rows_at_once * columns;
        }
    }

    /// Copies `count` rows of `units` units (of 4 or 8 bytes) from (row, column) on, one by one. Zeros outside.
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

    /// Copies `count` rows as the aligned pieces that cover them, `pieces` + 1 per row; straighten() shifts them later.
    template <int count, int pieces, int row_elements, int threads>
    __device__ void copy_covering_rows(T* shared, size_t row, size_t column, int thread) const {
        constexpr int rows_at_once = threads / pieces;
        const int first_r = thread / pieces, p = thread % pieces;
        const size_t x = column + p * piece;
        row += first_r;
        shared += first_r * row_elements + p * piece;
#pragma unroll 4
        for (int i = 0; i < count / rows_at_once; ++i) {
            T* const target = shared + i * rows_at_once * row_elements;
            copy_covering(target, row + i * rows_at_once, x);
            if (p == pieces - 1) copy_covering(target + piece, row + i * rows_at_once, x + piece);
        }
    }

    /// Copies the aligned piece that begins at the row's element x or, if the row is shifted, up to a piece before it.
    __device__ void copy_covering(T* shared, size_t row, size_t x) const {
        const size_t elements = rows * columns, start = row * columns, shift = start % piece, first = start - shift + x;
        const bool there = row < rows && x < columns + shift && first < elements;
        if (there && elements - first < piece) {  // the matrix ends within this piece
#pragma unroll
            for (size_t e = 0; e < piece; ++e) shared[e] = first + e < elements ? data[first + e] : T(0.0f);
            return;
        }
        copy_async_or_clear(shared, there ? data + first : data, there);
    }

    /// The place of a row's first element in its piece.
    __device__ unsigned shift_of(size_t row) const { return static_cast<unsigned>(row * columns % piece); }

    /// Copies rows that copy_covering_rows() left to `target`, shifted into place. Elements of other rows become zero.
    template <int count, int pieces, int row_elements, int threads>
    __device__ void straighten(const T* shared, T* target, size_t row, size_t column, int thread) const {
#pragma unroll 2
        for (int i = thread; i < count * pieces; i += threads) {
            const int r = i / pieces, p = i % pieces;
            const uint4* raw = reinterpret_cast<const uint4*>(shared + r * row_elements) + p;
            const unsigned bytes = shift_of(row + r) * sizeof(T);
            const uint4 low = raw[0], high = raw[1];
            std::uint32_t words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
            if (bytes & 8) {
#pragma unroll
                for (int w = 0; w < 6; ++w) words[w] = words[w + 2];
            }
            if (bytes & 4) {
#pragma unroll
                for (int w = 0; w < 5; ++w) words[w] = words[w + 1];
            }
            if (bytes & 2) {
#pragma unroll
                for (int w = 0; w < 4; ++w) words[w] = __funnelshift_r(words[w], words[w + 1], 16);
            }
            Vector<T> shifted;
            *reinterpret_cast<uint4*>(&shifted) = make_uint4(words[0], words[1], words[2], words[3]);
            const size_t x = column + p * piece;
            if (x + piece > columns) {
#pragma unroll
                for (int e = 0; e < piece; ++e)
                    if (x + e >= columns) shifted.values[e] = static_cast<T>(0.0f);
            }
            *reinterpret_cast<Vector<T>*>(target + r * row_elements + p * piece) = shifted;
        }
    }
};

}  // namespace BACKEND
