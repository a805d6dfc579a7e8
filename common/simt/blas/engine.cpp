// SPDX-License-Identifier: MIT
#include "common/simt/blas/engine.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <climits>
#include <string>
#include <type_traits>
#include <vector>

namespace simt::blas {
namespace {

// ---- OpenBLAS, as its cblas.h declares it

constexpr int column_major = 102, no_transpose = 111, upper = 121, non_unit = 131, left = 141;

// Complex factors are passed by address.
template <typename T>
using Factor = std::conditional_t<is_complex<T>, const T*, T>;
template <typename T>
Factor<T> factor(const T& value) {
    if constexpr (is_complex<T>) return &value;
    else return value;
}

template <typename T>
struct OpenBlas {
    using Gemm = void (*)(int, int, int, int, int, int, Factor<T>, const T*, int, const T*, int, Factor<T>, T*, int);
    using Trsm = void (*)(int, int, int, int, int, int, int, Factor<T>, const T*, int, T*, int);
    Gemm gemm = nullptr;
    Trsm trsm = nullptr;

    OpenBlas() {
        static void* const library = library::open_library({"libopenblas.so.0", "libopenblas.so"});
        if (!library) return;
        const bool is_double = std::is_same_v<RealOf<T>, double>;
        const std::string prefix = std::string("cblas_") + (is_complex<T> ? is_double ? "z" : "c"
                                                            : is_double   ? "d"
                                                                          : "s");
        gemm = reinterpret_cast<Gemm>(dlsym(library, (prefix + "gemm").c_str()));
        trsm = reinterpret_cast<Trsm>(dlsym(library, (prefix + "trsm").c_str()));
    }
    static const OpenBlas& instance() {
        static const OpenBlas& functions = *new OpenBlas;
        return functions;
    }
};

bool fits(Index value) { return value <= INT_MAX; }

// Below this many multiplications, calling OpenBLAS takes longer than the loops.
constexpr Index fewest_multiplications = 4096;

// ---- our own loops

template <typename T>
void scale(T beta, T* c, Index m, Index n, Index pitch) {
    for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < m; ++i) c[i + j * pitch] = beta == T(0) ? T(0) : beta * c[i + j * pitch];
    }
}

// op(A) without an operation: rows x columns, one column after another.
template <typename T>
std::vector<T> applied(cublasOperation_t operation, const T* a, Index pitch, Index rows, Index columns) {
    std::vector<T> dense(static_cast<size_t>(rows * columns));
    for (Index j = 0; j < columns; ++j) {
        for (Index i = 0; i < rows; ++i) {
            const T value = operation == CUBLAS_OP_N ? a[i + j * pitch] : a[j + i * pitch];
            dense[static_cast<size_t>(i + j * rows)] = conj_if(operation == CUBLAS_OP_C, value);
        }
    }
    return dense;
}

// C += alpha A B: a strip of a few hundred rows of A stays in the cache while all columns of B pass.
template <typename T>
void add_product(Index m, Index n, Index k, T alpha, const T* a, Index pitch_a, const T* b, Index pitch_b, T* c,
                 Index pitch_c) {
    constexpr Index rows = 256, terms = 128;
    for (Index l0 = 0; l0 < k; l0 += terms) {
        const Index l1 = std::min(k, l0 + terms);
        for (Index i0 = 0; i0 < m; i0 += rows) {
            const Index i1 = std::min(m, i0 + rows);
            for (Index j = 0; j < n; ++j) {
                T* const column = c + j * pitch_c;
                for (Index l = l0; l < l1; ++l) {
                    const T weight = alpha * b[l + j * pitch_b];
                    const T* const from = a + l * pitch_a;
                    for (Index i = i0; i < i1; ++i) column[i] += from[i] * weight;
                }
            }
        }
    }
}

// Solves op(A) X = B column by column of X; `a` is dense, with the operation applied.
template <typename T>
void substitute(bool is_upper, bool has_unit_diagonal, Index m, Index n, const T* a, Index pitch_a, T* b,
                Index pitch_b) {
    for (Index column = 0; column < n; ++column) {
        T* const x = b + column * pitch_b;
        for (Index step = 0; step < m; ++step) {
            const Index j = is_upper ? m - 1 - step : step;
            const T* const below = a + j * pitch_a;
            if (!has_unit_diagonal) x[j] = x[j] / below[j];
            const T value = x[j];
            for (Index i = is_upper ? 0 : j + 1; i < (is_upper ? j : m); ++i) x[i] -= below[i] * value;
        }
    }
}

