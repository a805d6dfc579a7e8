// SPDX-License-Identifier: MIT
#pragma once
// cuBLAS's geam, C = alpha op(A) + beta op(B), the peer of sums and transpositions. For nvcc only. cuBLAS is
// column-major: it sees a row-major matrix as its transpose.
#include "common/cuda/cublas_handle.cuh"

namespace BACKEND {

/// For float and double: cuBLAS has no geam for other real types.
template <typename T>
class Geam {
public:
    enum class Operation : int { none = 0, transpose = 1 };  // as cublasOperation_t numbers them
    struct Operand {
        Operation operation;
        T factor;
        const T* matrix;
        int leading_dimension;
    };

    Geam() { has_all_ = handle_ && handle_.find(add_, sizeof(T) == sizeof(float) ? "cublasSgeam" : "cublasDgeam"); }

    /// Whether geam was found and cuBLAS works here.
    explicit operator bool() const { return has_all_; }

    /// C is m x n, column-major without gaps; does nothing if it is empty. Throws Failure(cuda_error) with cuBLAS's
    /// status.
    void run(int m, int n, const Operand& a, const Operand& b, T* c, cudaStream_t stream) const {
        if (m == 0 || n == 0) return;
        const int status =
            add_(handle_.on(stream), static_cast<int>(a.operation), static_cast<int>(b.operation), m, n, &a.factor,
                 a.matrix, a.leading_dimension, &b.factor, b.matrix, b.leading_dimension, c, m);
        if (status != 0) fail(Exit::cuda_error, "cublas geam of {} x {}: cuBLAS status {}", m, n, status);
    }

private:
    CublasHandle handle_;
    bool has_all_ = false;
    int (*add_)(void*, int, int, int, int, const T*, const T*, int, const T*, const T*, int, T*, int) = nullptr;
};

}  // namespace BACKEND
