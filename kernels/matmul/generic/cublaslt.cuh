// SPDX-License-Identifier: MIT
#pragma once
// The stronger peer: cuBLASLt, with the fastest of the algorithms that its heuristic offers for the shape. Only for
// nvcc. The library is loaded at run time; its functions are declared here as in cublasLt.h of CUDA 11 to 13.
// As with cuBLAS, the transpose C' = B' A' is the same bytes as the row-major C = A B.
#include "common/cuda/buffers.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/library.hpp"
#include "common/io/failure.hpp"
#include "common/io/text.hpp"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/cublas.cuh"

#include <cuda_runtime.h>
#include <library_types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace BACKEND {

/// The workspace that its algorithms may use.
constexpr size_t cublaslt_workspace_bytes = size_t{256} << 20;

/// An algorithm, as the heuristic returns it: cublasLtMatmulHeuristicResult_t.
struct CublasLtAlgorithm {
    std::uint64_t algorithm[8];
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
};

/// The library, and the functions that a product needs.
class CublasLt {
public:
    CublasLt() {
        int (*create)(void**) = nullptr;
        const bool has_all = library_.find(create, "cublasLtCreate") && library_.find(destroy_, "cublasLtDestroy") &&
                             library_.find(create_product, "cublasLtMatmulDescCreate") &&
                             library_.find(set_product, "cublasLtMatmulDescSetAttribute") &&
                             library_.find(set_matrix, "cublasLtMatrixLayoutSetAttribute") &&
                             library_.find(destroy_product, "cublasLtMatmulDescDestroy") &&
                             library_.find(create_matrix, "cublasLtMatrixLayoutCreate") &&
                             library_.find(destroy_matrix, "cublasLtMatrixLayoutDestroy") &&
                             library_.find(create_preference, "cublasLtMatmulPreferenceCreate") &&
                             library_.find(destroy_preference, "cublasLtMatmulPreferenceDestroy") &&
                             library_.find(set_preference, "cublasLtMatmulPreferenceSetAttribute") &&
                             library_.find(find_algorithms, "cublasLtMatmulAlgoGetHeuristic") &&
                             library_.find(multiply, "cublasLtMatmul");
        if (!has_all || create(&handle_) != 0) handle_ = nullptr;
    }
    ~CublasLt() {
        if (handle_) destroy_(handle_);
    }
    CublasLt(const CublasLt&) = delete;
    CublasLt& operator=(const CublasLt&) = delete;

    /// Whether it was found and works here.
    explicit operator bool() const { return handle_ != nullptr; }
    void* handle() const { return handle_; }

