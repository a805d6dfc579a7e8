// SPDX-License-Identifier: MIT
// cuBLAS: every function against sums made here, with all operations, in float, double and complex numbers of both.
// Prints how many results were compared, and each that was wrong.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

static int compared = 0, wrong = 0;
static const char* current = "";

static void check(int status) {
    if (status == 0) return;
    ++wrong;
    std::printf("%s: status %d\n", current, status);
}

template <typename T>
T conj_of(T a) { return a; }
template <typename R>
std::complex<R> conj_of(std::complex<R> a) { return std::conj(a); }

// Small integers, so that sums are exact in any order.
template <typename T>
struct Number {
    static T make(int seed) { return T(seed * 7 % 5 - 2); }
};
template <typename R>
struct Number<std::complex<R>> {
    static std::complex<R> make(int seed) { return {R(seed * 7 % 5 - 2), R(seed * 3 % 7 - 3)}; }
};

// An array that the host and the device see.
template <typename T>
struct Array {
    T* data;
    size_t size;
    explicit Array(size_t n, int seed = 1) : size(n) {
        cudaMallocManaged(&data, n * sizeof(T) + 16);
        for (size_t i = 0; i < n; ++i) data[i] = Number<T>::make(static_cast<int>(i) * 11 + seed);
    }
    ~Array() { cudaFree(data); }
    Array(const Array&) = delete;
    operator T*() const { return data; }
    std::vector<T> copy() const { return std::vector<T>(data, data + size); }
};

template <typename T>
void compare(const T* result, const std::vector<T>& expected, double tolerance = 0) {
    cudaDeviceSynchronize();
    for (size_t i = 0; i < expected.size(); ++i) {
        ++compared;
        if (std::abs(result[i] - expected[i]) <= tolerance * (1 + std::abs(expected[i]))) continue;
        if (++wrong < 20) std::printf("%s: element %zu differs\n", current, i);
    }
}

// Element (i, j) of op(A).
template <typename T>
T element(const T* a, int pitch, cublasOperation_t operation, int i, int j) {
    const T value = operation == CUBLAS_OP_N ? a[i + j * pitch] : a[j + i * pitch];
    return operation == CUBLAS_OP_C ? conj_of(value) : value;
}

// The functions of each type, under one name.
template <typename T>
struct Blas;
#define FUNCTIONS(P, T, C)                                                                                         \
    template <>                                                                                                    \
    struct Blas<T> {                                                                                               \
        using Cuda = C;                                                                                            \
        static constexpr auto gemm = cublas##P##gemm;                                                              \
        static constexpr auto gemm_batched = cublas##P##gemmBatched;                                               \
        static constexpr auto gemm_strided = cublas##P##gemmStridedBatched;                                        \
        static constexpr auto gemv = cublas##P##gemv;                                     \
        static constexpr auto gbmv = cublas##P##gbmv;                                                              \
        static constexpr auto symv = cublas##P##symv;                                                              \
        static constexpr auto trmv = cublas##P##trmv, trsv = cublas##P##trsv;                                      \
        static constexpr auto tpmv = cublas##P##tpmv, tpsv = cublas##P##tpsv;                                      \
        static constexpr auto tbmv = cublas##P##tbmv, tbsv = cublas##P##tbsv;                                      \
        static constexpr auto syr = cublas##P##syr;                                                                \
        static constexpr auto syr2 = cublas##P##syr2;                                                              \
        static constexpr auto symm = cublas##P##symm;                                                              \
        static constexpr auto syrk = cublas##P##syrk;                                                              \
        static constexpr auto syr2k = cublas##P##syr2k;                                                            \
        static constexpr auto syrkx = cublas##P##syrkx;                                                            \
        static constexpr auto trmm = cublas##P##trmm;                                                              \
        static constexpr auto trsm = cublas##P##trsm;                                                              \
        static constexpr auto geam = cublas##P##geam;                                                              \
        static constexpr auto dgmm = cublas##P##dgmm;                                                              \
        static constexpr auto axpy = cublas##P##axpy;                                                              \
        static constexpr auto copy = cublas##P##copy;                                                              \
        static constexpr auto swap = cublas##P##swap;                                                              \
        static constexpr auto scal = cublas##P##scal;                                                              \
        static constexpr auto getrf = cublas##P##getrfBatched;                                                     \
        static constexpr auto getri = cublas##P##getriBatched;                                                     \
        static constexpr auto getrs = cublas##P##getrsBatched;                                                     \
        static constexpr auto matinv = cublas##P##matinvBatched;                                                   \
        static constexpr auto trttp = cublas##P##trttp;                                                            \
    }
