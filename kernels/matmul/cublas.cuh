#pragma once
// The peer: cuBLAS, found at run time, so that everything else builds and runs on a machine without it. Only for nvcc.
// One call of cublasGemmEx, with cuBLAS's own choice of kernel; f32 in pedantic mode, that is without tensor cores.
// cuBLAS works on columns: it is asked for the transpose, C' = B' A', which is the same bytes as the row-major C = A B.
#include "common/cuda/launch_shape.cuh"
#include "common/io/dtype.hpp"
#include "common/io/failure.hpp"
#include "common/io/text.hpp"
#include "kernels/matmul/arguments.cuh"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <library_types.h>

#include <cstddef>
#include <initializer_list>

namespace BACKEND {

/// How cuBLAS is to compute: the values of cublasComputeType_t.
enum class CublasCompute { f32 = 68, f32_pedantic = 69, f64 = 70, tf32 = 77 };

/// A type as cuBLAS stores and computes it. Sums of 16-bit products are in f32.
struct CublasType {
    cudaDataType stored;
    CublasCompute compute;
};

inline CublasType cublas_type(DType dtype) {
    switch (dtype) {
        case DType::f64: return {CUDA_R_64F, CublasCompute::f64};
        case DType::tf32: return {CUDA_R_32F, CublasCompute::tf32};
        case DType::f16: return {CUDA_R_16F, CublasCompute::f32};
        case DType::bf16: return {CUDA_R_16BF, CublasCompute::f32};
        default: return {CUDA_R_32F, CublasCompute::f32_pedantic};
    }
}

/// The library and one handle of it. The declarations repeat cublas_api.h, which a toolkit may lack; they are the same
/// from CUDA 11 to 13.
class Cublas {
public:
    Cublas() {
        for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"})
            if ((library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL))) break;
        if (!library_ || !find(create_, "cublasCreate_v2") || !find(destroy_, "cublasDestroy_v2") ||
            !find(set_stream_, "cublasSetStream_v2") || !find(set_math_mode_, "cublasSetMathMode") ||
            !find(multiply_, "cublasGemmEx") || create_(&handle_) != 0)
            handle_ = nullptr;
    }
    ~Cublas() {
        if (handle_) destroy_(handle_);
        if (library_) dlclose(library_);
    }
    Cublas(const Cublas&) = delete;
    Cublas& operator=(const Cublas&) = delete;

    /// Whether it was found and works here.
    explicit operator bool() const { return handle_ != nullptr; }

    /// Enqueues the product. Sums of 16-bit products stay in f32 to the end, as in all our kernels: left alone, cuBLAS
    /// rounds partial sums of some shapes to 16 bits. Failure(cuda_error) names its status.
    LaunchShape multiply(const MatmulArguments<void>& arguments, const CublasType& type) const {
        constexpr int not_transposed = 0, own_choice = -1, pedantic_math = 2, no_16_bit_sums = 16;
        const int m = int(arguments.m), n = int(arguments.n), k = int(arguments.k), ldk = k > 0 ? k : 1;
        const float one = 1, zero = 0;
        const double one_f64 = 1, zero_f64 = 0;
        const CublasCompute compute = type.compute;
        const bool f64 = compute == CublasCompute::f64;
        int status = set_stream_(handle_, arguments.stream);
        if (status == 0)
            status = set_math_mode_(handle_, compute == CublasCompute::f32_pedantic ? pedantic_math : no_16_bit_sums);
        if (status == 0)
            status = multiply_(handle_, not_transposed, not_transposed, n, m, k,
                               f64 ? static_cast<const void*>(&one_f64) : &one, arguments.d_b, type.stored, n,
                               arguments.d_a, type.stored, ldk, f64 ? static_cast<const void*>(&zero_f64) : &zero,
                               arguments.d_c, type.stored, n, static_cast<int>(compute), own_choice);
        if (status != 0) fail(Exit::cuda_error, "cublasGemmEx of {} x {} x {}: cuBLAS status {}", m, n, k, status);
        return {};
    }

private:
    template <typename Function>
    bool find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(dlsym(library_, name));
        return function != nullptr;
    }

    void* library_ = nullptr;
    void* handle_ = nullptr;
    int (*create_)(void**) = nullptr;
    int (*destroy_)(void*) = nullptr;
    int (*set_stream_)(void*, cudaStream_t) = nullptr;
    int (*set_math_mode_)(void*, int) = nullptr;
    int (*multiply_)(void*, int, int, int, int, int, const void*, const void*, cudaDataType, int, const void*,
                     cudaDataType, int, const void*, void*, cudaDataType, int, int, int) = nullptr;
};

}  // namespace BACKEND
