// SPDX-License-Identifier: MIT
// A call of cuBLAS: its handle, its scalars, its vectors and matrices.
//
//   handle       handles, their settings, and the copies that need none
//   level1-3     the functions of BLAS by what they take: vectors; a matrix and vectors; matrices. All storages of a
//                matrix (full, triangular, banded, packed) are columns with a first and a last row (columns.hpp), and
//                level 3 multiplies dense copies of them
//   batched      many small products, factorizations and inverses
//   mixed        the functions that name their types
//   engine       products and triangular solutions of dense matrices: OpenBLAS, or loops of our own
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/simt/blas/scalar.hpp"
#include "common/simt/library/call.hpp"

namespace simt::blas {

using library::Buffer;
using library::Use;
using Index = int64_t;

/// What a cublasHandle_t stands for.
struct Context {
    int device = 0;
    std::shared_ptr<Stream> stream;
    cudaStream_t stream_handle = nullptr;
    cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
    cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
    cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
    int multiprocessors = 0;

    bool takes_host_scalars() const { return pointer_mode == CUBLAS_POINTER_MODE_HOST; }
};

/// The context of a handle, or null.
std::shared_ptr<Context> find_context(cublasHandle_t handle);

/// A factor: read when the function is called, or in device memory when the stream comes to the call.
template <typename T>
class Scalar {
public:
    Scalar(const Context& context, const T* pointer) : pointer_(pointer) {
        if (context.takes_host_scalars() && pointer) value_ = *pointer, is_known_ = true;
    }

    bool is_null() const { return pointer_ == nullptr; }
    T get() const { return is_known_ ? value_ : *pointer_; }
    Buffer buffer(const char* name) const { return {name, pointer_, is_known_ ? 0 : sizeof(T)}; }

private:
    const T* pointer_;
    T value_ = {};
    bool is_known_ = false;
};

template <typename T>
Buffer vector_buffer(const char* name, const T* x, Index n, Index stride, Use use = Use::reads) {
    const size_t pitch = static_cast<size_t>(stride < 0 ? -stride : stride) * sizeof(T);
    return {name, x, sizeof(T), static_cast<size_t>(n), pitch, use};
}

template <typename T>
Buffer matrix_buffer(const char* name, const T* a, Index rows, Index columns, Index pitch, Use use = Use::reads) {
    return {name,
            a,
            static_cast<size_t>(rows) * sizeof(T),
            static_cast<size_t>(columns),
            static_cast<size_t>(pitch) * sizeof(T),
            use};
}

/// The elements of a vector one after another.
template <typename T>
std::vector<T> gather(const T* x, Index n, Index stride) {
    std::vector<T> values(static_cast<size_t>(n));
    const T* at = stride < 0 ? x - (n - 1) * stride : x;
    for (Index i = 0; i < n; ++i) values[static_cast<size_t>(i)] = at[i * stride];
    return values;
}

template <typename T>
void scatter(const std::vector<T>& values, T* x, Index stride) {
    const auto n = static_cast<Index>(values.size());
    T* at = stride < 0 ? x - (n - 1) * stride : x;
    for (Index i = 0; i < n; ++i) at[i * stride] = values[static_cast<size_t>(i)];
}

inline cublasStatus_t status_of(cudaError_t error) {
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// Runs the body of a function of cuBLAS with the context of its handle.
template <typename Body>
cublasStatus_t with_context(const char* name, cublasHandle_t handle, Body body) {
    return library::library_function(name, CUBLAS_STATUS_NOT_INITIALIZED, [&] {
        const auto context = find_context(handle);
        return context ? body(*context) : CUBLAS_STATUS_NOT_INITIALIZED;
    });
}

template <typename Buffers, typename Work>
cublasStatus_t submit(const Context& context, const char* name, Buffers buffers, Work work, bool waits = false) {
    return status_of(library::submit(context.stream, {name, std::move(buffers), std::move(work)}, waits));
}

/// The function's result goes to `result`, in host memory or in the device's by the handle's pointer mode. `make`
/// computes it.
template <typename T, typename Buffers, typename Make>
cublasStatus_t submit_result(const Context& context, const char* name, T* result, Buffers buffers, Make make) {
    if (!result) return CUBLAS_STATUS_INVALID_VALUE;
    if (context.takes_host_scalars()) {
        return submit(
            context, name, std::move(buffers), [=] { *result = make(); }, true);
    }
    return submit(
        context, name,
        [=] {
            std::vector<Buffer> all = buffers();
            all.push_back({"result", result, sizeof(T), 1, 0, Use::writes});
            return all;
        },
        [=] { *result = make(); });
}

inline bool is_operation(cublasOperation_t operation) { return operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C; }
inline bool is_fill(cublasFillMode_t fill) { return fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER; }
inline bool is_side(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT; }
inline bool is_diagonal(cublasDiagType_t diagonal) {
    return diagonal == CUBLAS_DIAG_NON_UNIT || diagonal == CUBLAS_DIAG_UNIT;
}
/// Whether the distance between the columns of a matrix with so many rows may be `pitch`.
inline bool is_pitch(Index pitch, Index rows) { return pitch >= (rows > 1 ? rows : 1); }

}  // namespace simt::blas
