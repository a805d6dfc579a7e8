// SPDX-License-Identifier: MIT
// The functions that name the types of their arguments. Elements are converted to the type in which the function
// computes, and its result is rounded once.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "common/simt/blas/call.hpp"
#include "common/simt/blas/engine.hpp"

namespace simt::blas::mixed {
namespace {

size_t bytes_of(cudaDataType type) {
    switch (type) {
        case CUDA_R_8I: return 1;
        case CUDA_R_16F:
        case CUDA_R_16BF: return 2;
        case CUDA_R_32F:
        case CUDA_R_32I: return 4;
        case CUDA_R_64F:
        case CUDA_C_32F: return 8;
        case CUDA_C_64F: return 16;
        default: return 0;
    }
}

template <typename T>
T read_as(const void* from, Index i) {
    T value;
    std::memcpy(&value, static_cast<const char*>(from) + i * static_cast<Index>(sizeof(T)), sizeof(T));
    return value;
}
template <typename T>
void write_as(T value, void* to, Index i) {
    std::memcpy(static_cast<char*>(to) + i * static_cast<Index>(sizeof(T)), &value, sizeof(T));
}

// Element i of an array of the type, as T; and back.
template <typename T>
T load(cudaDataType type, const void* from, Index i) {
    if constexpr (is_complex<T>) {
        if (type == CUDA_C_32F) {
            const auto value = read_as<Complex<float>>(from, i);
            return {static_cast<RealOf<T>>(value.re), static_cast<RealOf<T>>(value.im)};
        }
        if (type == CUDA_C_64F) {
            const auto value = read_as<Complex<double>>(from, i);
            return {static_cast<RealOf<T>>(value.re), static_cast<RealOf<T>>(value.im)};
        }
        return T(load<RealOf<T>>(type, from, i));
    } else {
        switch (type) {
            case CUDA_R_8I: return static_cast<T>(read_as<int8_t>(from, i));
            case CUDA_R_32I: return static_cast<T>(read_as<int32_t>(from, i));
            case CUDA_R_16F: return static_cast<T>(__half2float(read_as<__half>(from, i)));
            case CUDA_R_16BF: return static_cast<T>(__bfloat162float(read_as<__nv_bfloat16>(from, i)));
            case CUDA_R_64F: return static_cast<T>(read_as<double>(from, i));
            default: return static_cast<T>(read_as<float>(from, i));
        }
    }
}

template <typename T>
void store(cudaDataType type, T value, void* to, Index i) {
    if constexpr (is_complex<T>) {
        if (type == CUDA_C_32F) {
            write_as(Complex<float>(static_cast<float>(value.re), static_cast<float>(value.im)), to, i);
        } else if (type == CUDA_C_64F) {
            write_as(Complex<double>(value.re, value.im), to, i);
        } else {
            store(type, value.re, to, i);
        }
    } else {
        switch (type) {
            case CUDA_R_32I: return write_as(static_cast<int32_t>(value), to, i);
            case CUDA_R_16F: return write_as(__float2half(static_cast<float>(value)), to, i);
            case CUDA_R_16BF: return write_as(__float2bfloat16(static_cast<float>(value)), to, i);
            case CUDA_R_64F: return write_as(static_cast<double>(value), to, i);
            default: return write_as(static_cast<float>(value), to, i);
        }
    }
}

// ---- products

/// A matrix of a named type, or a batch of them.
struct Matrix {
    const void* first;
    const void* const* pointers;  ///< null: `distance` elements apart
    cudaDataType type;
    Index pitch, distance;

    const void* at(Index i) const {
        return pointers ? pointers[i]
                        : static_cast<const char*>(first) + i * distance * static_cast<Index>(bytes_of(type));
    }
    bool is_readable() const { return !pointers || is_device_address(pointers); }
    Buffer pointers_buffer(Index count) const {
        return {"the array of pointers", pointers, pointers ? static_cast<size_t>(count) * sizeof(void*) : 0};
    }
    Buffer buffer(const char* name, Index i, Index rows, Index columns, Use use = Use::reads) const {
        const size_t bytes = bytes_of(type);
        return {name,
                at(i),
                static_cast<size_t>(rows) * bytes,
                static_cast<size_t>(columns),
                static_cast<size_t>(pitch) * bytes,
                use};
    }
};

struct Product {
    cublasOperation_t operation_a, operation_b;
    Index m, n, k, count;
    Matrix a, b, c;
    cudaDataType computes, scales;  ///< the types of sums, and of alpha and beta

