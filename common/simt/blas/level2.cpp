// SPDX-License-Identifier: MIT
// Level 2: a matrix and vectors. Vectors are copied to where their elements are contiguous.
#include <vector>

#include "common/simt/blas/call.hpp"
#include "common/simt/blas/columns.hpp"

namespace simt::blas::matrix_vector {
namespace {

// y = beta y, the beginning of each product
template <typename T>
std::vector<T> scaled(T beta, const T* y, Index n, Index stride) {
    if (beta == T(0)) return std::vector<T>(static_cast<size_t>(n));
    std::vector<T> values = gather(y, n, stride);
    for (T& value : values) value = beta * value;
    return values;
}

// y += op(A) x
template <typename T>
void add_product(const Columns<const T>& a, cublasOperation_t operation, const std::vector<T>& x, std::vector<T>& y) {
    const bool conjugates = operation == CUBLAS_OP_C;
    for (Index j = 0; j < a.columns; ++j) {
        const T* const column = a.column(j);
        const Index first = a.first(j), end = a.end(j);
        const auto at = static_cast<size_t>(j);
        if (operation == CUBLAS_OP_N) {
            const T weight = x[at];
            for (Index i = first; i < end; ++i) y[static_cast<size_t>(i)] += column[i] * weight;
        } else {
            WideOf<T> sum = 0;
            for (Index i = first; i < end; ++i)
                sum += wide(conj_if(conjugates, column[i])) * wide(x[static_cast<size_t>(i)]);
            y[at] += narrow<T>(sum);
        }
    }
}

// y += A x, where A stands for a symmetric or Hermitian matrix
template <typename T>
void add_symmetric_product(const Columns<const T>& a, Symmetry symmetry, const std::vector<T>& x, std::vector<T>& y) {
    const bool is_hermitian = symmetry == Symmetry::hermitian;
    for (Index j = 0; j < a.columns; ++j) {
        const T* const column = a.column(j);
        const T weight = x[static_cast<size_t>(j)];
        T sum = (is_hermitian ? T(real_part(column[j])) : column[j]) * weight;
        for (Index i = a.first(j); i < a.end(j); ++i) {
            if (i == j) continue;
            y[static_cast<size_t>(i)] += column[i] * weight;
            sum += conj_if(is_hermitian, column[i]) * x[static_cast<size_t>(i)];
        }
        y[static_cast<size_t>(j)] += sum;
    }
}

template <typename T>
struct Product {
    const T* alpha;
    const T* x;
    Index stride_x;
    const T* beta;
    T* y;
    Index stride_y;
};

// y = alpha A x + beta y. `add(x, y)` adds the product.
template <typename T, typename Add>
cublasStatus_t multiply_vector(const char* name, const Context& context, const Columns<const T>& a, Index rows,
                               Index columns, const Product<T>& p, Add add) {
    if (!p.alpha || !p.beta || p.stride_x == 0 || p.stride_y == 0) return CUBLAS_STATUS_INVALID_VALUE;
    if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;
    const Scalar<T> alpha(context, p.alpha), beta(context, p.beta);
    return submit(
        context, name,
        [=] {
            return std::vector<Buffer>{
                alpha.buffer("alpha"), beta.buffer("beta"), a.buffer("A"), vector_buffer("x", p.x, columns, p.stride_x),
                vector_buffer("y", p.y, rows, p.stride_y, beta.get() == T(0) ? Use::writes : Use::reads_and_writes)};
        },
        [=] {
            std::vector<T> x = gather(p.x, columns, p.stride_x);
            for (T& value : x) value = alpha.get() * value;
            std::vector<T> y = scaled(beta.get(), p.y, rows, p.stride_y);
            if (!(alpha.get() == T(0))) add(x, y);
            scatter(y, p.y, p.stride_y);
        });
}

template <typename T>
cublasStatus_t general(const char* name, cublasHandle_t handle, cublasOperation_t operation, const Columns<const T>& a,
                       bool is_valid, const Product<T>& product) {
    return with_context(name, handle, [&](Context& context) {
        if (!is_valid || !is_operation(operation) || a.rows < 0 || a.columns < 0) return CUBLAS_STATUS_INVALID_VALUE;
        const bool is_plain = operation == CUBLAS_OP_N;
        return multiply_vector(name, context, a, is_plain ? a.rows : a.columns, is_plain ? a.columns : a.rows, product,
                               [=](const std::vector<T>& x, std::vector<T>& y) { add_product(a, operation, x, y); });
    });
}

template <typename T>
cublasStatus_t symmetric(const char* name, cublasHandle_t handle, Symmetry symmetry, cublasFillMode_t fill,
                         const Columns<const T>& a, bool is_valid, const Product<T>& product) {
    return with_context(name, handle, [&](Context& context) {
        if (!is_valid || !is_fill(fill) || a.rows < 0) return CUBLAS_STATUS_INVALID_VALUE;
        return multiply_vector(
            name, context, a, a.rows, a.rows, product,
            [=](const std::vector<T>& x, std::vector<T>& y) { add_symmetric_product(a, symmetry, x, y); });
    });
}

// ---- triangular matrices: x = op(A) x, and x = op(A)^-1 x

template <typename T>
std::vector<T> triangular_product(const Columns<const T>& a, cublasOperation_t operation, bool is_unit,
                                  const std::vector<T>& x) {
    const bool conjugates = operation == CUBLAS_OP_C;
    std::vector<T> y(x.size());
    for (Index j = 0; j < a.columns; ++j) {
        const T* const column = a.column(j);
        const auto at = static_cast<size_t>(j);
        y[at] += is_unit ? x[at] : conj_if(conjugates, column[j]) * x[at];
        for (Index i = a.first(j); i < a.end(j); ++i) {
            if (i == j) continue;
            const auto row = static_cast<size_t>(i);
            if (operation == CUBLAS_OP_N) y[row] += column[i] * x[at];
            else y[at] += conj_if(conjugates, column[i]) * x[row];
        }
    }
    return y;
}

template <typename T>
void triangular_solution(const Columns<const T>& a, cublasOperation_t operation, bool is_unit, std::vector<T>& x) {
    const bool conjugates = operation == CUBLAS_OP_C, is_upper = a.above > 0 || a.below == 0;
    const bool is_plain = operation == CUBLAS_OP_N;
    for (Index step = 0; step < a.columns; ++step) {
        const Index j = is_upper == is_plain ? a.columns - 1 - step : step;
        const T* const column = a.column(j);
        T& value = x[static_cast<size_t>(j)];
        if (!is_plain) {
            for (Index i = a.first(j); i < a.end(j); ++i) {
                if (i != j) value -= conj_if(conjugates, column[i]) * x[static_cast<size_t>(i)];
            }
        }
        if (!is_unit) value = value / conj_if(conjugates, column[j]);
        if (!is_plain) continue;
        for (Index i = a.first(j); i < a.end(j); ++i) {
            if (i != j) x[static_cast<size_t>(i)] -= column[i] * value;
        }
    }
}

template <bool solves, typename T>
cublasStatus_t triangular(const char* name, cublasHandle_t handle, cublasFillMode_t fill, cublasOperation_t operation,
                          cublasDiagType_t diagonal, const Columns<const T>& a, bool is_valid, T* x, Index stride) {
    return with_context(name, handle, [&](Context& context) {
        const bool names_triangle = is_fill(fill) && is_operation(operation) && is_diagonal(diagonal);
        if (!is_valid || !names_triangle || a.rows < 0 || stride == 0) return CUBLAS_STATUS_INVALID_VALUE;
        if (a.rows == 0) return CUBLAS_STATUS_SUCCESS;
        return submit(
            context, name,
            [=] {
                return std::vector<Buffer>{a.buffer("A"), vector_buffer("x", x, a.rows, stride, Use::reads_and_writes)};
            },
            [=] {
                const bool is_unit = diagonal == CUBLAS_DIAG_UNIT;
                std::vector<T> values = gather(x, a.rows, stride);
                if (solves) triangular_solution(a, operation, is_unit, values);
                else values = triangular_product(a, operation, is_unit, values);
                scatter(values, x, stride);
            });
    });
}

// ---- updates: A += alpha x y', and A += alpha x y' + alpha' y x' for a triangle that stands for a matrix

template <bool conjugates, typename T>
cublasStatus_t ger(const char* name, cublasHandle_t handle, Index m, Index n, const T* alpha, const T* x, Index incx,
                   const T* y, Index incy, T* a, Index pitch) {
    return with_context(name, handle, [&](Context& context) {
        const bool is_valid = m >= 0 && n >= 0 && alpha && incx != 0 && incy != 0 && is_pitch(pitch, m);
        if (!is_valid) return CUBLAS_STATUS_INVALID_VALUE;
        if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<T> factor(context, alpha);
        return submit(
            context, name,
            [=] {
                return std::vector<Buffer>{factor.buffer("alpha"), vector_buffer("x", x, m, incx),
                                           vector_buffer("y", y, n, incy),
                                           matrix_buffer("A", a, m, n, pitch, Use::reads_and_writes)};
            },
            [=] {
                const std::vector<T> left = gather(x, m, incx), right = gather(y, n, incy);
                for (Index j = 0; j < n; ++j) {
                    const T weight = factor.get() * conj_if(conjugates, right[static_cast<size_t>(j)]);
                    for (Index i = 0; i < m; ++i) a[i + j * pitch] += left[static_cast<size_t>(i)] * weight;
                }
            });
    });
}

// y: null for an update of rank 1. F: the factor's type, which is real for Hermitian updates of rank 1.
template <typename T, typename F>
cublasStatus_t update(const char* name, cublasHandle_t handle, Symmetry symmetry, cublasFillMode_t fill, const F* alpha,
                      const T* x, Index incx, const T* y, Index incy, bool is_of_rank_2, const Columns<T>& a,
                      bool is_valid) {
    return with_context(name, handle, [&](Context& context) {
        if (!is_valid || !is_fill(fill) || a.rows < 0 || !alpha || incx == 0 || incy == 0) {
            return CUBLAS_STATUS_INVALID_VALUE;
        }
        if (a.rows == 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<F> factor(context, alpha);
        const bool is_hermitian = symmetry == Symmetry::hermitian;
        return submit(
            context, name,
            [=] {
                std::vector<Buffer> all = {factor.buffer("alpha"), vector_buffer("x", x, a.rows, incx),
                                           a.buffer("A", Use::reads_and_writes)};
                if (is_of_rank_2) all.push_back(vector_buffer("y", y, a.rows, incy));
                return all;
            },
            [=] {
                const T weight(factor.get());
                const std::vector<T> left = gather(x, a.rows, incx);
                const std::vector<T> right = is_of_rank_2 ? gather(y, a.rows, incy) : left;
                for (Index j = 0; j < a.columns; ++j) {
                    const auto at = static_cast<size_t>(j);
                    const T to_left = weight * conj_if(is_hermitian, right[at]);
                    const T to_right = conj_if(is_hermitian, weight * left[at]);
                    T* const column = a.column(j);
                    for (Index i = a.first(j); i < a.end(j); ++i) {
                        const auto row = static_cast<size_t>(i);
                        column[i] += left[row] * to_left;
                        if (is_of_rank_2) column[i] += right[row] * to_right;
                    }
                    if (is_hermitian) column[j] = T(real_part(column[j]));
                }
            });
    });
}

}  // namespace
}  // namespace simt::blas::matrix_vector

using namespace simt::blas;

#define PRODUCT ours(alpha), ours(x), incx, ours(beta), ours(y), incy

#define SIMT_TRIANGULAR(P, T, v, solves)                                                                            \
    cublasStatus_t cublas##P##tr##v(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,          \
                                    cublasDiagType_t diag, int n, const T* A, int lda, T* x, int incx) {            \
        return matrix_vector::triangular<solves>("cublas" #P "tr" #v, handle, uplo, trans, diag,                    \
                                                 triangle(ours(A), uplo, n, lda), is_pitch(lda, n), ours(x), incx); \
    }                                                                                                               \
    cublasStatus_t cublas##P##tb##v(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,          \
                                    cublasDiagType_t diag, int n, int k, const T* A, int lda, T* x, int incx) {     \
        return matrix_vector::triangular<solves>("cublas" #P "tb" #v, handle, uplo, trans, diag,                    \
                                                 banded_triangle(ours(A), uplo, n, k, lda), k >= 0 && lda > k,      \
                                                 ours(x), incx);                                                    \
    }                                                                                                               \
    cublasStatus_t cublas##P##tp##v(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,          \
                                    cublasDiagType_t diag, int n, const T* AP, T* x, int incx) {                    \
        return matrix_vector::triangular<solves>("cublas" #P "tp" #v, handle, uplo, trans, diag,                    \
                                                 packed_triangle(ours(AP), uplo, n), true, ours(x), incx);          \
    }

