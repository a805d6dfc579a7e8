// SPDX-License-Identifier: MIT
#pragma once
// What the tiled matrix kernels share: matrices that read as zero outside their bounds, so that no kernel needs to test
// whether its tile is whole, and the tile of one warp.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/products.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// A matrix in global memory. Reading outside it gives zero, writing outside it does nothing. load_four() and
/// store_four() are for RowMajor only.
template <typename T, typename Layout = RowMajor>
struct MatrixView {
    T* data;
    size_t rows, columns;

    __device__ bool holds(size_t row, size_t column) const { return row < rows && column < columns; }

    __device__ T load(size_t row, size_t column) const {
        return holds(row, column) ? data[Layout::index(row, column, rows, columns)] : T(0.0f);
    }

    __device__ void store(size_t row, size_t column, T value) const {
        if (holds(row, column)) data[Layout::index(row, column, rows, columns)] = value;
    }

    /// Whether four elements from a column that is a multiple of four are always 16-byte aligned. The matrix is.
    __device__ bool has_fours() const { return columns % 4 == 0; }

    /// Four neighbors from a column that is a multiple of four: one 16-byte access if has_fours().
    __device__ float4 load_four(size_t row, size_t column) const {
        if (has_fours() && holds(row, column)) return *reinterpret_cast<const float4*>(data + row * columns + column);
        return make_float4(load(row, column), load(row, column + 1), load(row, column + 2), load(row, column + 3));
    }

    __device__ void store_four(size_t row, size_t column, float4 four) const {
        if (has_fours()) {
            if (holds(row, column)) *reinterpret_cast<float4*>(data + row * columns + column) = four;
            return;
        }
        store(row, column, four.x);
        store(row, column + 1, four.y);
        store(row, column + 2, four.z);
        store(row, column + 3, four.w);
    }
};

/// Stores four neighbors, as far as they lie within, at (row, column) of a rows x columns part of C that begins at `c`
/// and has rows `row_elements` apart. `column` and the column at which the part begins are multiples of four.
__device__ inline void store_four(float* c, size_t row_elements, int row, int column, int rows, int columns,
                                  float4 four) {
    if (row >= rows) return;
    float* target = c + static_cast<size_t>(row) * row_elements + column;
    if (row_elements % 4 == 0 && column + 4 <= columns) {
        *reinterpret_cast<float4*>(target) = four;
    } else {
        if (column < columns) target[0] = four.x;
        if (column + 1 < columns) target[1] = four.y;
        if (column + 2 < columns) target[2] = four.z;
        if (column + 3 < columns) target[3] = four.w;
    }
}

/// Loads a tile of rows x columns whose corner is (row, column), with all `threads` threads of the block. Neighboring
/// lanes read neighbors in memory.
template <int rows, int columns, int threads, typename T, int row_elements, typename Layout>
__device__ inline void load_tile(T (&tile)[rows][row_elements], const MatrixView<const T, Layout>& matrix, size_t row,
                                 size_t column, int thread) {
    static_assert(rows * columns % threads == 0, "every thread loads as many elements");
#pragma unroll
    for (int i = 0; i < rows * columns; i += threads) {
        const int y = Layout::transposed ? (i + thread) % rows : (i + thread) / columns,
                  x = Layout::transposed ? (i + thread) / rows : (i + thread) % columns;
        tile[y][x] = matrix.load(row + y, column + x);
    }
}

/// The three matrices of a product, the first of a batch.
template <typename Layout = RowMajor, typename T>
MatrixView<const T, Layout> a_of(const MatmulArguments<T>& arguments) {
    return {arguments.d_a, arguments.m, arguments.k};
}
template <typename Layout = RowMajor, typename T>
MatrixView<const T, Layout> b_of(const MatmulArguments<T>& arguments) {
    return {arguments.d_b, arguments.k, arguments.n};
}
template <typename T>
MatrixView<T> c_of(const MatmulArguments<T>& arguments) {
    return {arguments.d_c, arguments.m, arguments.n};
}

/// How one warp computes warp_m x warp_n sums. Its lanes form a lanes_m x (32 / lanes_m) grid. Each has its rows and
/// columns in groups of four, and the lanes' groups are interleaved, so that their 16-byte loads are neighbors and
/// fall into different banks.
template <int warp_m_, int warp_n_, int lanes_m_>
struct WarpTile {
    static constexpr int warp_m = warp_m_, warp_n = warp_n_, lanes_m = lanes_m_, lanes_n = 32 / lanes_m;
    static constexpr int rows = warp_m / lanes_m, columns = warp_n / lanes_n;  // of one lane
    static_assert(rows % 4 == 0 && columns % 4 == 0, "lanes load four at once");

    __device__ static int row_of(int lane, int r) { return (r / 4 * lanes_m + lane / lanes_n) * 4 + r % 4; }
    __device__ static int column_of(int lane, int c) { return (c / 4 * lanes_n + lane % lanes_n) * 4 + c % 4; }

    /// sums += one step along k. a: warp_m elements of a column of A; b: warp_n of a row of B; both in shared memory.
    __device__ static void multiply(const float* a, const float* b, int lane, float (&sums)[rows][columns]) {
        float left[rows], right[columns];
#pragma unroll
        for (int r = 0; r < rows; r += 4)
            *reinterpret_cast<float4*>(left + r) = *reinterpret_cast<const float4*>(a + row_of(lane, r));
#pragma unroll
        for (int c = 0; c < columns; c += 4)
            *reinterpret_cast<float4*>(right + c) = *reinterpret_cast<const float4*>(b + column_of(lane, c));
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
            for (int c = 0; c < columns; ++c) sums[r][c] += left[r] * right[c];
    }

    /// Stores the lane's sums; (row, column) is the corner of the warp's tile in C.
    __device__ static void store(const MatrixView<float>& c, size_t row, size_t column, int lane,
                                 const float (&sums)[rows][columns]) {
#pragma unroll
        for (int r = 0; r < rows; ++r)
#pragma unroll
            for (int x = 0; x < columns; x += 4)
                c.store_four(row + row_of(lane, r), column + column_of(lane, x),
                             make_float4(sums[r][x], sums[r][x + 1], sums[r][x + 2], sums[r][x + 3]));
    }
};

}  // namespace BACKEND