    Index rows_a() const { return operation_a == CUBLAS_OP_N ? m : k; }
    Index rows_b() const { return operation_b == CUBLAS_OP_N ? k : n; }
    Index columns_a() const { return operation_a == CUBLAS_OP_N ? k : m; }
    Index columns_b() const { return operation_b == CUBLAS_OP_N ? n : k; }
};

template <typename T>
std::vector<T> converted(const Matrix& matrix, Index which, Index rows, Index columns) {
    std::vector<T> dense(static_cast<size_t>(rows * columns));
    const void* const from = matrix.at(which);
    for (Index j = 0; j < columns; ++j) {
        for (Index i = 0; i < rows; ++i) {
            dense[static_cast<size_t>(i + j * rows)] = load<T>(matrix.type, from, i + j * matrix.pitch);
        }
    }
    return dense;
}

// op(A) op(B) of integers, whose sums wrap.
std::vector<int32_t> integer_product(const Product& p, const std::vector<int32_t>& a, const std::vector<int32_t>& b) {
    std::vector<int32_t> c(static_cast<size_t>(p.m * p.n));
    const auto element = [](const std::vector<int32_t>& from, cublasOperation_t operation, Index rows, Index i,
                            Index j) {
        return from[static_cast<size_t>(operation == CUBLAS_OP_N ? i + j * rows : j + i * rows)];
    };
    for (Index j = 0; j < p.n; ++j) {
        for (Index i = 0; i < p.m; ++i) {
            uint32_t sum = 0;
            for (Index l = 0; l < p.k; ++l) {
                sum += static_cast<uint32_t>(element(a, p.operation_a, p.rows_a(), i, l)) *
                       static_cast<uint32_t>(element(b, p.operation_b, p.rows_b(), l, j));
            }
            c[static_cast<size_t>(i + j * p.m)] = static_cast<int32_t>(sum);
        }
    }
    return c;
}

template <typename T>
void run(const Product& p, T alpha, T beta) {
    for (Index which = 0; which < p.count; ++which) {
        const auto a = converted<T>(p.a, which, p.rows_a(), p.columns_a());
        const auto b = converted<T>(p.b, which, p.rows_b(), p.columns_b());
        std::vector<T> product(static_cast<size_t>(p.m * p.n));
        if constexpr (std::is_same_v<T, int32_t>) {
            product = integer_product(p, a, b);
        } else {
            multiply(p.operation_a, p.operation_b, p.m, p.n, p.k, alpha, a.data(), std::max<Index>(1, p.rows_a()),
                     b.data(), std::max<Index>(1, p.rows_b()), T(0), product.data(), p.m);
        }
        void* const to = const_cast<void*>(p.c.at(which));
        for (Index j = 0; j < p.n; ++j) {
            for (Index i = 0; i < p.m; ++i) {
                T value = product[static_cast<size_t>(i + j * p.m)];
                if constexpr (std::is_same_v<T, int32_t>) value = alpha * value;
                const Index at = i + j * p.c.pitch;
                if (!(beta == T(0))) value += beta * load<T>(p.c.type, to, at);
                store(p.c.type, value, to, at);
            }
        }
    }
}

// A factor of a type that is only known when the program runs.
class NamedScalar {
public:
    NamedScalar(const Context& context, const void* pointer, cudaDataType type) : pointer_(pointer), type_(type) {
        if (!context.takes_host_scalars()) return;
        std::memcpy(value_, pointer, bytes_of(type));
        is_known_ = true;
    }
    template <typename T>
    T get() const {
        return load<T>(type_, is_known_ ? value_ : pointer_, 0);
    }
    Buffer buffer(const char* name) const { return {name, pointer_, is_known_ ? 0 : bytes_of(type_)}; }

private:
    const void* pointer_;
    cudaDataType type_;
    char value_[16] = {};
    bool is_known_ = false;
};

template <typename T>
cublasStatus_t submit_product(const char* name, const Context& context, const Product& p, const void* alpha,
                              const void* beta) {
    const NamedScalar factor(context, alpha, p.scales), kept(context, beta, p.scales);
    return submit(
        context, name,
        [=] {
            std::vector<Buffer> all = {factor.buffer("alpha"), kept.buffer("beta")};
            for (const Matrix& matrix : {p.a, p.b, p.c}) all.push_back(matrix.pointers_buffer(p.count));
            if (!p.a.is_readable() || !p.b.is_readable() || !p.c.is_readable()) return all;
            const Use use = kept.get<T>() == T(0) ? Use::writes : Use::reads_and_writes;
            for (Index i = 0; i < p.count; ++i) {
                all.push_back(p.a.buffer("A", i, p.rows_a(), p.columns_a()));
                all.push_back(p.b.buffer("B", i, p.rows_b(), p.columns_b()));
                all.push_back(p.c.buffer("C", i, p.m, p.n, use));
            }
            return all;
        },
        [=] { run<T>(p, factor.get<T>(), kept.get<T>()); });
}

bool is_complex_type(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }

// Whether cuBLAS multiplies these types.
bool is_supported(const Product& p) {
    const cudaDataType from = p.a.type, to = p.c.type;
    if (p.b.type != from) return false;
    switch (p.computes) {
        case CUDA_R_16F: return from == CUDA_R_16F && to == CUDA_R_16F;
        case CUDA_R_64F: return (from == CUDA_R_64F && to == CUDA_R_64F) || (from == CUDA_C_64F && to == CUDA_C_64F);
        case CUDA_R_32I: return from == CUDA_R_8I && to == CUDA_R_32I;
        default:
            return (from == CUDA_C_32F && to == CUDA_C_32F) || (from == CUDA_R_32F && to == CUDA_R_32F) ||
                   ((from == CUDA_R_16F || from == CUDA_R_16BF) && (to == from || to == CUDA_R_32F)) ||
                   (from == CUDA_R_8I && to == CUDA_R_32F);
    }
}

// The type of sums; CUDA_C_8I, which is none, if there is no such way to compute.
cudaDataType type_of(cublasComputeType_t how) {
    switch (how) {
        case CUBLAS_COMPUTE_16F:
        case CUBLAS_COMPUTE_16F_PEDANTIC: return CUDA_R_16F;
        case CUBLAS_COMPUTE_32F:
        case CUBLAS_COMPUTE_32F_PEDANTIC:
        case CUBLAS_COMPUTE_32F_FAST_16F:
        case CUBLAS_COMPUTE_32F_FAST_16BF:
        case CUBLAS_COMPUTE_32F_FAST_TF32:
        case CUBLAS_COMPUTE_32F_EMULATED_16BFX9: return CUDA_R_32F;
        case CUBLAS_COMPUTE_64F:
        case CUBLAS_COMPUTE_64F_PEDANTIC:
        case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT: return CUDA_R_64F;
        case CUBLAS_COMPUTE_32I:
        case CUBLAS_COMPUTE_32I_PEDANTIC: return CUDA_R_32I;
        default: return CUDA_C_8I;
    }
}

cublasStatus_t gemm(const char* name, cublasHandle_t handle, Product p, cudaDataType computes, const void* alpha,
                    const void* beta) {
    return with_context(name, handle, [&](Context& context) {
        const bool is_valid = is_operation(p.operation_a) && is_operation(p.operation_b) && p.m >= 0 && p.n >= 0 &&
                              p.k >= 0 && p.count >= 0 && is_pitch(p.a.pitch, p.rows_a()) &&
                              is_pitch(p.b.pitch, p.rows_b()) && is_pitch(p.c.pitch, p.m);
        if (!is_valid || !alpha || !beta) return CUBLAS_STATUS_INVALID_VALUE;
        p.computes = computes;
        if (computes == CUDA_C_8I || !is_supported(p)) return CUBLAS_STATUS_NOT_SUPPORTED;
        if (p.m == 0 || p.n == 0 || p.count == 0) return CUBLAS_STATUS_SUCCESS;
        p.scales = is_complex_type(p.a.type) ? p.a.type : computes;
        switch (p.scales) {
            case CUDA_R_64F: return submit_product<double>(name, context, p, alpha, beta);
            case CUDA_C_32F: return submit_product<Complex<float>>(name, context, p, alpha, beta);
            case CUDA_C_64F: return submit_product<Complex<double>>(name, context, p, alpha, beta);
            case CUDA_R_32I: return submit_product<int32_t>(name, context, p, alpha, beta);
            default: return submit_product<float>(name, context, p, alpha, beta);
        }
    });
}

Matrix one(const void* first, cudaDataType type, Index pitch, Index distance = 0) {
    return {first, nullptr, type, pitch, distance};
}
Matrix many(const void* const* pointers, cudaDataType type, Index pitch) {
    static const void* const none = nullptr;
    return {nullptr, pointers ? pointers : &none, type, pitch, 0};
}

// ---- vectors

struct NamedVector {
    const void* first;
    cudaDataType type;
    Index stride;