template <typename T>
void transpose_to(const T* from, Index rows, Index columns, Index pitch_from, T* to, Index pitch_to) {
    for (Index j = 0; j < columns; ++j) {
        for (Index i = 0; i < rows; ++i) to[j + i * pitch_to] = from[i + j * pitch_from];
    }
}

}  // namespace

template <typename T>
void multiply(cublasOperation_t operation_a, cublasOperation_t operation_b, Index m, Index n, Index k, T alpha,
              const T* a, Index pitch_a, const T* b, Index pitch_b, T beta, T* c, Index pitch_c) {
    if (m == 0 || n == 0) return;
    const auto& open = OpenBlas<T>::instance();
    const bool is_small = m * n <= fewest_multiplications && m * n * k <= fewest_multiplications;
    const bool all_fit = fits(m) && fits(n) && fits(k) && fits(pitch_a) && fits(pitch_b) && fits(pitch_c);
    if (k > 0 && open.gemm && !is_small && all_fit) {
        open.gemm(column_major, no_transpose + operation_a, no_transpose + operation_b, static_cast<int>(m),
                  static_cast<int>(n), static_cast<int>(k), factor(alpha), a, static_cast<int>(pitch_a), b,
                  static_cast<int>(pitch_b), factor(beta), c, static_cast<int>(pitch_c));
        return;
    }
    if (!(beta == T(1))) scale(beta, c, m, n, pitch_c);
    if (k == 0 || alpha == T(0)) return;
    std::vector<T> copy_a, copy_b;
    if (operation_a != CUBLAS_OP_N) {
        copy_a = applied(operation_a, a, pitch_a, m, k);
        a = copy_a.data(), pitch_a = m;
    }
    if (operation_b != CUBLAS_OP_N) {
        copy_b = applied(operation_b, b, pitch_b, k, n);
        b = copy_b.data(), pitch_b = k;
    }
    add_product(m, n, k, alpha, a, pitch_a, b, pitch_b, c, pitch_c);
}

template <typename T>
void solve(cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t operation, cublasDiagType_t diagonal,
           Index m, Index n, T alpha, const T* a, Index pitch_a, T* b, Index pitch_b) {
    if (m == 0 || n == 0) return;
    if (alpha == T(0)) return scale(alpha, b, m, n, pitch_b);
    const auto& open = OpenBlas<T>::instance();
    const Index order = side == CUBLAS_SIDE_LEFT ? m : n;
    const bool all_fit = fits(m) && fits(n) && fits(pitch_a) && fits(pitch_b);
    if (open.trsm && m * n * order > fewest_multiplications && all_fit) {
        open.trsm(column_major, left + (side == CUBLAS_SIDE_RIGHT), upper + (fill == CUBLAS_FILL_MODE_LOWER),
                  no_transpose + operation, non_unit + (diagonal == CUBLAS_DIAG_UNIT), static_cast<int>(m),
                  static_cast<int>(n), factor(alpha), a, static_cast<int>(pitch_a), b, static_cast<int>(pitch_b));
        return;
    }
    if (!(alpha == T(1))) scale(alpha, b, m, n, pitch_b);
    const bool is_unit = diagonal == CUBLAS_DIAG_UNIT;
    const bool is_upper = (fill == CUBLAS_FILL_MODE_UPPER) == (operation == CUBLAS_OP_N);
    const std::vector<T> matrix = applied(operation, a, pitch_a, order, order);
    if (side == CUBLAS_SIDE_LEFT) return substitute(is_upper, is_unit, m, n, matrix.data(), order, b, pitch_b);
    // X op(A) = B is op(A)' X' = B'.
    std::vector<T> transposed(matrix.size()), x(static_cast<size_t>(m * n));
    transpose_to(matrix.data(), order, order, order, transposed.data(), order);
    transpose_to(b, m, n, pitch_b, x.data(), n);
    substitute(!is_upper, is_unit, n, m, transposed.data(), order, x.data(), n);
    transpose_to(x.data(), n, m, n, b, pitch_b);
}

#define SIMT_ENGINE(T)                                                                                              \
    template void multiply(cublasOperation_t, cublasOperation_t, Index, Index, Index, T, const T*, Index, const T*, \
                           Index, T, T*, Index);                                                                    \
    template void solve(cublasSideMode_t, cublasFillMode_t, cublasOperation_t, cublasDiagType_t, Index, Index, T,   \
                        const T*, Index, T*, Index);
SIMT_ENGINE(float)
SIMT_ENGINE(double)
SIMT_ENGINE(Complex<float>)
SIMT_ENGINE(Complex<double>)
#undef SIMT_ENGINE

}  // namespace simt::blas