FUNCTIONS(S, float, float);
FUNCTIONS(D, double, double);
FUNCTIONS(C, std::complex<float>, cuComplex);
FUNCTIONS(Z, std::complex<double>, cuDoubleComplex);

template <typename T>
auto* cu(T* pointer) { return reinterpret_cast<typename Blas<std::remove_const_t<T>>::Cuda*>(const_cast<std::remove_const_t<T>*>(pointer)); }

static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_LOWER};

// The matrix that a stored triangle stands for.
enum Shape { triangular, unit_triangular, symmetric };
template <typename T>
std::vector<T> expanded(const T* a, int n, int pitch, cublasFillMode_t fill, Shape shape) {
    std::vector<T> full(n * n);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const bool is_stored = fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
            if (shape == symmetric) full[i + j * n] = is_stored ? a[i + j * pitch] : a[j + i * pitch];
            else if (is_stored) full[i + j * n] = shape == unit_triangular && i == j ? T(1) : a[i + j * pitch];
        }
    }
    return full;
}

// alpha op(A) op(B) + beta C
template <typename T>
std::vector<T> product(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, T alpha, const T* a, int lda,
                       const T* b, int ldb, T beta, std::vector<T> c, int ldc) {
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i) {
            T sum = 0;
            for (int l = 0; l < k; ++l) sum += element(a, lda, ta, i, l) * element(b, ldb, tb, l, j);
            c[i + j * ldc] = beta == T(0) ? alpha * sum : alpha * sum + beta * c[i + j * ldc];
        }
    }
    return c;
}

template <typename T>
void products(cublasHandle_t h, int m, int n, int k) {
    for (const auto ta : operations) {
        for (const auto tb : operations) {
            const int lda = (ta == CUBLAS_OP_N ? m : k) + 1, ldb = (tb == CUBLAS_OP_N ? k : n) + 2, ldc = m + 3;
            Array<T> a(lda * (ta == CUBLAS_OP_N ? k : m)), b(ldb * (tb == CUBLAS_OP_N ? n : k), 2), c(ldc * n, 3);
            const T alpha = Number<T>::make(9), beta = Number<T>::make(3);
            const auto expected = product(ta, tb, m, n, k, alpha, a.data, lda, b.data, ldb, beta, c.copy(), ldc);
            current = "gemm";
            check(Blas<T>::gemm(h, ta, tb, m, n, k, cu(&alpha), cu(a.data), lda, cu(b.data), ldb, cu(&beta), cu(c.data), ldc));
            compare(c.data, expected);
            // Three times the same A with different B, by distances and by pointers.
            Array<T> many_b(3 * b.size, 4), many_c(3 * c.size, 5);
            const T zero = 0;
            std::vector<T> all;
            for (int i = 0; i < 3; ++i) {
                std::vector<T> one(many_c.data + i * c.size, many_c.data + (i + 1) * c.size);
                for (const T& value : product(ta, tb, m, n, k, alpha, a.data, lda, many_b.data + i * b.size, ldb, zero, one, ldc)) all.push_back(value);
            }
            current = "gemmStridedBatched";
            check(Blas<T>::gemm_strided(h, ta, tb, m, n, k, cu(&alpha), cu(a.data), lda, 0, cu(many_b.data), ldb, b.size, cu(&zero), cu(many_c.data), ldc, c.size, 3));
            compare(many_c.data, all);
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < n; ++j) {
                    for (int r = 0; r < m; ++r) many_c[i * c.size + j * ldc + r] = T(77);
                }
            }
            typename Blas<T>::Cuda** pointers;
            cudaMallocManaged(&pointers, 9 * sizeof(*pointers));
            for (int i = 0; i < 3; ++i) {
                pointers[i] = cu(a.data), pointers[3 + i] = cu(many_b.data + i * b.size);
                pointers[6 + i] = cu(many_c.data + i * c.size);
            }
            current = "gemmBatched";
            check(Blas<T>::gemm_batched(h, ta, tb, m, n, k, cu(&alpha), pointers, lda, pointers + 3, ldb, cu(&zero), pointers + 6, ldc, 3));
            compare(many_c.data, all);
            cudaFree(pointers);
        }
    }
}