    Buffer buffer(const char* name, Index n, Use use = Use::reads) const {
        const size_t bytes = bytes_of(type);
        return {name, first, bytes, static_cast<size_t>(n), static_cast<size_t>(stride < 0 ? -stride : stride) * bytes,
                use};
    }
    /// The place of element i, counted in elements.
    Index place(Index i, Index n) const { return stride < 0 ? (i - n + 1) * stride : i * stride; }
    template <typename T>
    T get(Index i, Index n) const {
        return load<T>(type, first, place(i, n));
    }
};

// Vectors are computed in double precision if `computes` is real, and in pairs of it otherwise.
bool is_floating(cudaDataType type) {
    return type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F ||
           is_complex_type(type);
}
bool are_supported(std::initializer_list<cudaDataType> types) {
    for (const cudaDataType type : types) {
        if (!is_floating(type) || is_complex_type(type) != is_complex_type(*types.begin())) return false;
    }
    return true;
}

template <typename T>
cublasStatus_t axpy(const char* name, const Context& context, Index n, NamedScalar alpha, NamedVector x,
                    NamedVector y) {
    return submit(
        context, name,
        [=] {
            return std::vector<Buffer>{alpha.buffer("alpha"), x.buffer("x", n),
                                       y.buffer("y", n, Use::reads_and_writes)};
        },
        [=] {
            const T factor = alpha.get<T>();
            for (Index i = 0; i < n; ++i) {
                store(y.type, y.get<T>(i, n) + factor * x.get<T>(i, n), const_cast<void*>(y.first), y.place(i, n));
            }
        });
}

template <typename T>
cublasStatus_t scal(const char* name, const Context& context, Index n, NamedScalar alpha, NamedVector x) {
    return submit(
        context, name,
        [=] {
            return std::vector<Buffer>{alpha.buffer("alpha"), x.buffer("x", n, Use::reads_and_writes)};
        },
        [=] {
            const T factor = alpha.get<T>();
            for (Index i = 0; i < n; ++i) {
                store(x.type, factor * x.get<T>(i, n), const_cast<void*>(x.first), x.place(i, n));
            }
        });
}

// A result of a named type: see submit_result().
template <typename Make>
cublasStatus_t submit_named_result(const char* name, const Context& context, void* result, cudaDataType type,
                                   std::vector<Buffer> buffers, Make make) {
    if (!result) return CUBLAS_STATUS_INVALID_VALUE;
    const bool waits = context.takes_host_scalars();
    if (!waits) buffers.push_back({"result", result, bytes_of(type), 1, 0, Use::writes});
    return submit(
        context, name, [buffers] { return buffers; }, [=] { store(type, make(), result, 0); }, waits);
}

template <typename T>
cublasStatus_t dot(const char* name, const Context& context, Index n, bool conjugates, NamedVector x, NamedVector y,
                   void* result, cudaDataType type) {
    return submit_named_result(name, context, result, type, {x.buffer("x", n), y.buffer("y", n)}, [=] {
        T sum = 0;
        for (Index i = 0; i < n; ++i) sum += conj_if(conjugates, x.get<T>(i, n)) * y.get<T>(i, n);
        return sum;
    });
}

cublasStatus_t any_dot(const char* name, cublasHandle_t handle, Index n, bool conjugates, NamedVector x, NamedVector y,
                       void* result, cudaDataType type, cudaDataType execution) {
    return with_context(name, handle, [&](Context& context) {
        if (!are_supported({x.type, y.type, type, execution})) return CUBLAS_STATUS_NOT_SUPPORTED;
        const Index count = std::max<Index>(0, n);
        return is_complex_type(x.type) ? dot<Complex<double>>(name, context, count, conjugates, x, y, result, type)
                                       : dot<double>(name, context, count, conjugates, x, y, result, type);
    });
}

}  // namespace
}  // namespace simt::blas::mixed