#define SIMT_MV(name, kind, T)                                                                                   \
    cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* A, \
                                int lda, const T* x, int incx, const T* beta, T* y, int incy) {                  \
        return matrix_vector::symmetric("cublas" #name, handle, kind, uplo, triangle(ours(A), uplo, n, lda),     \
                                        is_pitch(lda, n), {PRODUCT});                                            \
    }
#define SIMT_BANDED(name, kind, T)                                                                                     \
    cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t uplo, int n, int k, const T* alpha,            \
                                const T* A, int lda, const T* x, int incx, const T* beta, T* y, int incy) {            \
        return matrix_vector::symmetric("cublas" #name, handle, kind, uplo, banded_triangle(ours(A), uplo, n, k, lda), \
                                        k >= 0 && lda > k, {PRODUCT});                                                 \
    }
#define SIMT_PACKED(name, kind, T)                                                                                    \
    cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* AP,     \
                                const T* x, int incx, const T* beta, T* y, int incy) {                                \
        return matrix_vector::symmetric("cublas" #name, handle, kind, uplo, packed_triangle(ours(AP), uplo, n), true, \
                                        {PRODUCT});                                                                   \
    }
#define SIMT_R(name, kind, T, F)                                                                                    \
    cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t uplo, int n, const F* alpha, const T* x,    \
                                int incx, T* A, int lda) {                                                          \
        return matrix_vector::update("cublas" #name, handle, kind, uplo, ours(alpha), ours(x), incx, ours(x), incx, \
                                     false, triangle(ours(A), uplo, n, lda), is_pitch(lda, n));                     \
    }