template <typename T>
void matrix_and_vectors(cublasHandle_t h, int m, int n) {
    const T alpha = Number<T>::make(9), beta = Number<T>::make(3), one = 1;
    for (const auto t : operations) {
        for (const int incx : {1, -2}) {
            const bool plain = t == CUBLAS_OP_N;
            const int rows = plain ? m : n, terms = plain ? n : m, incy = 3 * incx, lda = m + 1;
            Array<T> a(lda * n), x(terms * 2, 2), y(rows * 6, 3);
            // A vector with a negative stride is read from its end.
            const auto at = [](int i, int count, int stride) { return stride < 0 ? (i - count + 1) * stride : i * stride; };
            auto expected = y.copy();
            for (int i = 0; i < rows; ++i) {
                T sum = 0;
                for (int j = 0; j < terms; ++j) sum += element(a.data, lda, t, i, j) * x[at(j, terms, incx)];
                T& target = expected[at(i, rows, incy)];
                target = alpha * sum + beta * target;
            }
            current = "gemv";
            check(Blas<T>::gemv(h, t, m, n, cu(&alpha), cu(a.data), lda, cu(x.data), incx, cu(&beta), cu(y.data), incy));
            compare(y.data, expected);
            // One diagonal below, two above.
            Array<T> band(4 * n, 5);
            std::vector<T> full(m * n);
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < m; ++i) {
                    if (i - j <= 1 && j - i <= 2) full[i + j * m] = band[2 + i - j + 4 * j];
                }
            }
            expected = y.copy();
            for (int i = 0; i < rows; ++i) {
                T sum = 0;
                for (int j = 0; j < terms; ++j) sum += element(full.data(), m, t, i, j) * x[at(j, terms, incx)];
                expected[at(i, rows, incy)] = sum;
            }
            const T zero = 0;
            current = "gbmv";
            check(Blas<T>::gbmv(h, t, m, n, 1, 2, cu(&one), cu(band.data), 4, cu(x.data), incx, cu(&zero), cu(y.data), incy));
            compare(y.data, expected);
        }
        for (const auto fill : fills) {
            for (const auto shape : {triangular, unit_triangular}) {
                const auto diagonal = shape == triangular ? CUBLAS_DIAG_NON_UNIT : CUBLAS_DIAG_UNIT;
                const int lda = n + 1;
                Array<T> a(lda * n), x(n, 2), packed(n * n), band(3 * n, 4);
                for (int i = 0; i < n; ++i) a[i + i * lda] = T(i % 2 ? 2 : -1);  // exact quotients
                const auto multiply = [&](const std::vector<T>& full) {
                    std::vector<T> result(n);
                    for (int i = 0; i < n; ++i) {
                        for (int j = 0; j < n; ++j) result[i] += element(full.data(), n, t, i, j) * x[j];
                    }
                    return result;
                };
                const auto before = x.copy();
                const auto times = multiply(expanded(a.data, n, lda, fill, shape));
                current = "trmv";
                check(Blas<T>::trmv(h, fill, t, diagonal, n, cu(a.data), lda, cu(x.data), 1));
                compare(x.data, times);
                current = "trsv";
                check(Blas<T>::trsv(h, fill, t, diagonal, n, cu(a.data), lda, cu(x.data), 1));
                compare(x.data, before);
                current = "trttp";
                check(Blas<T>::trttp(h, fill, n, cu(a.data), lda, cu(packed.data)));
                current = "tpmv";
                check(Blas<T>::tpmv(h, fill, t, diagonal, n, cu(packed.data), cu(x.data), 1));
                compare(x.data, times);
                current = "tpsv";
                check(Blas<T>::tpsv(h, fill, t, diagonal, n, cu(packed.data), cu(x.data), 1));
                compare(x.data, before);
                // Two diagonals beside the main one.
                std::vector<T> full(n * n);
                for (int j = 0; j < n; ++j) {
                    for (int d = 0; d <= 2; ++d) {
                        const int i = fill == CUBLAS_FILL_MODE_UPPER ? j - d : j + d;
                        T& stored = band[(fill == CUBLAS_FILL_MODE_UPPER ? 2 - d : d) + 3 * j];
                        if (d == 0) stored = T(1);
                        if (i >= 0 && i < n) full[i + j * n] = stored;
                    }
                }
                current = "tbmv";
                const auto banded = multiply(full);
                check(Blas<T>::tbmv(h, fill, t, diagonal, n, 2, cu(band.data), 3, cu(x.data), 1));
                compare(x.data, banded);
                current = "tbsv";
                check(Blas<T>::tbsv(h, fill, t, diagonal, n, 2, cu(band.data), 3, cu(x.data), 1));
                compare(x.data, before);
            }
        }
    }
    for (const auto fill : fills) {
        Array<T> a((n + 1) * n), x(n, 2), y(n, 3);
        const auto full = expanded(a.data, n, n + 1, fill, symmetric);
        auto expected = product(CUBLAS_OP_N, CUBLAS_OP_N, n, 1, n, alpha, full.data(), n, x.data, n, beta, y.copy(), n);
        current = "symv";
        check(Blas<T>::symv(h, fill, n, cu(&alpha), cu(a.data), n + 1, cu(x.data), 1, cu(&beta), cu(y.data), 1));
        compare(y.data, expected);
        auto updated = a.copy();
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                if (fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j) updated[i + j * (n + 1)] += alpha * x[i] * x[j] + alpha * (x[i] * y[j] + y[i] * x[j]);
            }
        }
        current = "syr, syr2";
        check(Blas<T>::syr(h, fill, n, cu(&alpha), cu(x.data), 1, cu(a.data), n + 1));
        check(Blas<T>::syr2(h, fill, n, cu(&alpha), cu(x.data), 1, cu(y.data), 1, cu(a.data), n + 1));
        compare(a.data, updated);
    }
}