using namespace simt::blas;

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                            int k, const void* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                            cudaDataType type_b, int ldb, const void* beta, void* c, cudaDataType type_c, int ldc,
                            cublasComputeType_t how, cublasGemmAlgo_t) {
    return mixed::gemm("cublasGemmEx", handle,
                       {transa,
                        transb,
                        m,
                        n,
                        k,
                        1,
                        mixed::one(a, type_a, lda),
                        mixed::one(b, type_b, ldb),
                        mixed::one(c, type_c, ldc),
                        {},
                        {}},
                       mixed::type_of(how), alpha, beta);
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                   int n, int k, const void* alpha, const void* const a[], cudaDataType type_a, int lda,
                                   const void* const b[], cudaDataType type_b, int ldb, const void* beta,
                                   void* const c[], cudaDataType type_c, int ldc, int count, cublasComputeType_t how,
                                   cublasGemmAlgo_t) {
    return mixed::gemm("cublasGemmBatchedEx", handle,
                       {transa,
                        transb,
                        m,
                        n,
                        k,
                        count,
                        mixed::many(a, type_a, lda),
                        mixed::many(b, type_b, ldb),
                        mixed::many(c, type_c, ldc),
                        {},
                        {}},
                       mixed::type_of(how), alpha, beta);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                          int m, int n, int k, const void* alpha, const void* a, cudaDataType type_a,
                                          int lda, long long int distance_a, const void* b, cudaDataType type_b,
                                          int ldb, long long int distance_b, const void* beta, void* c,
                                          cudaDataType type_c, int ldc, long long int distance_c, int count,
                                          cublasComputeType_t how, cublasGemmAlgo_t) {
    return mixed::gemm("cublasGemmStridedBatchedEx", handle,
                       {transa,
                        transb,
                        m,
                        n,
                        k,
                        count,
                        mixed::one(a, type_a, lda, distance_a),
                        mixed::one(b, type_b, ldb, distance_b),
                        mixed::one(c, type_c, ldc, distance_c),
                        {},
                        {}},
                       mixed::type_of(how), alpha, beta);
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const float* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                             cudaDataType type_b, int ldb, const float* beta, void* c, cudaDataType type_c, int ldc) {
    return mixed::gemm("cublasSgemmEx", handle,
                       {transa,
                        transb,
                        m,
                        n,
                        k,
                        1,
                        mixed::one(a, type_a, lda),
                        mixed::one(b, type_b, ldb),
                        mixed::one(c, type_c, ldc),
                        {},
                        {}},
                       CUDA_R_32F, alpha, beta);
}

