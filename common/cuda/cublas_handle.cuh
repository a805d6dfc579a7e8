#pragma once
// cuBLAS, found at run time, so that everything builds and runs on a machine without it. Only for nvcc.
#include "common/io/failure.hpp"
#include "common/io/text.hpp"

#include <cuda_runtime.h>
#include <dlfcn.h>

namespace BACKEND {

/// The library and one handle of it. Whoever calls a function declares it as cublas_api.h does, which a toolkit may
/// lack; the declarations are the same from CUDA 11 to 13.
class CublasHandle {
public:
    CublasHandle() {
        for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"})
            if ((library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL))) break;
        int (*create)(void**) = nullptr;
        if (!find(create, "cublasCreate_v2") || !find(destroy_, "cublasDestroy_v2") ||
            !find(set_stream_, "cublasSetStream_v2") || create(&handle_) != 0)
            handle_ = nullptr;
    }
    ~CublasHandle() {
        if (handle_) destroy_(handle_);
        if (library_) dlclose(library_);
    }
    CublasHandle(const CublasHandle&) = delete;
    CublasHandle& operator=(const CublasHandle&) = delete;

    /// Whether it was found and works here.
    explicit operator bool() const { return handle_ != nullptr; }

    /// False if the library has no function of this name.
    template <typename Function>
    bool find(Function& function, const char* name) const {
        function = library_ ? reinterpret_cast<Function>(dlsym(library_, name)) : nullptr;
        return function != nullptr;
    }

    /// The handle, for calls that go to `stream`. Failure(cuda_error) names cuBLAS's status.
    void* on(cudaStream_t stream) const {
        const int status = set_stream_(handle_, stream);
        if (status != 0) fail(Exit::cuda_error, "cublasSetStream: cuBLAS status {}", status);
        return handle_;
    }

private:
    void* library_ = nullptr;
    void* handle_ = nullptr;
    int (*destroy_)(void*) = nullptr;
    int (*set_stream_)(void*, cudaStream_t) = nullptr;
};

}  // namespace BACKEND
