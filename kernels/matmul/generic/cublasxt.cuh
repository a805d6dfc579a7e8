// SPDX-License-Identifier: MIT
#pragma once
// The peer on several devices: cuBLASXt, part of the cuBLAS library. Only for nvcc. It cuts matrices into square
// blocks, deals those of C to the devices in turn, and copies what they need from wherever it is.
// As with cuBLAS, the transpose C' = B' A' is the same bytes as the row-major C = A B.
#include "common/cuda/cublas.cuh"
#include "common/io/dtype.hpp"
#include "common/io/failure.hpp"

#include <cstddef>
#include <vector>

namespace BACKEND {

/// The library, for products on the given devices. The declarations hold for CUDA 11 to 13.
class CublasXt {
public:
    explicit CublasXt(std::vector<int> ordinals) {
        int (*create)(void**) = nullptr;
        int (*select)(void*, int, int*) = nullptr;
        const bool has_all =
            library_.find(create, "cublasXtCreate") && library_.find(destroy_, "cublasXtDestroy") &&
            library_.find(select, "cublasXtDeviceSelect") && library_.find(set_block_, "cublasXtSetBlockDim") &&
            library_.find(multiply_f32_, "cublasXtSgemm") && library_.find(multiply_f64_, "cublasXtDgemm");
        if (!has_all || create(&handle_) != 0) handle_ = nullptr;
        if (handle_) check(select(handle_, int(ordinals.size()), ordinals.data()), "cublasXtDeviceSelect");
    }
    ~CublasXt() {
        if (handle_) destroy_(handle_);
    }
    CublasXt(const CublasXt&) = delete;
    CublasXt& operator=(const CublasXt&) = delete;

    /// Whether it was found and works here.
    explicit operator bool() const { return handle_ != nullptr; }

    /// C = A B in f32 or f64, with blocks of `block` rows and columns. The matrices may be on any of the devices.
    /// Returns after the product has completed.
    void multiply(DType dtype, size_t m, size_t n, size_t k, const void* a, const void* b, void* c, int block) const {
        check(set_block_(handle_, block), "cublasXtSetBlockDim");
        if (dtype == DType::f64) check(call<double>(multiply_f64_, m, n, k, a, b, c), "cublasXtDgemm");
        else check(call<float>(multiply_f32_, m, n, k, a, b, c), "cublasXtSgemm");
    }

private:
    template <typename T>
    using Multiply = int(void*, int, int, size_t, size_t, size_t, const T*, const T*, size_t, const T*, size_t,
                         const T*, T*, size_t);

    template <typename T>
    int call(Multiply<T>* multiply, size_t m, size_t n, size_t k, const void* a, const void* b, void* c) const {
        constexpr int as_it_lies = 0;
        const T one = 1, zero = 0;
        return multiply(handle_, as_it_lies, as_it_lies, n, m, k, &one, static_cast<const T*>(b), n,
                        static_cast<const T*>(a), k, &zero, static_cast<T*>(c), n);
    }
    static void check(int status, const char* call) {
        if (status != 0) fail(Exit::cuda_error, "{}: cuBLAS status {}", call, status);
    }

    CublasHandle library_;
    void* handle_ = nullptr;
    int (*destroy_)(void*) = nullptr;
    int (*set_block_)(void*, int) = nullptr;
    Multiply<float>* multiply_f32_ = nullptr;
    Multiply<double>* multiply_f64_ = nullptr;
};

}  // namespace BACKEND