cublasStatus_t cublasCgemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,
                             int k, const cuComplex* alpha, const void* a, cudaDataType type_a, int lda, const void* b,
                             cudaDataType type_b, int ldb, const cuComplex* beta, void* c, cudaDataType type_c,
                             int ldc) {
    return mixed::gemm("cublasCgemmEx", handle,
                       {transa,
                        transb,
                        m,
                        n,
                        k,
                        1,
                        mixed::one(a, type_a, lda),
                        mixed::one(b, type_b, ldb),
                        mixed::one(c, type_c, ldc),
                        {},
                        {}},
                       CUDA_R_32F, alpha, beta);
}

cublasStatus_t cublasHgemm(SIMT_GEMM_PARAMETERS(__half)) {
    return mixed::gemm("cublasHgemm", handle,
                       {transa,
                        transb,
                        m,
                        n,
                        k,
                        1,
                        mixed::one(A, CUDA_R_16F, lda),
                        mixed::one(B, CUDA_R_16F, ldb),
                        mixed::one(C, CUDA_R_16F, ldc),
                        {},
                        {}},
                       CUDA_R_16F, alpha, beta);
}

cublasStatus_t cublasHgemmBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
                                  int n, int k, const __half* alpha, const __half* const a[], int lda,
                                  const __half* const b[], int ldb, const __half* beta, __half* const c[], int ldc,
                                  int count) {
    const auto pointers = [](auto list) { return reinterpret_cast<const void* const*>(list); };
    return mixed::gemm("cublasHgemmBatched", handle,
                       {transa,
                        transb,
                        m,
                        n,
                        k,
                        count,
                        mixed::many(pointers(a), CUDA_R_16F, lda),
                        mixed::many(pointers(b), CUDA_R_16F, ldb),
                        mixed::many(pointers(c), CUDA_R_16F, ldc),
                        {},
                        {}},
                       CUDA_R_16F, alpha, beta);
}

cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                                         int m, int n, int k, const __half* alpha, const __half* a, int lda,
                                         long long int distance_a, const __half* b, int ldb, long long int distance_b,
                                         const __half* beta, __half* c, int ldc, long long int distance_c, int count) {
    return mixed::gemm("cublasHgemmStridedBatched", handle,
                       {transa,
                        transb,
                        m,
                        n,
                        k,
                        count,
                        mixed::one(a, CUDA_R_16F, lda, distance_a),
                        mixed::one(b, CUDA_R_16F, ldb, distance_b),
                        mixed::one(c, CUDA_R_16F, ldc, distance_c),
                        {},
                        {}},
                       CUDA_R_16F, alpha, beta);
}

cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType type_alpha, const void* x,
                            cudaDataType type_x, int incx, void* y, cudaDataType type_y, int incy,
                            cudaDataType execution) {
    return with_context("cublasAxpyEx", handle, [&](Context& context) {
        if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
        if (!mixed::are_supported({type_x, type_y, type_alpha, execution})) return CUBLAS_STATUS_NOT_SUPPORTED;
        if (n <= 0) return CUBLAS_STATUS_SUCCESS;
        const mixed::NamedScalar factor(context, alpha, type_alpha);
        const mixed::NamedVector from{x, type_x, incx}, to{y, type_y, incy};
        return mixed::is_complex_type(type_x)
                   ? mixed::axpy<Complex<double>>("cublasAxpyEx", context, n, factor, from, to)
                   : mixed::axpy<double>("cublasAxpyEx", context, n, factor, from, to);
    });
}

cublasStatus_t cublasScalEx(cublasHandle_t handle, int n, const void* alpha, cudaDataType type_alpha, void* x,
                            cudaDataType type_x, int incx, cudaDataType execution) {
    return with_context("cublasScalEx", handle, [&](Context& context) {
        if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
        if (!mixed::are_supported({type_x, type_alpha, execution})) return CUBLAS_STATUS_NOT_SUPPORTED;
        if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
        const mixed::NamedScalar factor(context, alpha, type_alpha);
        const mixed::NamedVector vector{x, type_x, incx};
        return mixed::is_complex_type(type_x) ? mixed::scal<Complex<double>>("cublasScalEx", context, n, factor, vector)
                                              : mixed::scal<double>("cublasScalEx", context, n, factor, vector);
    });
}

cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, const void* y,
                           cudaDataType type_y, int incy, void* result, cudaDataType type, cudaDataType execution) {
    return mixed::any_dot("cublasDotEx", handle, n, false, {x, type_x, incx}, {y, type_y, incy}, result, type,
                          execution);
}

cublasStatus_t cublasDotcEx(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, const void* y,
                            cudaDataType type_y, int incy, void* result, cudaDataType type, cudaDataType execution) {
    return mixed::any_dot("cublasDotcEx", handle, n, true, {x, type_x, incx}, {y, type_y, incy}, result, type,
                          execution);
}

cublasStatus_t cublasNrm2Ex(cublasHandle_t handle, int n, const void* x, cudaDataType type_x, int incx, void* result,
                            cudaDataType type, cudaDataType execution) {
    return with_context("cublasNrm2Ex", handle, [&](Context& context) {
        const bool is_real = mixed::is_floating(type) && !mixed::is_complex_type(type) && mixed::is_floating(execution);
        if (!mixed::is_floating(type_x) || !is_real) return CUBLAS_STATUS_NOT_SUPPORTED;
        const Index count = n > 0 && incx > 0 ? n : 0;
        const mixed::NamedVector vector{x, type_x, incx};
        return mixed::submit_named_result("cublasNrm2Ex", context, result, type, {vector.buffer("x", count)}, [=] {
            double length = 0;
            for (Index i = 0; i < count; ++i) {
                const auto value = vector.get<Complex<double>>(i, count);
                length = std::hypot(length, value.re, value.im);
            }
            return length;
        });
    });
}
