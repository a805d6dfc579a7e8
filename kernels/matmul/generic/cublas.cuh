// SPDX-License-Identifier: MIT
#pragma once
// The peer: cuBLAS. Only for nvcc.
// One call of cublasGemmEx, or of cublasGemmStridedBatchedEx for a batch, with cuBLAS's own choice of kernel; f32 in
// pedantic mode, that is, without tensor cores. cuBLAS is column-major: we ask it for the transpose, C' = B' A', which
// is the same bytes as the row-major C = A B. An operand that is stored transposed is passed with the transpose flag.
#include "common/cuda/cublas.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/io/dtype.hpp"
#include "common/io/failure.hpp"
#include "common/io/text.hpp"
#include "kernels/matmul/generic/arguments.cuh"

#include <cuda_runtime.h>
#include <library_types.h>

#include <cstddef>

namespace BACKEND {

/// How cuBLAS is to compute: the values of cublasComputeType_t.
enum class CublasCompute { f32 = 68, f32_pedantic = 69, f64 = 70, tf32 = 77 };

/// A type as cuBLAS stores and computes it. Sums of 16-bit and 8-bit products are in f32.
struct CublasType {
    cudaDataType stored, result;
    CublasCompute compute;
};

/// 8-bit floats; toolkits before CUDA 11.8 have no names for them.
constexpr auto cublas_e4m3 = static_cast<cudaDataType>(28), cublas_e5m2 = static_cast<cudaDataType>(29);

inline CublasType cublas_type(DType dtype) {
    switch (dtype) {
        case DType::f64: return {CUDA_R_64F, CUDA_R_64F, CublasCompute::f64};
        case DType::tf32: return {CUDA_R_32F, CUDA_R_32F, CublasCompute::tf32};
        case DType::f16: return {CUDA_R_16F, CUDA_R_16F, CublasCompute::f32};
        case DType::bf16: return {CUDA_R_16BF, CUDA_R_16BF, CublasCompute::f32};
        case DType::e4m3: return {cublas_e4m3, CUDA_R_16BF, CublasCompute::f32};
        case DType::e5m2: return {cublas_e5m2, CUDA_R_16BF, CublasCompute::f32};
        default: return {CUDA_R_32F, CUDA_R_32F, CublasCompute::f32_pedantic};
    }
}

/// An operand of C' = B' A' as cuBLAS takes it: its cublasOperation_t, and the elements from one column to the next.
struct CublasOperand {
    int operation, leading_dimension;
};
inline CublasOperand cublas_operand(bool transposed, size_t rows, size_t columns) {
    constexpr int none = 0, transpose = 1;
    return transposed ? CublasOperand{transpose, int(rows)} : CublasOperand{none, int(columns)};
}
inline CublasOperand cublas_a(const MatmulArguments<void>& arguments) {
    return cublas_operand(arguments.a_transposed, arguments.m, arguments.k);
}
inline CublasOperand cublas_b(const MatmulArguments<void>& arguments) {
    return cublas_operand(arguments.b_transposed, arguments.k, arguments.n);
}

/// The library, and the functions that a product needs.
class Cublas {
public:
    Cublas() {
        has_all_ = handle_ && handle_.find(set_math_mode_, "cublasSetMathMode") &&
                   handle_.find(multiply_, "cublasGemmEx") &&
                   handle_.find(multiply_batch_, "cublasGemmStridedBatchedEx");
    }

    /// Whether it was found and works here.
    explicit operator bool() const { return has_all_; }

    /// Enqueues the product. Sums of 16-bit products stay in f32 to the end, as in all our kernels: by default, cuBLAS
    /// rounds partial sums of some shapes to 16 bits. Failure(cuda_error) names its status.
    LaunchShape multiply(const MatmulArguments<void>& arguments, const CublasType& type) const {
        constexpr int own_choice = -1, pedantic_math = 2, no_16_bit_sums = 16;
        const int m = int(arguments.m), n = int(arguments.n), k = int(arguments.k), batch = int(arguments.batch);
        const CublasOperand a = cublas_a(arguments), b = cublas_b(arguments);
        const float one = 1, zero = 0;
        const double one_f64 = 1, zero_f64 = 0;
        const CublasCompute compute = type.compute;
        const bool f64 = compute == CublasCompute::f64;
        void* const handle = handle_.on(arguments.stream);
        int status = set_math_mode_(handle, compute == CublasCompute::f32_pedantic ? pedantic_math : no_16_bit_sums);
        const void *const alpha = f64 ? static_cast<const void*>(&one_f64) : &one, *const beta =
                                                                                       f64 ? static_cast<const void*>(
                                                                                                 &zero_f64)
                                                                                           : &zero;
        if (status == 0 && batch == 1)
            status = multiply_(handle, b.operation, a.operation, n, m, k, alpha, arguments.d_b, type.stored,
                               b.leading_dimension, arguments.d_a, type.stored, a.leading_dimension, beta,
                               arguments.d_c, type.stored, n, static_cast<int>(compute), own_choice);
        else if (status == 0)
            status = multiply_batch_(handle, b.operation, a.operation, n, m, k, alpha, arguments.d_b, type.stored,
                                     b.leading_dimension, static_cast<long long>(arguments.stride_b), arguments.d_a,
                                     type.stored, a.leading_dimension, static_cast<long long>(arguments.stride_a), beta,
                                     arguments.d_c, type.stored, n, static_cast<long long>(arguments.stride_c), batch,
                                     static_cast<int>(compute), own_choice);
        if (status != 0)
            fail(Exit::cuda_error, "cuBLAS: the product of {} x {} x {} ended with status {}", m, n, k, status);
        return {};
    }

private:
    CublasHandle handle_;
    bool has_all_ = false;
    int (*set_math_mode_)(void*, int) = nullptr;
    int (*multiply_)(void*, int, int, int, int, int, const void*, const void*, cudaDataType, int, const void*,
                     cudaDataType, int, const void*, void*, cudaDataType, int, int, int) = nullptr;
    int (*multiply_batch_)(void*, int, int, int, int, int, const void*, const void*, cudaDataType, int, long long,
                           const void*, cudaDataType, int, long long, const void*, void*, cudaDataType, int, long long,
                           int, int, int) = nullptr;
};

}  // namespace BACKEND