    // The functions return cuBLAS's status. void* stands for the library's opaque handles.
    int (*create_product)(void**, int compute, cudaDataType scale) = nullptr;
    int (*destroy_product)(void*) = nullptr;
    int (*set_product)(void*, int attribute, const void* value, size_t bytes) = nullptr;
    int (*create_matrix)(void**, cudaDataType, std::uint64_t rows, std::uint64_t columns,
                         std::int64_t stride) = nullptr;
    int (*destroy_matrix)(void*) = nullptr;
    int (*set_matrix)(void*, int attribute, const void* value, size_t bytes) = nullptr;
    int (*create_preference)(void**) = nullptr;
    int (*destroy_preference)(void*) = nullptr;
    int (*set_preference)(void*, int attribute, const void* value, size_t bytes) = nullptr;
    int (*find_algorithms)(void* handle, void* product, void* a, void* b, void* c, void* d, void* preference, int most,
                           CublasLtAlgorithm*, int* count) = nullptr;
    int (*multiply)(void* handle, void* product, const void* alpha, const void* a_data, void* a, const void* b_data,
                    void* b, const void* beta, const void* c_data, void* c, void* d_data, void* d,
                    const std::uint64_t* algorithm, void* workspace, size_t workspace_bytes, cudaStream_t) = nullptr;

private:
    const Library library_{{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so"}};
    void* handle_ = nullptr;
    int (*destroy_)(void*) = nullptr;
};

/// Products of one shape, batch and layout. The first launch times all algorithms and waits for the device.
class CublasLtProduct {
public:
    /// `fast_accum`: for 8-bit floats, the tensor cores' sums are not promoted to f32 at intervals.
    CublasLtProduct(std::shared_ptr<CublasLt> library, const MatmulArguments<void>& of, const CublasType& type,
                    bool fast_accum)
        : library_(std::move(library)), f64_(type.compute == CublasCompute::f64) {
        constexpr int most_workspace = 1, reductions = 3, most_algorithms = 64;  // the first two name preferences
        // Partial sums are not rounded to the result's type, as in all our kernels: 2 keeps them in the type that sums
        // are computed in; 1 adds them up in C's memory.
        const std::uint32_t sums_as_computed = type.result == CUDA_R_32F || type.result == CUDA_R_64F ? 1 | 2 : 2;
        check(library_->create_product(&product_, int(type.compute), f64_ ? CUDA_R_64F : CUDA_R_32F), "create");
        describe(b_, type.stored, of.b_transposed, of.k, of.n, of.batch, of.stride_b);
        describe(a_, type.stored, of.a_transposed, of.m, of.k, of.batch, of.stride_a);
        describe(c_, type.result, false, of.m, of.n, of.batch, of.stride_c);
        constexpr int operation_of_first = 3, operation_of_second = 4;  // attributes of a product
        const std::int32_t of_b = cublas_b(of).operation, of_a = cublas_a(of).operation;
        check(library_->set_product(product_, operation_of_first, &of_b, sizeof of_b), "transpose B");
        check(library_->set_product(product_, operation_of_second, &of_a, sizeof of_a), "transpose A");
        if (type.stored == cublas_e4m3 || type.stored == cublas_e5m2) {
            constexpr int fast_accumulation = 25;
            const std::int8_t fast = fast_accum;
            check(library_->set_product(product_, fast_accumulation, &fast, sizeof fast),
                  "choose how sums are added up");
            scales_ = DeviceBuffer<float>(2 * scale_step);
            set_scales(scales_.data());  // until a launch sets its own: the heuristic must know that there are scales
        }
        void* preference = nullptr;
        check(library_->create_preference(&preference), "create a preference");
        library_->set_preference(preference, most_workspace, &cublaslt_workspace_bytes, sizeof(size_t));
        library_->set_preference(preference, reductions, &sums_as_computed, sizeof sums_as_computed);
        algorithms_.resize(most_algorithms);
        int count = 0;
        const int status = library_->find_algorithms(library_->handle(), product_, b_, a_, c_, c_, preference,
                                                     most_algorithms, algorithms_.data(), &count);
        library_->destroy_preference(preference);
        algorithms_.resize(status == 0 ? size_t(count) : 0);
    }
    ~CublasLtProduct() {
        for (void* matrix : {a_, b_, c_})
            if (matrix) library_->destroy_matrix(matrix);
        if (product_) library_->destroy_product(product_);
    }
    CublasLtProduct(const CublasLtProduct&) = delete;
    CublasLtProduct& operator=(const CublasLtProduct&) = delete;

    /// Whether the heuristic offers any algorithm.
    explicit operator bool() const { return !algorithms_.empty(); }

    /// Tries the algorithms on memory of its own and drops those that do not run here. (For 8-bit floats the heuristic
    /// has offered some.) `stored`: bytes of an element of A and B; `result`: of C.
    void keep_what_runs(const MatmulArguments<void>& of, size_t stored, size_t result) {
        const auto bytes = [&](size_t stride, size_t one, size_t element) {
            return (stride * (of.batch - 1) + one) * element;
        };
        const DeviceBuffer<char> d_a(bytes(of.stride_a, of.m * of.k, stored)),
            d_b(bytes(of.stride_b, of.k * of.n, stored)), d_c(bytes(of.stride_c, of.m * of.n, result)),
            d_workspace(cublaslt_workspace_bytes);
        MatmulArguments<void> trial = of;
        trial.d_a = d_a.data(), trial.d_b = d_b.data(), trial.d_c = d_c.data(), trial.d_workspace = d_workspace.data();
        std::vector<CublasLtAlgorithm> running;
        for (const CublasLtAlgorithm& one : algorithms_)
            if (run(one, trial) == 0) running.push_back(one);
        CHECK(cudaDeviceSynchronize());
        algorithms_ = std::move(running);
    }

    LaunchShape multiply(const MatmulArguments<void>& arguments) {
        if (arguments.d_scales) set_scales(arguments.d_scales);
        if (!chosen_) chosen_ = &fastest(arguments);
        check(run(*chosen_, arguments), "multiply");
        return {};
    }

private:
    static void check(int status, const char* what) {
        if (status != 0) fail(Exit::cuda_error, "cuBLASLt cannot {}: status {}", what, status);
    }

    /// Describes a row-major matrix, or its transpose, as the column-major one that its bytes are.
    void describe(void*& matrix, cudaDataType type, bool transposed, size_t rows, size_t columns, size_t batch,
                  size_t stride) const {
        constexpr int batch_count = 5, batch_stride = 6;  // attributes of a matrix
        if (transposed) std::swap(rows, columns);
        check(library_->create_matrix(&matrix, type, columns, rows, std::int64_t(columns)), "describe a matrix");
        if (batch == 1) return;
        const auto count = std::int32_t(batch);
        const auto elements = std::int64_t(stride);
        check(library_->set_matrix(matrix, batch_count, &count, sizeof count), "describe a batch");
        check(library_->set_matrix(matrix, batch_stride, &elements, sizeof elements), "describe a batch");
    }

    /// Sets the scales of A and B. B is the first operand here.
    void set_scales(const float* d_scales) const {
        constexpr int scale_of_first = 17, scale_of_second = 18;  // attributes of a product
        const float *const of_a = d_scales, *const of_b = d_scales + scale_step;
        check(library_->set_product(product_, scale_of_first, &of_b, sizeof of_b), "scale B");
        check(library_->set_product(product_, scale_of_second, &of_a, sizeof of_a), "scale A");
    }

    int run(const CublasLtAlgorithm& one, const MatmulArguments<void>& arguments) const {
        const float factors[2] = {1, 0};
        const double factors_f64[2] = {1, 0};
        const void *alpha = f64_ ? static_cast<const void*>(factors_f64) : factors,
                   *beta = f64_ ? static_cast<const void*>(factors_f64 + 1) : factors + 1;
        return library_->multiply(library_->handle(), product_, alpha, arguments.d_b, b_, arguments.d_a, a_, beta,
                                  arguments.d_c, c_, arguments.d_c, c_, one.algorithm, arguments.d_workspace,
                                  cublaslt_workspace_bytes, arguments.stream);
    }

    /// Compares the fastest of a few launches of each; algorithms that cannot run are skipped.
    const CublasLtAlgorithm& fastest(const MatmulArguments<void>& arguments) const {
        constexpr int launches = 4;  // the first warms up
        const Event start, stop;
        const CublasLtAlgorithm* best = &algorithms_.front();
        double best_ns = 0;
        for (const CublasLtAlgorithm& one : algorithms_) {
            double least_ns = 0;
            for (int i = 0; i < launches; ++i) {
                start.record(arguments.stream);
                if (run(one, arguments) != 0) {
                    static_cast<void>(cudaGetLastError());
                    break;
                }
                stop.record(arguments.stream);
                stop.synchronize();
                const double ns = elapsed_ns(start, stop);
                if (i > 0 && (least_ns == 0 || ns < least_ns)) least_ns = ns;
            }
            if (least_ns > 0 && (best_ns == 0 || least_ns < best_ns)) {
                best_ns = least_ns;
                best = &one;
            }
        }
        return *best;
    }

    std::shared_ptr<CublasLt> library_;
    bool f64_;
    void *product_ = nullptr, *a_ = nullptr, *b_ = nullptr, *c_ = nullptr;
    DeviceBuffer<float> scales_;
    std::vector<CublasLtAlgorithm> algorithms_;
    const CublasLtAlgorithm* chosen_ = nullptr;
};

}  // namespace BACKEND
