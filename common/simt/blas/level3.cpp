// SPDX-License-Identifier: MIT
// Level 3: matrices. Triangular, symmetric and Hermitian ones are multiplied as dense copies.
#include <vector>

#include "common/simt/blas/call.hpp"
#include "common/simt/blas/columns.hpp"
#include "common/simt/blas/engine.hpp"

namespace simt::blas::matrices {
namespace {

template <typename T>
Use use_of(const Scalar<T>& beta) {
    return beta.get() == T(0) ? Use::writes : Use::reads_and_writes;
}

template <typename T>
cublasStatus_t gemm(const char* name, cublasHandle_t handle, cublasOperation_t operation_a,
                    cublasOperation_t operation_b, Index m, Index n, Index k, const T* alpha, const T* a, Index pitch_a,
                    const T* b, Index pitch_b, const T* beta, T* c, Index pitch_c) {
    return with_context(name, handle, [&](Context& context) {
        const bool is_plain_a = operation_a == CUBLAS_OP_N, is_plain_b = operation_b == CUBLAS_OP_N;
        const Index rows_a = is_plain_a ? m : k, rows_b = is_plain_b ? k : n;
        const bool is_valid = is_operation(operation_a) && is_operation(operation_b) && m >= 0 && n >= 0 && k >= 0 &&
                              is_pitch(pitch_a, rows_a) && is_pitch(pitch_b, rows_b) && is_pitch(pitch_c, m);
        if (!is_valid || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
        if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<T> factor(context, alpha), kept(context, beta);
        return submit(
            context, name,
            [=] {
                return std::vector<Buffer>{factor.buffer("alpha"), kept.buffer("beta"),
                                           matrix_buffer("A", a, rows_a, is_plain_a ? k : m, pitch_a),
                                           matrix_buffer("B", b, rows_b, is_plain_b ? n : k, pitch_b),
                                           matrix_buffer("C", c, m, n, pitch_c, use_of(kept))};
            },
            [=] {
                multiply(operation_a, operation_b, m, n, k, factor.get(), a, pitch_a, b, pitch_b, kept.get(), c,
                         pitch_c);
            });
    });
}

template <typename T>
cublasStatus_t symm(const char* name, cublasHandle_t handle, Symmetry symmetry, cublasSideMode_t side,
                    cublasFillMode_t fill, Index m, Index n, const T* alpha, const T* a, Index pitch_a, const T* b,
                    Index pitch_b, const T* beta, T* c, Index pitch_c) {
    return with_context(name, handle, [&](Context& context) {
        const bool is_left = side == CUBLAS_SIDE_LEFT;
        const Index order = is_left ? m : n;
        const bool is_valid = is_side(side) && is_fill(fill) && m >= 0 && n >= 0 && is_pitch(pitch_a, order) &&
                              is_pitch(pitch_b, m) && is_pitch(pitch_c, m);
        if (!is_valid || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
        if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<T> factor(context, alpha), kept(context, beta);
        return submit(
            context, name,
            [=] {
                return std::vector<Buffer>{
                    factor.buffer("alpha"), kept.buffer("beta"), matrix_buffer("A", a, order, order, pitch_a),
                    matrix_buffer("B", b, m, n, pitch_b), matrix_buffer("C", c, m, n, pitch_c, use_of(kept))};
            },
            [=] {
                const auto dense = dense_symmetric(triangle(a, fill, order, pitch_a), symmetry);
                const T *const left = is_left ? dense.data() : b, *const right = is_left ? b : dense.data();
                multiply(CUBLAS_OP_N, CUBLAS_OP_N, m, n, order, factor.get(), left, is_left ? order : pitch_b, right,
                         is_left ? pitch_b : order, kept.get(), c, pitch_c);
            });
    });
}

enum class Update { one, two, one_of_two };  // A A', A B' + B A', A B'

// C = alpha op(A) op(B)' + beta C in one triangle. F: the type of alpha, G: of beta.
template <typename T, typename F, typename G>
cublasStatus_t syrk(const char* name, cublasHandle_t handle, Symmetry symmetry, Update how, cublasFillMode_t fill,
                    cublasOperation_t operation, Index n, Index k, const F* alpha, const T* a, Index pitch_a,
                    const T* b, Index pitch_b, const G* beta, T* c, Index pitch_c) {
    return with_context(name, handle, [&](Context& context) {
        const bool is_plain = operation == CUBLAS_OP_N, is_hermitian = symmetry == Symmetry::hermitian;
        const Index rows = is_plain ? n : k, columns = is_plain ? k : n;
        const bool is_valid = is_fill(fill) && is_operation(operation) && n >= 0 && k >= 0 && is_pitch(pitch_a, rows) &&
                              is_pitch(pitch_b, rows) && is_pitch(pitch_c, n);
        // (Only Hermitian updates conjugate.)
        const bool fits = is_plain || !is_complex<T> || (operation == CUBLAS_OP_C) == is_hermitian;
        if (!is_valid || !fits || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
        if (n == 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<F> factor(context, alpha);
        const Scalar<G> kept(context, beta);
        return submit(
            context, name,
            [=] {
                // (Its other triangle stays as it is.)
                return std::vector<Buffer>{factor.buffer("alpha"), kept.buffer("beta"),
                                           matrix_buffer("A", a, rows, columns, pitch_a),
                                           matrix_buffer("B", b, rows, columns, pitch_b),
                                           triangle(c, fill, n, pitch_c).buffer("C", use_of(kept))};
            },
            [=] {
                const cublasOperation_t turned = is_hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
                const cublasOperation_t left = is_plain ? CUBLAS_OP_N : turned, right = is_plain ? turned : CUBLAS_OP_N;
                std::vector<T> product(static_cast<size_t>(n * n));
                const T weight(factor.get());
                multiply(left, right, n, n, k, weight, a, pitch_a, b, pitch_b, T(0), product.data(), n);
                if (how == Update::two) {
                    multiply(left, right, n, n, k, conj_if(is_hermitian, weight), b, pitch_b, a, pitch_a, T(1),
                             product.data(), n);
                }
                const auto target = triangle(c, fill, n, pitch_c);
                const T keeps(kept.get());
                for (Index j = 0; j < n; ++j) {
                    for (Index i = target.first(j); i < target.end(j); ++i) {
                        T& element = target.column(j)[i];
                        const T sum = product[static_cast<size_t>(i + j * n)];
                        element = keeps == T(0) ? sum : sum + keeps * element;
                        if (i == j && is_hermitian) element = T(real_part(element));
                    }
                }
            });
    });
}

template <typename T>
cublasStatus_t trmm(const char* name, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                    cublasOperation_t operation, cublasDiagType_t diagonal, Index m, Index n, const T* alpha,
                    const T* a, Index pitch_a, const T* b, Index pitch_b, T* c, Index pitch_c) {
    return with_context(name, handle, [&](Context& context) {
        const bool is_left = side == CUBLAS_SIDE_LEFT;
        const Index order = is_left ? m : n;
        const bool is_valid = is_side(side) && is_fill(fill) && is_operation(operation) && is_diagonal(diagonal) &&
                              m >= 0 && n >= 0 && is_pitch(pitch_a, order) && is_pitch(pitch_b, m) &&
                              is_pitch(pitch_c, m);
        if (!is_valid || !alpha) return CUBLAS_STATUS_INVALID_VALUE;
        if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<T> factor(context, alpha);
        return submit(
            context, name,
            [=] {
                return std::vector<Buffer>{factor.buffer("alpha"), matrix_buffer("A", a, order, order, pitch_a),
                                           matrix_buffer("B", b, m, n, pitch_b),
                                           matrix_buffer("C", c, m, n, pitch_c, Use::writes)};
            },
            [=] {
                const auto dense = dense_triangle(triangle(a, fill, order, pitch_a), diagonal == CUBLAS_DIAG_UNIT);
                std::vector<T> product(static_cast<size_t>(m * n));  // C may be B
                if (is_left) {
                    multiply(operation, CUBLAS_OP_N, m, n, m, factor.get(), dense.data(), m, b, pitch_b, T(0),
                             product.data(), m);
                } else {
                    multiply(CUBLAS_OP_N, operation, m, n, n, factor.get(), b, pitch_b, dense.data(), n, T(0),
                             product.data(), m);
                }
                for (Index j = 0; j < n; ++j) {
                    for (Index i = 0; i < m; ++i) c[i + j * pitch_c] = product[static_cast<size_t>(i + j * m)];
                }
            });
    });
}

template <typename T>
cublasStatus_t trsm(const char* name, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                    cublasOperation_t operation, cublasDiagType_t diagonal, Index m, Index n, const T* alpha,
                    const T* a, Index pitch_a, T* b, Index pitch_b) {
    return with_context(name, handle, [&](Context& context) {
        const Index order = side == CUBLAS_SIDE_LEFT ? m : n;
        const bool is_valid = is_side(side) && is_fill(fill) && is_operation(operation) && is_diagonal(diagonal) &&
                              m >= 0 && n >= 0 && is_pitch(pitch_a, order) && is_pitch(pitch_b, m);
        if (!is_valid || !alpha) return CUBLAS_STATUS_INVALID_VALUE;
        if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<T> factor(context, alpha);
        return submit(
            context, name,
            [=] {
                return std::vector<Buffer>{factor.buffer("alpha"), matrix_buffer("A", a, order, order, pitch_a),
                                           matrix_buffer("B", b, m, n, pitch_b, Use::reads_and_writes)};
            },
            [=] { solve(side, fill, operation, diagonal, m, n, factor.get(), a, pitch_a, b, pitch_b); });
    });
}

// C = alpha op(A) + beta op(B). C may be A or B if that is not transposed.
template <typename T>
cublasStatus_t geam(const char* name, cublasHandle_t handle, cublasOperation_t operation_a,
                    cublasOperation_t operation_b, Index m, Index n, const T* alpha, const T* a, Index pitch_a,
                    const T* beta, const T* b, Index pitch_b, T* c, Index pitch_c) {
    return with_context(name, handle, [&](Context& context) {
        const bool is_plain_a = operation_a == CUBLAS_OP_N, is_plain_b = operation_b == CUBLAS_OP_N;
        const Index rows_a = is_plain_a ? m : n, rows_b = is_plain_b ? m : n;
        const bool is_valid = is_operation(operation_a) && is_operation(operation_b) && m >= 0 && n >= 0 &&
                              is_pitch(pitch_a, rows_a) && is_pitch(pitch_b, rows_b) && is_pitch(pitch_c, m);
        const bool overlaps =
            (c == a && (!is_plain_a || pitch_a != pitch_c)) || (c == b && (!is_plain_b || pitch_b != pitch_c));
        if (!is_valid || overlaps || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
        if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<T> factor_a(context, alpha), factor_b(context, beta);
        return submit(
            context, name,
            [=] {
                std::vector<Buffer> all = {factor_a.buffer("alpha"), factor_b.buffer("beta"),
                                           matrix_buffer("C", c, m, n, pitch_c, Use::writes)};
                if (!(factor_a.get() == T(0))) {
                    all.push_back(matrix_buffer("A", a, rows_a, is_plain_a ? n : m, pitch_a));
                }
                if (!(factor_b.get() == T(0))) {
                    all.push_back(matrix_buffer("B", b, rows_b, is_plain_b ? n : m, pitch_b));
                }
                return all;
            },
            [=] {
                const T weight_a = factor_a.get(), weight_b = factor_b.get();
                const auto term = [](T weight, const T* from, cublasOperation_t operation, Index pitch, Index i,
                                     Index j) {
                    if (weight == T(0)) return T(0);
                    const T value = operation == CUBLAS_OP_N ? from[i + j * pitch] : from[j + i * pitch];
                    return weight * conj_if(operation == CUBLAS_OP_C, value);
                };
                for (Index j = 0; j < n; ++j) {
                    for (Index i = 0; i < m; ++i) {
                        c[i + j * pitch_c] = term(weight_a, a, operation_a, pitch_a, i, j) +
                                             term(weight_b, b, operation_b, pitch_b, i, j);
                    }
                }
            });
    });
}

template <typename T>
cublasStatus_t dgmm(const char* name, cublasHandle_t handle, cublasSideMode_t side, Index m, Index n, const T* a,
                    Index pitch_a, const T* x, Index incx, T* c, Index pitch_c) {
    return with_context(name, handle, [&](Context& context) {
        const bool is_valid = is_side(side) && m >= 0 && n >= 0 && is_pitch(pitch_a, m) && is_pitch(pitch_c, m);
        if (!is_valid) return CUBLAS_STATUS_INVALID_VALUE;
        if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
        const bool is_left = side == CUBLAS_SIDE_LEFT;
        const Index count = is_left ? m : n;
        return submit(
            context, name,
            [=] {
                return std::vector<Buffer>{matrix_buffer("A", a, m, n, pitch_a), vector_buffer("x", x, count, incx),
                                           matrix_buffer("C", c, m, n, pitch_c, Use::writes)};
            },
            [=] {
                const std::vector<T> factors = gather(x, count, incx);
                for (Index j = 0; j < n; ++j) {
                    for (Index i = 0; i < m; ++i) {
                        c[i + j * pitch_c] = a[i + j * pitch_a] * factors[static_cast<size_t>(is_left ? i : j)];
                    }
                }
            });
    });
}

// Between a triangle of a full matrix and a packed one.
template <typename T>
cublasStatus_t repack(const char* name, cublasHandle_t handle, cublasFillMode_t fill, Index n,
                      const Columns<const T>& from, const Columns<T>& to, Index pitch) {
    return with_context(name, handle, [&](Context& context) {
        if (!is_fill(fill) || n < 0 || !is_pitch(pitch, n)) return CUBLAS_STATUS_INVALID_VALUE;
        if (n == 0) return CUBLAS_STATUS_SUCCESS;
        return submit(
            context, name,
            [=] {
                return std::vector<Buffer>{from.buffer("the source"), to.buffer("the target", Use::writes)};
            },
            [=] {
                for (Index j = 0; j < n; ++j) {
                    for (Index i = from.first(j); i < from.end(j); ++i) to.column(j)[i] = from.column(j)[i];
                }
            });
    });
}

}  // namespace
}  // namespace simt::blas::matrices

using namespace simt::blas;

#define SIMT_GEMM(name, T)                                                                                         \
    cublasStatus_t cublas##name(SIMT_GEMM_PARAMETERS(T)) {                                                         \
        return matrices::gemm("cublas" #name, handle, transa, transb, m, n, k, ours(alpha), ours(A), lda, ours(B), \
                              ldb, ours(beta), ours(C), ldc);                                                      \
    }
#define SIMT_SYMM_OF(name, kind, T)                                                                                    \
    cublasStatus_t cublas##name(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int m, int n,     \
                                const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,         \
                                int ldc) {                                                                             \
        return matrices::symm("cublas" #name, handle, kind, side, uplo, m, n, ours(alpha), ours(A), lda, ours(B), ldb, \
                              ours(beta), ours(C), ldc);                                                               \
    }
#define SIMT_SYRK_OF(name, kind, T, R)                                                                               \
    cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
                                const R* alpha, const T* A, int lda, const R* beta, T* C, int ldc) {                 \
        return matrices::syrk("cublas" #name, handle, kind, matrices::Update::one, uplo, trans, n, k, ours(alpha),   \
                              ours(A), lda, ours(A), lda, ours(beta), ours(C), ldc);                                 \
    }
#define SIMT_SYR2K_OF(name, kind, how, T, R)                                                                         \
    cublasStatus_t cublas##name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, \
                                const T* alpha, const T* A, int lda, const T* B, int ldb, const R* beta, T* C,       \
                                int ldc) {                                                                           \
        return matrices::syrk("cublas" #name, handle, kind, how, uplo, trans, n, k, ours(alpha), ours(A), lda,       \
                              ours(B), ldb, ours(beta), ours(C), ldc);                                               \
    }
#define SIMT_ANY(P, T, R)                                                                                              \
    SIMT_GEMM(P##gemm, T)                                                                                              \
    SIMT_SYMM_OF(P##symm, Symmetry::symmetric, T)                                                                      \
    SIMT_SYRK_OF(P##syrk, Symmetry::symmetric, T, T)                                                                   \
    SIMT_SYR2K_OF(P##syr2k, Symmetry::symmetric, matrices::Update::two, T, T)                                          \
    SIMT_SYR2K_OF(P##syrkx, Symmetry::symmetric, matrices::Update::one_of_two, T, T)                                   \
    cublasStatus_t cublas##P##trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                \
                                   cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,       \
                                   const T* A, int lda, const T* B, int ldb, T* C, int ldc) {                          \
        return matrices::trmm("cublas" #P "trmm", handle, side, uplo, trans, diag, m, n, ours(alpha), ours(A), lda,    \
                              ours(B), ldb, ours(C), ldc);                                                             \
    }                                                                                                                  \
    cublasStatus_t cublas##P##trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,                \
                                   cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,       \
                                   const T* A, int lda, T* B, int ldb) {                                               \
        return matrices::trsm("cublas" #P "trsm", handle, side, uplo, trans, diag, m, n, ours(alpha), ours(A), lda,    \
                              ours(B), ldb);                                                                           \
    }                                                                                                                  \
    cublasStatus_t cublas##P##geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,   \
                                   int n, const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb,     \
                                   T* C, int ldc) {                                                                    \
        return matrices::geam("cublas" #P "geam", handle, transa, transb, m, n, ours(alpha), ours(A), lda, ours(beta), \
                              ours(B), ldb, ours(C), ldc);                                                             \
    }                                                                                                                  \
    cublasStatus_t cublas##P##dgmm(cublasHandle_t handle, cublasSideMode_t mode, int m, int n, const T* A, int lda,    \
                                   const T* x, int incx, T* C, int ldc) {                                              \
        return matrices::dgmm("cublas" #P "dgmm", handle, mode, m, n, ours(A), lda, ours(x), incx, ours(C), ldc);      \
    }                                                                                                                  \
    cublasStatus_t cublas##P##tpttr(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* AP, T* A, int lda) { \
        return matrices::repack("cublas" #P "tpttr", handle, uplo, n, packed_triangle(ours(AP), uplo, n),              \
                                triangle(ours(A), uplo, n, lda), lda);                                                 \
    }                                                                                                                  \
    cublasStatus_t cublas##P##trttp(cublasHandle_t handle, cublasFillMode_t uplo, int n, const T* A, int lda, T* AP) { \
        return matrices::repack("cublas" #P "trttp", handle, uplo, n, triangle(ours(A), uplo, n, lda),                 \
                                packed_triangle(ours(AP), uplo, n), lda);                                              \
    }
#define SIMT_ONLY_COMPLEX(P, T, R)                                            \
    SIMT_GEMM(P##gemm3m, T)                                                   \
    SIMT_SYMM_OF(P##hemm, Symmetry::hermitian, T)                             \
    SIMT_SYRK_OF(P##herk, Symmetry::hermitian, T, R)                          \
    SIMT_SYR2K_OF(P##her2k, Symmetry::hermitian, matrices::Update::two, T, R) \
    SIMT_SYR2K_OF(P##herkx, Symmetry::hermitian, matrices::Update::one_of_two, T, R)

SIMT_BLAS_ALL(SIMT_ANY)
SIMT_BLAS_COMPLEX(SIMT_ONLY_COMPLEX)

#undef SIMT_GEMM
#undef SIMT_SYMM_OF
#undef SIMT_SYRK_OF
#undef SIMT_SYR2K_OF
#undef SIMT_ANY
#undef SIMT_ONLY_COMPLEX
