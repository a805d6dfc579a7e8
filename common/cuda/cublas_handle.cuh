// SPDX-License-Identifier: MIT
#pragma once
// cuBLAS, loaded at run time. For nvcc only.
#include "common/cuda/library.hpp"

#include <cuda_runtime.h>

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

}  // namespace BACKEND
