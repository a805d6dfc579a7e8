// SPDX-License-Identifier: MIT
// A matrix in any of BLAS's storages: full, triangular, banded or packed. In each, the stored part of a column is
// contiguous.
#pragma once

#include <algorithm>
#include <vector>

#include "common/simt/blas/call.hpp"

namespace simt::blas {

template <typename T>
struct Columns {
    enum class Storage { full, banded, packed_upper, packed_lower };

    T* data;
    Index rows, columns, pitch;
    Index above, below;  ///< how many diagonals beside the main one are stored
    Storage storage = Storage::full;

    Index first(Index j) const { return std::max<Index>(0, j - above); }
    Index end(Index j) const { return std::min(rows, j + below + 1); }
    /// Element i of it is in row i.
    T* column(Index j) const {
        switch (storage) {
            case Storage::banded: return data + j * pitch + above - j;
            case Storage::packed_upper: return data + j * (j + 1) / 2;
            case Storage::packed_lower: return data + j * (2 * rows - j + 1) / 2 - j;
            default: return data + j * pitch;
        }
    }
    Buffer buffer(const char* name, Use use = Use::reads) const {
        const bool is_full = storage == Storage::full, is_banded = storage == Storage::banded;
        if (is_full) return matrix_buffer(name, data, rows, columns, pitch, use);
        if (is_banded) return matrix_buffer(name, data, above + below + 1, columns, pitch, use);
        return matrix_buffer(name, data, rows * (rows + 1) / 2, 1, 0, use);
    }
};

template <typename T>
Columns<T> full_matrix(T* a, Index m, Index n, Index pitch) {
    return {a, m, n, pitch, m + n, m + n};
}
template <typename T>
Columns<T> banded_matrix(T* a, Index m, Index n, Index below, Index above, Index pitch) {
    return {a, m, n, pitch, above, below, Columns<T>::Storage::banded};
}
/// One triangle, which stands for a triangular, symmetric or Hermitian matrix.
template <typename T>
Columns<T> triangle(T* a, cublasFillMode_t fill, Index n, Index pitch) {
    const bool is_upper = fill == CUBLAS_FILL_MODE_UPPER;
    return {a, n, n, pitch, is_upper ? n : 0, is_upper ? 0 : n};
}
template <typename T>
Columns<T> banded_triangle(T* a, cublasFillMode_t fill, Index n, Index k, Index pitch) {
    const bool is_upper = fill == CUBLAS_FILL_MODE_UPPER;
    return {a, n, n, pitch, is_upper ? k : 0, is_upper ? 0 : k, Columns<T>::Storage::banded};
}
template <typename T>
Columns<T> packed_triangle(T* a, cublasFillMode_t fill, Index n) {
    const bool is_upper = fill == CUBLAS_FILL_MODE_UPPER;
    return {a,
            n,
            n,
            0,
            is_upper ? n : 0,
            is_upper ? 0 : n,
            is_upper ? Columns<T>::Storage::packed_upper : Columns<T>::Storage::packed_lower};
}

enum class Symmetry { symmetric, hermitian };

/// A dense copy of a triangular matrix, or of the symmetric one that it stands for; its pitch is its number of rows.
template <typename T>
std::vector<T> dense_triangle(const Columns<const T>& a, bool has_unit_diagonal) {
    std::vector<T> dense(static_cast<size_t>(a.rows * a.rows));
    for (Index j = 0; j < a.columns; ++j) {
        for (Index i = a.first(j); i < a.end(j); ++i) {
            dense[static_cast<size_t>(i + j * a.rows)] = i == j && has_unit_diagonal ? T(1) : a.column(j)[i];
        }
    }
    return dense;
}
template <typename T>
std::vector<T> dense_symmetric(const Columns<const T>& a, Symmetry symmetry) {
    std::vector<T> dense(static_cast<size_t>(a.rows * a.rows));
    const bool is_hermitian = symmetry == Symmetry::hermitian;
    for (Index j = 0; j < a.columns; ++j) {
        for (Index i = a.first(j); i < a.end(j); ++i) {
            const T value = a.column(j)[i];
            dense[static_cast<size_t>(j + i * a.rows)] = conj_if(is_hermitian, value);
            dense[static_cast<size_t>(i + j * a.rows)] = i == j && is_hermitian ? T(real_part(value)) : value;
        }
    }
    return dense;
}

}  // namespace simt::blas