template <typename T>
void special_matrices(cublasHandle_t h, int m, int n) {
    const T alpha = Number<T>::make(9), beta = Number<T>::make(3), zero = 0, one = 1;
    for (const auto fill : fills) {
        for (const auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
            const bool left = side == CUBLAS_SIDE_LEFT;
            const int order = left ? m : n, lda = order + 1;
            Array<T> a(lda * order), b(m * n, 2), c(m * n, 3);
            const auto full = expanded(a.data, order, lda, fill, symmetric);
            const T *first = left ? full.data() : b.data, *second = left ? b.data : full.data();
            auto expected = product(CUBLAS_OP_N, CUBLAS_OP_N, m, n, order, alpha, first, left ? order : m, second, left ? m : order, beta, c.copy(), m);
            current = "symm";
            check(Blas<T>::symm(h, side, fill, m, n, cu(&alpha), cu(a.data), lda, cu(b.data), m, cu(&beta), cu(c.data), m));
            compare(c.data, expected);
            for (const auto t : operations) {
                for (const auto shape : {triangular, unit_triangular}) {
                    const auto diagonal = shape == triangular ? CUBLAS_DIAG_NON_UNIT : CUBLAS_DIAG_UNIT;
                    for (int j = 0; j < order; ++j) {
                        for (int i = 0; i < order; ++i) a[i + j * lda] = i == j ? T(i % 2 ? 2 : -1) : (i + j) % 3 ? T(0) : T(1);
                    }
                    const auto triangle = expanded(a.data, order, lda, fill, shape);
                    expected = left ? product(t, CUBLAS_OP_N, m, n, m, one, triangle.data(), m, b.data, m, zero, c.copy(), m)
                                    : product(CUBLAS_OP_N, t, m, n, n, one, b.data, m, triangle.data(), n, zero, c.copy(), m);
                    current = "trmm";
                    check(Blas<T>::trmm(h, side, fill, t, diagonal, m, n, cu(&one), cu(a.data), lda, cu(b.data), m, cu(c.data), m));
                    compare(c.data, expected);
                    current = "trsm";
                    check(Blas<T>::trsm(h, side, fill, t, diagonal, m, n, cu(&one), cu(a.data), lda, cu(c.data), m));
                    compare(c.data, b.copy(), 1e-3);
                }
            }
        }
        for (const auto t : {CUBLAS_OP_N, CUBLAS_OP_T}) {
            const bool plain = t == CUBLAS_OP_N;
            const int k = m, ld = (plain ? n : k) + 1;
            Array<T> a(ld * (plain ? k : n)), b(ld * (plain ? k : n), 2), c(n * n, 3);
            const auto u = plain ? CUBLAS_OP_T : CUBLAS_OP_N;
            const auto only_triangle = [&](std::vector<T> from, const std::vector<T>& old) {
                for (int j = 0; j < n; ++j) {
                    for (int i = 0; i < n; ++i) {
                        if (!(fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j)) from[i + j * n] = old[i + j * n];
                    }
                }
                return from;
            };
            auto old = c.copy();
            auto expected = only_triangle(product(t, u, n, n, k, alpha, a.data, ld, a.data, ld, beta, old, n), old);
            current = "syrk";
            check(Blas<T>::syrk(h, fill, t, n, k, cu(&alpha), cu(a.data), ld, cu(&beta), cu(c.data), n));
            compare(c.data, expected);
            old = expected;
            expected = only_triangle(product(t, u, n, n, k, alpha, b.data, ld, a.data, ld, one, product(t, u, n, n, k, alpha, a.data, ld, b.data, ld, zero, old, n), n), old);
            current = "syr2k";
            check(Blas<T>::syr2k(h, fill, t, n, k, cu(&alpha), cu(a.data), ld, cu(b.data), ld, cu(&zero), cu(c.data), n));
            compare(c.data, expected);
            old = expected;
            expected = only_triangle(product(t, u, n, n, k, one, a.data, ld, b.data, ld, zero, old, n), old);
            current = "syrkx";
            check(Blas<T>::syrkx(h, fill, t, n, k, cu(&one), cu(a.data), ld, cu(b.data), ld, cu(&zero), cu(c.data), n));
            compare(c.data, expected);
        }
    }
    for (const auto ta : operations) {
        for (const auto tb : operations) {
            const int lda = ta == CUBLAS_OP_N ? m : n, ldb = tb == CUBLAS_OP_N ? m : n;
            Array<T> a(m * n), b(m * n, 2), c(m * n, 3), x(m + n, 4);
            std::vector<T> expected(m * n), scaled(m * n);
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < m; ++i) {
                    expected[i + j * m] = alpha * element(a.data, lda, ta, i, j) + beta * element(b.data, ldb, tb, i, j);
                    scaled[i + j * m] = expected[i + j * m] * x[j];
                }
            }
            current = "geam";
            check(Blas<T>::geam(h, ta, tb, m, n, cu(&alpha), cu(a.data), lda, cu(&beta), cu(b.data), ldb, cu(c.data), m));
            compare(c.data, expected);
            current = "dgmm";
            check(Blas<T>::dgmm(h, CUBLAS_SIDE_RIGHT, m, n, cu(c.data), m, cu(x.data), 1, cu(c.data), m));
            compare(c.data, scaled);
        }
    }
}

