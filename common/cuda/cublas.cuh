// SPDX-License-Identifier: MIT
// cuBLAS, loaded at run time, and its geam, the peer of sums and transpositions. For nvcc only.
#pragma once

#include <cuda_runtime.h>

#include "common/cuda/library.hpp"

namespace BACKEND {

/// The library and one handle. The declarations are the same in CUDA 11 to 13.
class CublasHandle {
public:
    CublasHandle() {
        int (*create)(void**) = nullptr;
        if (!find(create, "cublasCreate_v2") || !find(destroy_, "cublasDestroy_v2") ||
            !find(set_stream_, "cublasSetStream_v2") || create(&handle_) != 0)
            handle_ = nullptr;
    }
    ~CublasHandle() {
        if (handle_) destroy_(handle_);
    }
    CublasHandle(const CublasHandle&) = delete;
    CublasHandle& operator=(const CublasHandle&) = delete;

    /// Whether cuBLAS was found and works here.
    explicit operator bool() const { return handle_ != nullptr; }

    /// False if the library has no function of this name.
    template <typename Function>
    bool find(Function& function, const char* name) const {
        return library_.find(function, name);
    }

    /// The handle, set to enqueue in `stream`. Throws Failure(cuda_error) with cuBLAS's status.
    void* on(cudaStream_t stream) const {
        const int status = set_stream_(handle_, stream);
        if (status != 0) fail(Exit::cuda_error, "cublasSetStream: cuBLAS status {}", status);
        return handle_;
    }

private:
    const Library library_{{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"}};
    void* handle_ = nullptr;
    int (*destroy_)(void*) = nullptr;
    int (*set_stream_)(void*, cudaStream_t) = nullptr;
};

// ---- geam, C = alpha op(A) + beta op(B). cuBLAS is column-major: it sees a row-major matrix as its transpose.

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