#define SIMT_R2(name, kind, T)                                                                                      \
    cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,    \
                                int incx, const T* y, int incy, T* A, int lda) {                                    \
        return matrix_vector::update("cublas" #name, handle, kind, uplo, ours(alpha), ours(x), incx, ours(y), incy, \
                                     true, triangle(ours(A), uplo, n, lda), is_pitch(lda, n));                      \
    }
#define SIMT_PR(name, kind, T, F)                                                                                   \
    cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t uplo, int n, const F* alpha, const T* x,    \
                                int incx, T* AP) {                                                                  \
        return matrix_vector::update("cublas" #name, handle, kind, uplo, ours(alpha), ours(x), incx, ours(x), incx, \
                                     false, packed_triangle(ours(AP), uplo, n), true);                              \
    }
#define SIMT_PR2(name, kind, T)                                                                                     \
    cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* alpha, const T* x,    \
                                int incx, const T* y, int incy, T* AP) {                                            \
        return matrix_vector::update("cublas" #name, handle, kind, uplo, ours(alpha), ours(x), incx, ours(y), incy, \
                                     true, packed_triangle(ours(AP), uplo, n), true);                               \
    }
#define SIMT_OUTER(name, T, conjugates)                                                                                \
    cublasStatus_t cublas##name(cublasHandle_t handle, int m, int n, const T* alpha, const T* x, int incx, const T* y, \
                                int incy, T* A, int lda) {                                                             \
        return matrix_vector::ger<conjugates>("cublas" #name, handle, m, n, ours(alpha), ours(x), incx, ours(y), incy, \
                                              ours(A), lda);                                                           \
    }