template <typename T>
void factorizations(cublasHandle_t h, int n) {
    using C = typename Blas<T>::Cuda;
    Array<T> a(2 * n * n), kept(2 * n * n), inverse(2 * n * n), b(2 * n, 2), again(2 * n * n);
    for (int i = 0; i < n; ++i) kept[i + i * n] = kept[n * n + i + i * n] += T(20);
    kept[0] = T(0);  // needs another pivot
    for (int i = 0; i < 2 * n * n; ++i) a[i] = kept[i];
    C** pointers;
    int *pivots, *info, status = -1;
    cudaMallocManaged(&pointers, 10 * sizeof(C*));
    cudaMallocManaged(&pivots, 2 * n * sizeof(int));
    cudaMallocManaged(&info, 2 * sizeof(int));
    for (int i = 0; i < 2; ++i) {
        pointers[i] = cu(a.data + i * n * n), pointers[2 + i] = cu(inverse.data + i * n * n);
        pointers[4 + i] = cu(b.data + i * n), pointers[6 + i] = cu(kept.data + i * n * n);
        pointers[8 + i] = cu(again.data + i * n * n);
    }
    const auto before = b.copy();
    current = "getrfBatched";
    check(Blas<T>::getrf(h, n, pointers, n, pivots, info, 2));
    current = "getriBatched";
    check(Blas<T>::getri(h, n, pointers, n, pivots, pointers + 2, n, info, 2));
    for (int which = 0; which < 2; ++which) {
        std::vector<T> identity(n * n), result(n * n);
        cudaDeviceSynchronize();
        for (int i = 0; i < n; ++i) identity[i + i * n] = T(1);
        result = product(CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, T(1), kept.data + which * n * n, n, inverse.data + which * n * n, n, T(0), result, n);
        compare(result.data(), identity, 1e-4);
    }
    for (const auto t : operations) {
        current = "getrsBatched";
        check(Blas<T>::getrs(h, t, n, 1, pointers, n, pivots, pointers + 4, n, &status, 2));
        check(status);
        cudaDeviceSynchronize();
        for (int which = 0; which < 2; ++which) {
            std::vector<T> back(n);
            back = product(t, CUBLAS_OP_N, n, 1, n, T(1), kept.data + which * n * n, n, b.data + which * n, n, T(0), back, n);
            compare(back.data(), std::vector<T>(before.begin() + which * n, before.begin() + (which + 1) * n), 1e-3);
        }
        for (int i = 0; i < 2 * n; ++i) b[i] = before[i];
    }
    current = "matinvBatched";
    check(Blas<T>::matinv(h, n, pointers + 6, n, pointers + 8, n, info, 2));
    compare(again.data, (cudaDeviceSynchronize(), inverse.copy()), 1e-4);
    cudaFree(pointers), cudaFree(pivots), cudaFree(info);
}

template <typename T>
void all_of(cublasHandle_t h) {
    products<T>(h, 5, 4, 3);
    products<T>(h, 33, 40, 50);
    matrix_and_vectors<T>(h, 7, 6);
    special_matrices<T>(h, 6, 5);
    special_matrices<T>(h, 34, 23);
    factorizations<T>(h, 6);
}

