// SPDX-License-Identifier: MIT
// Batches: the same operation on many matrices of one size, given by an array of pointers in device memory or by a
// distance.
#include <type_traits>
#include <utility>
#include <vector>

#include "common/simt/blas/call.hpp"
#include "common/simt/blas/engine.hpp"

namespace simt::blas::batches {
namespace {

/// The matrices or vectors of a batch: `count` pointers, or one pointer and a distance.
template <typename T>
struct Batch {
    T* const* pointers = nullptr;
    T* first = nullptr;
    Index distance = 0;

    T* operator[](Index i) const { return pointers ? pointers[i] : first + i * distance; }
    /// Whether the array of pointers can be read; it is null for the other kind of batch.
    bool is_readable() const { return !pointers || is_device_address(pointers); }
    Buffer pointers_buffer(const char* name, Index count) const {
        return {name, pointers, pointers ? static_cast<size_t>(count) * sizeof(T*) : 0};
    }
};

template <typename T>
Batch<T> listed(T* const* pointers) {
    static T* const none = nullptr;
    return {pointers ? pointers : &none, nullptr, 0};
}
template <typename T>
Batch<T> spaced(T* first, Index distance) {
    return {nullptr, first, distance};
}

// The buffers of a batch: first the arrays of pointers, and if those can be read, what they point to.
template <typename Each, typename... Batches>
std::vector<Buffer> buffers_of(Index count, std::vector<Buffer> all, Each each, const Batches&... batches) {
    (all.push_back(batches.pointers_buffer("the array of pointers", count)), ...);
    if (!(batches.is_readable() && ...)) return all;
    for (Index i = 0; i < count; ++i) {
        for (const Buffer& buffer : each(i)) all.push_back(buffer);
    }
    return all;
}

template <typename T>
cublasStatus_t gemm(const char* name, cublasHandle_t handle, cublasOperation_t operation_a,
                    cublasOperation_t operation_b, Index m, Index n, Index k, const T* alpha, Batch<const T> a,
                    Index pitch_a, Batch<const T> b, Index pitch_b, const T* beta, Batch<T> c, Index pitch_c,
                    Index count) {
    return with_context(name, handle, [&](Context& context) {
        const bool is_plain_a = operation_a == CUBLAS_OP_N, is_plain_b = operation_b == CUBLAS_OP_N;
        const Index rows_a = is_plain_a ? m : k, rows_b = is_plain_b ? k : n;
        const bool is_valid = is_operation(operation_a) && is_operation(operation_b) && m >= 0 && n >= 0 && k >= 0 &&
                              count >= 0 && is_pitch(pitch_a, rows_a) && is_pitch(pitch_b, rows_b) &&
                              is_pitch(pitch_c, m);
        if (!is_valid || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
        if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<T> factor(context, alpha), kept(context, beta);
        return submit(
            context, name,
            [=] {
                const Use use = kept.get() == T(0) ? Use::writes : Use::reads_and_writes;
                return buffers_of(
                    count, {factor.buffer("alpha"), kept.buffer("beta")},
                    [=](Index i) {
                        return std::vector<Buffer>{matrix_buffer("A", a[i], rows_a, is_plain_a ? k : m, pitch_a),
                                                   matrix_buffer("B", b[i], rows_b, is_plain_b ? n : k, pitch_b),
                                                   matrix_buffer("C", c[i], m, n, pitch_c, use)};
                    },
                    a, b, c);
            },
            [=] {
                for (Index i = 0; i < count; ++i) {
                    multiply(operation_a, operation_b, m, n, k, factor.get(), a[i], pitch_a, b[i], pitch_b, kept.get(),
                             c[i], pitch_c);
                }
            });
    });
}

template <typename T>
cublasStatus_t gemv(const char* name, cublasHandle_t handle, cublasOperation_t operation, Index m, Index n,
                    const T* alpha, Batch<const T> a, Index pitch, Batch<const T> x, Index incx, const T* beta,
                    Batch<T> y, Index incy, Index count) {
    return with_context(name, handle, [&](Context& context) {
        const bool is_valid =
            is_operation(operation) && m >= 0 && n >= 0 && count >= 0 && is_pitch(pitch, m) && incx != 0 && incy != 0;
        if (!is_valid || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
        if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
        const bool is_plain = operation == CUBLAS_OP_N;
        const Index rows = is_plain ? m : n, terms = is_plain ? n : m;
        const Scalar<T> factor(context, alpha), kept(context, beta);
        return submit(
            context, name,
            [=] {
                const Use use = kept.get() == T(0) ? Use::writes : Use::reads_and_writes;
                return buffers_of(
                    count, {factor.buffer("alpha"), kept.buffer("beta")},
                    [=](Index i) {
                        return std::vector<Buffer>{matrix_buffer("A", a[i], m, n, pitch),
                                                   vector_buffer("x", x[i], terms, incx),
                                                   vector_buffer("y", y[i], rows, incy, use)};
                    },
                    a, x, y);
            },
            [=] {
                for (Index i = 0; i < count; ++i) {
                    const std::vector<T> from = gather(x[i], terms, incx);
                    std::vector<T> to =
                        kept.get() == T(0) ? std::vector<T>(static_cast<size_t>(rows)) : gather(y[i], rows, incy);
                    multiply(operation, CUBLAS_OP_N, rows, 1, terms, factor.get(), a[i], pitch, from.data(), terms,
                             kept.get(), to.data(), rows);
                    scatter(to, y[i], incy);
                }
            });
    });
}

template <typename T>
cublasStatus_t trsm(const char* name, cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill,
                    cublasOperation_t operation, cublasDiagType_t diagonal, Index m, Index n, const T* alpha,
                    Batch<const T> a, Index pitch_a, Batch<T> b, Index pitch_b, Index count) {
    return with_context(name, handle, [&](Context& context) {
        const Index order = side == CUBLAS_SIDE_LEFT ? m : n;
        const bool is_valid = is_side(side) && is_fill(fill) && is_operation(operation) && is_diagonal(diagonal) &&
                              m >= 0 && n >= 0 && count >= 0 && is_pitch(pitch_a, order) && is_pitch(pitch_b, m);
        if (!is_valid || !alpha) return CUBLAS_STATUS_INVALID_VALUE;
        if (m == 0 || n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<T> factor(context, alpha);
        return submit(
            context, name,
            [=] {
                return buffers_of(
                    count, {factor.buffer("alpha")},
                    [=](Index i) {
                        return std::vector<Buffer>{matrix_buffer("A", a[i], order, order, pitch_a),
                                                   matrix_buffer("B", b[i], m, n, pitch_b, Use::reads_and_writes)};
                    },
                    a, b);
            },
            [=] {
                for (Index i = 0; i < count; ++i) {
                    solve(side, fill, operation, diagonal, m, n, factor.get(), a[i], pitch_a, b[i], pitch_b);
                }
            });
    });
}

// ---- factorizations into a unit lower and an upper triangle, and what follows from them

// Factors the matrix in place. pivots: for each row, counted from 1, the one it changes places with; or null. Returns 0,
// or the first column, counted from 1, without a pivot.
template <typename T>
int factorize(Index n, T* a, Index pitch, int* pivots) {
    int info = 0;
    for (Index j = 0; j < n; ++j) {
        Index pivot = j;
        for (Index i = j + 1; pivots && i < n; ++i) {
            if (size_of(a[i + j * pitch]) > size_of(a[pivot + j * pitch])) pivot = i;
        }
        if (pivots) pivots[j] = static_cast<int>(pivot + 1);
        if (a[pivot + j * pitch] == T(0)) {
            if (info == 0) info = static_cast<int>(j + 1);
            continue;
        }
        for (Index column = 0; pivot != j && column < n; ++column) {
            std::swap(a[j + column * pitch], a[pivot + column * pitch]);
        }
        for (Index i = j + 1; i < n; ++i) a[i + j * pitch] = a[i + j * pitch] / a[j + j * pitch];
        for (Index column = j + 1; column < n; ++column) {
            const T weight = a[j + column * pitch];
            for (Index i = j + 1; i < n; ++i) a[i + column * pitch] -= a[i + j * pitch] * weight;
        }
    }
    return info;
}

// Exchanges the rows of B as the factorization did, or back.
template <typename T>
void exchange_rows(Index n, Index columns, const int* pivots, bool backwards, T* b, Index pitch) {
    for (Index step = 0; pivots && step < n; ++step) {
        const Index i = backwards ? n - 1 - step : step, other = pivots[i] - 1;
        for (Index j = 0; other != i && j < columns; ++j) std::swap(b[i + j * pitch], b[other + j * pitch]);
    }
}

// B = op(A)^-1 B, where `a` is factored.
template <typename T>
void solve_factored(cublasOperation_t operation, Index n, Index columns, const T* a, Index pitch_a, const int* pivots,
                    T* b, Index pitch_b) {
    const auto half = [&](cublasFillMode_t fill, cublasDiagType_t diagonal) {
        solve(CUBLAS_SIDE_LEFT, fill, operation, diagonal, n, columns, T(1), a, pitch_a, b, pitch_b);
    };
    if (operation == CUBLAS_OP_N) {
        exchange_rows(n, columns, pivots, false, b, pitch_b);
        half(CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT), half(CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT);
    } else {
        half(CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT), half(CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT);
        exchange_rows(n, columns, pivots, true, b, pitch_b);
    }
}

template <typename T>
int invert_factored(Index n, const T* a, Index pitch_a, const int* pivots, T* inverse, Index pitch) {
    for (Index j = 0; j < n; ++j) {
        if (a[j + j * pitch_a] == T(0)) return static_cast<int>(j + 1);
    }
    for (Index j = 0; j < n; ++j) {
        for (Index i = 0; i < n; ++i) inverse[i + j * pitch] = T(i == j);
    }
    solve_factored(CUBLAS_OP_N, n, n, a, pitch_a, pivots, inverse, pitch);
    return 0;
}

Buffer integers(const char* name, const int* pointer, Index count, Use use) {
    return {name, pointer, pointer ? static_cast<size_t>(count) * sizeof(int) : 0, 1, 0, use};
}

template <typename T>
cublasStatus_t getrf(const char* name, cublasHandle_t handle, Index n, Batch<T> a, Index pitch, int* pivots, int* info,
                     Index count) {
    return with_context(name, handle, [&](Context& context) {
        if (n < 0 || count < 0 || !is_pitch(pitch, n) || !info) return CUBLAS_STATUS_INVALID_VALUE;
        if (n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
        return submit(
            context, name,
            [=] {
                return buffers_of(
                    count,
                    {integers("PivotArray", pivots, n * count, Use::writes),
                     integers("infoArray", info, count, Use::writes)},
                    [=](Index i) {
                        return std::vector<Buffer>{matrix_buffer("A", a[i], n, n, pitch, Use::reads_and_writes)};
                    },
                    a);
            },
            [=] {
                for (Index i = 0; i < count; ++i) {
                    info[i] = factorize(n, a[i], pitch, pivots ? pivots + i * n : nullptr);
                }
            });
    });
}

template <typename T>
cublasStatus_t getri(const char* name, cublasHandle_t handle, Index n, Batch<const T> a, Index pitch_a,
                     const int* pivots, Batch<T> c, Index pitch_c, int* info, Index count) {
    return with_context(name, handle, [&](Context& context) {
        if (n < 0 || count < 0 || !is_pitch(pitch_a, n) || !is_pitch(pitch_c, n) || !info) {
            return CUBLAS_STATUS_INVALID_VALUE;
        }
        if (n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
        return submit(
            context, name,
            [=] {
                return buffers_of(
                    count,
                    {integers("PivotArray", pivots, n * count, Use::reads),
                     integers("infoArray", info, count, Use::writes)},
                    [=](Index i) {
                        return std::vector<Buffer>{matrix_buffer("A", a[i], n, n, pitch_a),
                                                   matrix_buffer("C", c[i], n, n, pitch_c, Use::writes)};
                    },
                    a, c);
            },
            [=] {
                for (Index i = 0; i < count; ++i) {
                    info[i] = invert_factored(n, a[i], pitch_a, pivots ? pivots + i * n : nullptr, c[i], pitch_c);
                }
            });
    });
}

template <typename T>
cublasStatus_t getrs(const char* name, cublasHandle_t handle, cublasOperation_t operation, Index n, Index columns,
                     Batch<const T> a, Index pitch_a, const int* pivots, Batch<T> b, Index pitch_b, int* info,
                     Index count) {
    return with_context(name, handle, [&](Context& context) {
        if (!info) return CUBLAS_STATUS_INVALID_VALUE;
        // (In host memory: the number of the first argument that is wrong.)
        *info = !is_operation(operation) ? -1
                : n < 0                  ? -2
                : columns < 0            ? -3
                : !is_pitch(pitch_a, n)  ? -5
                : !is_pitch(pitch_b, n)  ? -8
                : count < 0              ? -10
                                         : 0;
        if (*info != 0) return CUBLAS_STATUS_INVALID_VALUE;
        if (n == 0 || columns == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
        return submit(
            context, name,
            [=] {
                return buffers_of(
                    count, {integers("devIpiv", pivots, n * count, Use::reads)},
                    [=](Index i) {
                        return std::vector<Buffer>{
                            matrix_buffer("A", a[i], n, n, pitch_a),
                            matrix_buffer("B", b[i], n, columns, pitch_b, Use::reads_and_writes)};
                    },
                    a, b);
            },
            [=] {
                for (Index i = 0; i < count; ++i) {
                    solve_factored(operation, n, columns, a[i], pitch_a, pivots ? pivots + i * n : nullptr, b[i],
                                   pitch_b);
                }
            });
    });
}

template <typename T>
cublasStatus_t matinv(const char* name, cublasHandle_t handle, Index n, Batch<const T> a, Index pitch_a, Batch<T> c,
                      Index pitch_c, int* info, Index count) {
    return with_context(name, handle, [&](Context& context) {
        constexpr Index largest = 32;
        if (n < 0 || n > largest || count < 0 || !is_pitch(pitch_a, n) || !is_pitch(pitch_c, n) || !info) {
            return CUBLAS_STATUS_INVALID_VALUE;
        }
        if (n == 0 || count == 0) return CUBLAS_STATUS_SUCCESS;
        return submit(
            context, name,
            [=] {
                return buffers_of(
                    count, {integers("info", info, count, Use::writes)},
                    [=](Index i) {
                        return std::vector<Buffer>{matrix_buffer("A", a[i], n, n, pitch_a),
                                                   matrix_buffer("Ainv", c[i], n, n, pitch_c, Use::writes)};
                    },
                    a, c);
            },
            [=] {
                std::vector<T> factors(static_cast<size_t>(n * n));
                int pivots[largest];
                for (Index i = 0; i < count; ++i) {
                    for (Index j = 0; j < n * n; ++j) factors[static_cast<size_t>(j)] = a[i][j % n + j / n * pitch_a];
                    info[i] = factorize(n, factors.data(), n, pivots);
                    if (info[i] == 0) invert_factored(n, factors.data(), n, pivots, c[i], pitch_c);
                }
            });
    });
}

template <typename T>
auto listed_ours(T* const* pointers) {
    using Element = std::remove_pointer_t<decltype(ours(static_cast<T*>(nullptr)))>;
    return listed(reinterpret_cast<Element* const*>(pointers));
}

}  // namespace
}  // namespace simt::blas::batches

using namespace simt::blas;

#define SIMT_ANY(P, T, R)                                                                                            \
    cublasStatus_t cublas##P##gemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, \
                                          int m, int n, int k, const T* alpha, const T* const A[], int lda,          \
                                          const T* const B[], int ldb, const T* beta, T* const C[], int ldc,         \
                                          int count) {                                                               \
        return batches::gemm("cublas" #P "gemmBatched", handle, transa, transb, m, n, k, ours(alpha),                \
                             batches::listed_ours(A), lda, batches::listed_ours(B), ldb, ours(beta),                 \
                             batches::listed_ours(C), ldc, count);                                                   \
    }                                                                                                                \
    cublasStatus_t cublas##P##gemmStridedBatched(                                                                    \
        cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n, int k,              \
        const T* alpha, const T* A, int lda, long long int strideA, const T* B, int ldb, long long int strideB,      \
        const T* beta, T* C, int ldc, long long int strideC, int count) {                                            \
        return batches::gemm("cublas" #P "gemmStridedBatched", handle, transa, transb, m, n, k, ours(alpha),         \
                             batches::spaced(ours(A), strideA), lda, batches::spaced(ours(B), strideB), ldb,         \
                             ours(beta), batches::spaced(ours(C), strideC), ldc, count);                             \
    }                                                                                                                \
    cublasStatus_t cublas##P##gemvBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,              \
                                          const T* alpha, const T* const A[], int lda, const T* const x[], int incx, \
                                          const T* beta, T* const y[], int incy, int count) {                        \
        return batches::gemv("cublas" #P "gemvBatched", handle, trans, m, n, ours(alpha), batches::listed_ours(A),   \
                             lda, batches::listed_ours(x), incx, ours(beta), batches::listed_ours(y), incy, count);  \
    }                                                                                                                \
    cublasStatus_t cublas##P##gemvStridedBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n,       \
                                                 const T* alpha, const T* A, int lda, long long int strideA,         \
                                                 const T* x, int incx, long long int stridex, const T* beta, T* y,   \
                                                 int incy, long long int stridey, int count) {                       \
        return batches::gemv("cublas" #P "gemvStridedBatched", handle, trans, m, n, ours(alpha),                     \
                             batches::spaced(ours(A), strideA), lda, batches::spaced(ours(x), stridex), incx,        \
                             ours(beta), batches::spaced(ours(y), stridey), incy, count);                            \
    }                                                                                                                \
    cublasStatus_t cublas##P##trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,       \
                                          cublasOperation_t trans, cublasDiagType_t diag, int m, int n,              \
                                          const T* alpha, const T* const A[], int lda, T* const B[], int ldb,        \
                                          int count) {                                                               \
        return batches::trsm("cublas" #P "trsmBatched", handle, side, uplo, trans, diag, m, n, ours(alpha),          \
                             batches::listed_ours(A), lda, batches::listed_ours(B), ldb, count);                     \
    }                                                                                                                \
    cublasStatus_t cublas##P##getrfBatched(cublasHandle_t handle, int n, T* const A[], int lda, int* pivots,         \
                                           int* info, int count) {                                                   \
        return batches::getrf("cublas" #P "getrfBatched", handle, n, batches::listed_ours(A), lda, pivots, info,     \
                              count);                                                                                \
    }                                                                                                                \
    cublasStatus_t cublas##P##getriBatched(cublasHandle_t handle, int n, const T* const A[], int lda,                \
                                           const int* pivots, T* const C[], int ldc, int* info, int count) {         \
        return batches::getri("cublas" #P "getriBatched", handle, n, batches::listed_ours(A), lda, pivots,           \
                              batches::listed_ours(C), ldc, info, count);                                            \
    }                                                                                                                \
    cublasStatus_t cublas##P##getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int columns,       \
                                           const T* const A[], int lda, const int* pivots, T* const B[], int ldb,    \
                                           int* info, int count) {                                                   \
        return batches::getrs("cublas" #P "getrsBatched", handle, trans, n, columns, batches::listed_ours(A), lda,   \
                              pivots, batches::listed_ours(B), ldb, info, count);                                    \
    }                                                                                                                \
    cublasStatus_t cublas##P##matinvBatched(cublasHandle_t handle, int n, const T* const A[], int lda,               \
                                            T* const inverse[], int lda_inv, int* info, int count) {                 \
        return batches::matinv("cublas" #P "matinvBatched", handle, n, batches::listed_ours(A), lda,                 \
                               batches::listed_ours(inverse), lda_inv, info, count);                                 \
    }
SIMT_BLAS_ALL(SIMT_ANY)

#undef SIMT_ANY