#define SIMT_ANY(P, T, R)                                                                                           \
    cublasStatus_t cublas##P##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, const T* alpha,    \
                                   const T* A, int lda, const T* x, int incx, const T* beta, T* y, int incy) {      \
        return matrix_vector::general("cublas" #P "gemv", handle, trans, full_matrix(ours(A), m, n, lda),           \
                                      is_pitch(lda, m), {PRODUCT});                                                 \
    }                                                                                                               \
    cublasStatus_t cublas##P##gbmv(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int kl, int ku,    \
                                   const T* alpha, const T* A, int lda, const T* x, int incx, const T* beta, T* y,  \
                                   int incy) {                                                                      \
        return matrix_vector::general("cublas" #P "gbmv", handle, trans, banded_matrix(ours(A), m, n, kl, ku, lda), \
                                      kl >= 0 && ku >= 0 && lda > kl + ku, {PRODUCT});                              \
    }                                                                                                               \
    SIMT_TRIANGULAR(P, T, mv, false)                                                                                \
    SIMT_TRIANGULAR(P, T, sv, true)                                                                                 \
    SIMT_MV(P##symv, Symmetry::symmetric, T)                                                                        \
    SIMT_R(P##syr, Symmetry::symmetric, T, T)                                                                       \
    SIMT_R2(P##syr2, Symmetry::symmetric, T)
#define SIMT_ONLY_REAL(P, T, R)                  \
    SIMT_BANDED(P##sbmv, Symmetry::symmetric, T) \
    SIMT_PACKED(P##spmv, Symmetry::symmetric, T) \
    SIMT_PR(P##spr, Symmetry::symmetric, T, T) SIMT_PR2(P##spr2, Symmetry::symmetric, T) SIMT_OUTER(P##ger, T, false)
#define SIMT_ONLY_COMPLEX(P, T, R) SIMT_MV(P##hemv, Symmetry::hermitian, T)
#define SIMT_UPDATES(P, T, R)                 \
    SIMT_R(P##her, Symmetry::hermitian, T, R) \
    SIMT_R2(P##her2, Symmetry::hermitian, T)
#define SIMT_PACKED_PRODUCTS(P, T, R)            \
    SIMT_BANDED(P##hbmv, Symmetry::hermitian, T) \
    SIMT_PACKED(P##hpmv, Symmetry::hermitian, T)
#define SIMT_PACKED_UPDATES(P, T, R)           \
    SIMT_PR(P##hpr, Symmetry::hermitian, T, R) \
    SIMT_PR2(P##hpr2, Symmetry::hermitian, T)
#define SIMT_OUTER_PRODUCTS(P, T, R) \
    SIMT_OUTER(P##geru, T, false)    \
    SIMT_OUTER(P##gerc, T, true)

SIMT_BLAS_ALL(SIMT_ANY)
SIMT_BLAS_REAL(SIMT_ONLY_REAL)
SIMT_BLAS_COMPLEX(SIMT_ONLY_COMPLEX)
SIMT_BLAS_COMPLEX(SIMT_UPDATES)
SIMT_BLAS_COMPLEX(SIMT_PACKED_PRODUCTS)
SIMT_BLAS_COMPLEX(SIMT_PACKED_UPDATES)
SIMT_BLAS_COMPLEX(SIMT_OUTER_PRODUCTS)

#undef PRODUCT
#undef SIMT_TRIANGULAR
#undef SIMT_MV
#undef SIMT_BANDED
#undef SIMT_PACKED
#undef SIMT_R
#undef SIMT_R2
#undef SIMT_PR
#undef SIMT_PR2
#undef SIMT_OUTER
#undef SIMT_ANY
#undef SIMT_ONLY_REAL
#undef SIMT_ONLY_COMPLEX
#undef SIMT_UPDATES
#undef SIMT_PACKED_PRODUCTS
#undef SIMT_PACKED_UPDATES
#undef SIMT_OUTER_PRODUCTS