static void vectors(cublasHandle_t h) {
    const int n = 1000;
    Array<float> x(n), y(n, 2);
    Array<std::complex<double>> z(n), w(n, 2);
    double sum = 0, size = 0, squares = 0;
    std::complex<double> plain = 0, conjugated = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i], size += std::abs(x[i]), squares += x[i] * x[i];
        plain += z[i] * w[i], conjugated += std::conj(z[i]) * w[i];
    }
    float dot = 0, asum = 0, nrm2 = 0;
    std::complex<double> zdot, zdotc;
    int most = 0, least = 0;
    current = "dot, asum, nrm2, amax";
    x[500] = 9, sum += 9 * y[500] - 0, x[501] = 0, y[501] = 0;
    sum = size = squares = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * y[i], size += std::abs(x[i]), squares += x[i] * x[i];
    check(cublasSdot(h, n, x, 1, y, 1, &dot));
    check(cublasSasum(h, n, x, 1, &asum));
    check(cublasSnrm2(h, n, x, 1, &nrm2));
    check(cublasIsamax(h, n, x, 1, &most));
    check(cublasIsamin(h, n, x, 1, &least));
    check(cublasZdotu(h, n, cu(z.data), 1, cu(w.data), 1, reinterpret_cast<cuDoubleComplex*>(&zdot)));
    check(cublasZdotc(h, n, cu(z.data), 1, cu(w.data), 1, reinterpret_cast<cuDoubleComplex*>(&zdotc)));
    int first_zero = 0;
    while (x[first_zero] != 0) ++first_zero;
    const float singles[] = {dot, asum, nrm2, float(most), float(least)};
    compare(singles, {float(sum), float(size), float(std::sqrt(squares)), 501.f, float(first_zero + 1)}, 1e-6);
    const std::complex<double> doubles[] = {zdot, zdotc};
    compare(doubles, {plain, conjugated});
    // The result and the factor on the device.
    Array<float> on_device(2);
    current = "device pointers";
    check(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    check(cublasSdot(h, n, x, 1, y, 1, on_device));
    on_device[1] = 2;
    check(cublasSscal(h, 1, on_device + 1, on_device, 1));
    check(cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    compare(on_device.data, {2 * float(sum), 2.f});
    auto expected = y.copy();
    const float alpha = 3;
    for (int i = 0; i < n / 2; ++i) expected[2 * i] += alpha * x[i];
    current = "axpy";
    check(cublasSaxpy(h, n / 2, &alpha, x, 1, y, 2));
    compare(y.data, expected);
    float a = 3, b = 4, c = 0, s = 0, parameters[5] = {};
    current = "rotg, rot, rotmg, rotm";
    check(cublasSrotg(h, &a, &b, &c, &s));
    const float rotation[] = {a, b, c, s};
    compare(rotation, {5.f, 1 / .6f, .6f, .8f}, 1e-6);
    Array<float> p(4), q(4, 2);
    std::vector<float> ep(4), eq(4);
    for (int i = 0; i < 4; ++i) ep[i] = c * p[i] + s * q[i], eq[i] = c * q[i] - s * p[i];
    check(cublasSrot(h, 4, p, 1, q, 1, &c, &s));
    compare(p.data, ep, 1e-6), compare(q.data, eq, 1e-6);
    float d1 = 2, d2 = 3, x1 = 4, y1 = 5;
    check(cublasSrotmg(h, &d1, &d2, &x1, &y1, parameters));
    // The second element of the rotated vector is 0.
    Array<float> e(1), f(1);
    cudaDeviceSynchronize();
    e[0] = 4, f[0] = 5;
    check(cublasSrotm(h, 1, e, 1, f, 1, parameters));
    compare(e.data, {x1}, 1e-6), compare(f.data, {0.f}, 1e-5);
}

static void mixed_types(cublasHandle_t h) {
    const int n = 24;
    Array<float> a(n * n), b(n * n, 2), c(n * n, 3);
    const float one = 1, zero = 0;
    const auto expected = product(CUBLAS_OP_T, CUBLAS_OP_N, n, n, n, one, a.data, n, b.data, n, zero, c.copy(), n);
    __half *ha, *hb, *hc;
    signed char *ia, *ib;
    int* ic;
    cudaMallocManaged(&ha, 3 * n * n * sizeof(__half));
    hb = ha + n * n, hc = hb + n * n;
    cudaMallocManaged(&ia, 2 * n * n);
    ib = ia + n * n;
    cudaMallocManaged(&ic, n * n * sizeof(int));
    for (int i = 0; i < n * n; ++i) {
        ha[i] = __float2half(a[i]), hb[i] = __float2half(b[i]);
        ia[i] = static_cast<signed char>(a[i]), ib[i] = static_cast<signed char>(b[i]);
    }
    const auto T = CUBLAS_OP_T, N = CUBLAS_OP_N;
    current = "GemmEx of f16 to f32";
    check(cublasGemmEx(h, T, N, n, n, n, &one, ha, CUDA_R_16F, n, hb, CUDA_R_16F, n, &zero, c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    compare(c.data, expected);
    current = "Hgemm";
    const __half h1 = __float2half(1), h0 = __float2half(0);
    check(cublasHgemm(h, T, N, n, n, n, &h1, ha, n, hb, n, &h0, hc, n));
    cudaDeviceSynchronize();
    std::vector<float> halves(n * n);
    for (int i = 0; i < n * n; ++i) halves[i] = __half2float(hc[i]);
    compare(halves.data(), expected);
    current = "GemmEx of i8";
    const int i1 = 1, i0 = 0;
    check(cublasGemmEx(h, T, N, n, n, n, &i1, ia, CUDA_R_8I, n, ib, CUDA_R_8I, n, &i0, ic, CUDA_R_32I, n, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    cudaDeviceSynchronize();
    std::vector<float> integers(ic, ic + n * n);
    compare(integers.data(), expected);
    current = "GemmStridedBatchedEx";
    check(cublasGemmStridedBatchedEx(h, T, N, n, n, n, &one, ha, CUDA_R_16F, n, 0, hb, CUDA_R_16F, n, 0, &zero, c, CUDA_R_32F, n, n * n, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    compare(c.data, expected);
    current = "AxpyEx, DotEx, ScalEx, Nrm2Ex";
    float dot = 0, norm = 0, expected_dot = 0, squares = 0;
    for (int i = 0; i < n; ++i) expected_dot += a[i] * b[i], squares += a[i] * a[i];
    check(cublasDotEx(h, n, a, CUDA_R_32F, 1, b, CUDA_R_32F, 1, &dot, CUDA_R_32F, CUDA_R_32F));
    check(cublasNrm2Ex(h, n, a, CUDA_R_32F, 1, &norm, CUDA_R_32F, CUDA_R_32F));
    const float results[] = {dot, norm};
    compare(results, {expected_dot, std::sqrt(squares)}, 1e-6);
    auto sums = b.copy();
    const float two = 2;
    for (int i = 0; i < n * n; ++i) sums[i] = 2 * (sums[i] + two * a[i]);
    check(cublasAxpyEx(h, n * n, &two, CUDA_R_32F, a, CUDA_R_32F, 1, b, CUDA_R_32F, 1, CUDA_R_32F));
    check(cublasScalEx(h, n * n, &two, CUDA_R_32F, b, CUDA_R_32F, 1, CUDA_R_32F));
    compare(b.data, sums);
    cudaFree(ha), cudaFree(ia), cudaFree(ic);
}

static void hermitian(cublasHandle_t h, int n) {
    using T = std::complex<float>;
    const T alpha(2, 1), beta(1, -1);
    const float real = 3, keeps = -1;
    for (const auto fill : fills) {
        Array<T> a(n * n), b(n * n, 2), c(n * n, 3), x(n, 4), y(n, 5);
        for (int i = 0; i < n; ++i) a[i + i * n] = a[i + i * n].real(), c[i + i * n] = c[i + i * n].real();
        auto full = expanded(a.data, n, n, fill, symmetric);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                if (!(fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j)) full[i + j * n] = std::conj(full[i + j * n]);
            }
        }
        auto expected = product(CUBLAS_OP_N, CUBLAS_OP_N, n, 1, n, alpha, full.data(), n, x.data, n, beta, y.copy(), n);
        current = "hemv";
        check(cublasChemv(h, fill, n, cu(&alpha), cu(a.data), n, cu(x.data), 1, cu(&beta), cu(y.data), 1));
        compare(y.data, expected);
        expected = product(CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, alpha, full.data(), n, b.data, n, beta, c.copy(), n);
        Array<T> d(n * n, 3);
        for (int i = 0; i < n * n; ++i) d[i] = c[i];
        current = "hemm";
        check(cublasChemm(h, CUBLAS_SIDE_LEFT, fill, n, n, cu(&alpha), cu(a.data), n, cu(b.data), n, cu(&beta), cu(d.data), n));
        compare(d.data, expected);
        const auto stored = [&](int i, int j) { return fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j; };
        const auto old = c.copy();
        auto herk = product(CUBLAS_OP_C, CUBLAS_OP_N, n, n, n, T(real), a.data, n, a.data, n, T(keeps), old, n);
        auto her2k = product(CUBLAS_OP_N, CUBLAS_OP_C, n, n, n, alpha, a.data, n, b.data, n, T(0), old, n);
        her2k = product(CUBLAS_OP_N, CUBLAS_OP_C, n, n, n, std::conj(alpha), b.data, n, a.data, n, T(1), her2k, n);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                if (!stored(i, j)) herk[i + j * n] = her2k[i + j * n] = old[i + j * n];
            }
        }
        current = "herk";
        check(cublasCherk(h, fill, CUBLAS_OP_C, n, n, &real, cu(a.data), n, &keeps, cu(c.data), n));
        compare(c.data, herk);
        const float none = 0;
        current = "her2k";
        check(cublasCher2k(h, fill, CUBLAS_OP_N, n, n, cu(&alpha), cu(a.data), n, cu(b.data), n, &none, cu(c.data), n));
        compare(c.data, her2k);
        auto updated = a.copy();
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                if (!stored(i, j)) continue;
                updated[i + j * n] += real * x[i] * std::conj(x[j]) + alpha * x[i] * std::conj(y[j]) + std::conj(alpha) * y[i] * std::conj(x[j]);
            }
        }
        current = "her, her2";
        check(cublasCher(h, fill, n, &real, cu(x.data), 1, cu(a.data), n));
        check(cublasCher2(h, fill, n, cu(&alpha), cu(x.data), 1, cu(y.data), 1, cu(a.data), n));
        compare(a.data, updated);
    }
}

static __global__ void fill_with(float* data, int n, float value) {
    for (int i = 0; i < n; ++i) data[i] = value;
}

// Calls are operations of their stream, between the kernels before and after them.
static void in_streams(cublasHandle_t h) {
    const int n = 64;
    Array<float> a(n * n), b(n * n), c(n * n);
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    current = "streams";
    check(cublasSetStream(h, stream));
    const float one = 1, zero = 0;
    fill_with<<<1, 1, 0, stream>>>(a.data, n * n, 2);
    fill_with<<<1, 1, 0, stream>>>(b.data, n * n, 3);
    check(cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n));
    fill_with<<<1, 1, 0, stream>>>(a.data, n * n, 0);
    cudaStreamSynchronize(stream);
    compare(c.data, std::vector<float>(n * n, 6.f * n));
    // A graph keeps them, with the factors of the call.
    current = "graphs";
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    float two = 2;
    check(cublasSscal(h, n, &two, c, 1));
    two = 100;
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    compare(c.data, std::vector<float>(n, 8 * 6.f * n));
    cudaGraphExecDestroy(executable), cudaGraphDestroy(graph);
    check(cublasSetStream(h, nullptr));
    cudaStreamDestroy(stream);
    std::vector<float> host(n * n), back(n * n);
    for (int i = 0; i < n * n; ++i) host[i] = float(i);
    current = "SetMatrix, GetMatrix";
    check(cublasSetMatrix(n / 2, n, sizeof(float), host.data(), n, a, n / 2));
    check(cublasGetMatrix(n / 2, n, sizeof(float), a, n / 2, back.data(), n));
    for (int i = 0; i < n * n; ++i) host[i] = i % n < n / 2 ? host[i] : 0;
    compare(back.data(), host);
    current = "SetVector, GetVector";
    check(cublasSetVector(n, sizeof(float), host.data(), 1, a, 2));
    check(cublasGetVector(n, sizeof(float), a, 2, back.data(), 1));
    compare(back.data(), std::vector<float>(host.begin(), host.begin() + n));
}

int main() {
    cublasHandle_t h;
    check(cublasCreate(&h));
    vectors(h);
    all_of<float>(h);
    all_of<double>(h);
    all_of<std::complex<float>>(h);
    all_of<std::complex<double>>(h);
    hermitian(h, 6);
    hermitian(h, 30);
    mixed_types(h);
    in_streams(h);
    const float one = 1;
    float* none = nullptr;
    std::printf("invalid %d %d %d\n", cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, -1, 1, 1, &one, none, 1, none, 1, &one, none, 1),
                cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, none, 3, none, 4, &one, none, 4),
                cublasSaxpy(nullptr, 1, &one, none, 1, none, 1));
    std::printf("%s\n", cublasGetStatusName(CUBLAS_STATUS_NOT_INITIALIZED));
    check(cublasDestroy(h));
    std::printf("%d compared, %d wrong\n", compared, wrong);
    return wrong != 0;
}
