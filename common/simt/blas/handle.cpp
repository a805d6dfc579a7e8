// SPDX-License-Identifier: MIT
#include <memory>
#include <utility>

#include "common/simt/blas/call.hpp"
#include "common/simt/runtime/copy.hpp"
#include "common/simt/runtime/handle_table.hpp"

namespace simt::blas {
namespace {

HandleTable<Context>& contexts() {
    static auto& table = *new HandleTable<Context>;
    return table;
}

// The stream that the handle means on the context's device.
std::shared_ptr<Stream> stream_of(int device, cudaStream_t handle) {
    const int current = current_device_index();
    set_current_device_index(device);
    auto stream = find_stream(handle);
    set_current_device_index(current);
    return stream;
}

template <typename Setting>
cublasStatus_t set(const char* name, cublasHandle_t handle, Setting Context::*setting, Setting value, bool is_valid) {
    return with_context(name, handle, [&](Context& context) {
        if (!is_valid) return CUBLAS_STATUS_INVALID_VALUE;
        context.*setting = value;
        return CUBLAS_STATUS_SUCCESS;
    });
}

template <typename Setting>
cublasStatus_t get(const char* name, cublasHandle_t handle, Setting Context::*setting, Setting* value) {
    return with_context(name, handle, [&](Context& context) {
        if (!value) return CUBLAS_STATUS_INVALID_VALUE;
        *value = context.*setting;
        return CUBLAS_STATUS_SUCCESS;
    });
}

// Copies `rows` x `columns` elements; a vector is one row, whose elements are `pitch` apart.
cublasStatus_t copy(const char* name, Index rows, Index columns, Index bytes, const void* from, Index pitch_from,
                    void* to, Index pitch_to, cudaMemcpyKind kind, cudaStream_t stream, bool is_asynchronous) {
    return library::library_function(name, CUBLAS_STATUS_NOT_INITIALIZED, [&] {
        const bool is_valid =
            rows >= 0 && columns >= 0 && bytes > 0 && is_pitch(pitch_from, rows) && is_pitch(pitch_to, rows);
        if (!is_valid) return CUBLAS_STATUS_INVALID_VALUE;
        const bool is_dense = pitch_from == rows && pitch_to == rows;
        BlockCopy block;
        block.from = from, block.to = to;
        block.width = static_cast<size_t>(rows * bytes * (is_dense ? columns : 1));
        block.height = static_cast<size_t>(is_dense ? columns > 0 : columns);
        block.from_pitch = is_dense ? block.width : static_cast<size_t>(pitch_from * bytes);
        block.to_pitch = is_dense ? block.width : static_cast<size_t>(pitch_to * bytes);
        const cudaError_t error = start_copy(block, kind, stream, is_asynchronous);
        return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
    });
}

}  // namespace

std::shared_ptr<Context> find_context(cublasHandle_t handle) { return contexts().find(handle); }

}  // namespace simt::blas

using namespace simt::blas;

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
    return simt::library::library_function("cublasCreate", CUBLAS_STATUS_NOT_INITIALIZED, [&] {
        if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
        auto context = std::make_shared<Context>();
        context->device = simt::current_device_index();
        context->stream = stream_of(context->device, nullptr);
        *handle = static_cast<cublasHandle_t>(contexts().add(std::move(context)));
        return CUBLAS_STATUS_SUCCESS;
    });
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
    return with_context("cublasDestroy", handle, [&](Context& context) {
        context.stream->last_ticket().host_waits();  // as cuBLAS does
        contexts().remove(handle);
        return CUBLAS_STATUS_SUCCESS;
    });
}

cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
    if (!version) return CUBLAS_STATUS_INVALID_VALUE;
    *version = CUBLAS_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUBLAS_STATUS_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? CUBLAS_VER_MAJOR : type == MINOR_VERSION ? CUBLAS_VER_MINOR : CUBLAS_VER_PATCH;
    return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void*, size_t) {
    return with_context("cublasSetWorkspace", handle, [](Context&) { return CUBLAS_STATUS_SUCCESS; });
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
    return with_context("cublasSetStream", handle, [&](Context& context) {
        auto found = stream_of(context.device, stream);
        if (!found || found->device().index() != context.device) return CUBLAS_STATUS_INVALID_VALUE;
        context.stream = std::move(found);
        context.stream_handle = stream;
        return CUBLAS_STATUS_SUCCESS;
    });
}

cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
    return get("cublasGetStream", handle, &Context::stream_handle, stream);
}

cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
    const bool is_valid = mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE;
    return set("cublasSetPointerMode", handle, &Context::pointer_mode, mode, is_valid);
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
    return get("cublasGetPointerMode", handle, &Context::pointer_mode, mode);
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
    return set("cublasSetAtomicsMode", handle, &Context::atomics_mode, mode, true);
}
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
    return get("cublasGetAtomicsMode", handle, &Context::atomics_mode, mode);
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    const int kind = mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
    const bool is_valid = kind >= 0 && (kind <= 4 || kind == CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH);
    return set("cublasSetMathMode", handle, &Context::math_mode, mode, is_valid);
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
    return get("cublasGetMathMode", handle, &Context::math_mode, mode);
}
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int count) {
    return set("cublasSetSmCountTarget", handle, &Context::multiprocessors, count, count >= 0);
}
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int* count) {
    return get("cublasGetSmCountTarget", handle, &Context::multiprocessors, count);
}

const char* cublasGetStatusName(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
        case CUBLAS_STATUS_NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
        case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
        case CUBLAS_STATUS_ARCH_MISMATCH: return "CUBLAS_STATUS_ARCH_MISMATCH";
        case CUBLAS_STATUS_MAPPING_ERROR: return "CUBLAS_STATUS_MAPPING_ERROR";
        case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
        case CUBLAS_STATUS_INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
        case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
        case CUBLAS_STATUS_LICENSE_ERROR: return "CUBLAS_STATUS_LICENSE_ERROR";
        default: return "CUBLAS_STATUS_UNKNOWN";
    }
}

const char* cublasGetStatusString(cublasStatus_t status) {
    switch (status) {
        case CUBLAS_STATUS_SUCCESS: return "success";
        case CUBLAS_STATUS_NOT_INITIALIZED: return "the library was not initialized";
        case CUBLAS_STATUS_ALLOC_FAILED: return "the resource allocation failed";
        case CUBLAS_STATUS_INVALID_VALUE: return "an invalid value was used as an argument";
        case CUBLAS_STATUS_ARCH_MISMATCH: return "an absent device architectural feature is required";
        case CUBLAS_STATUS_MAPPING_ERROR: return "an access to GPU memory space failed";
        case CUBLAS_STATUS_EXECUTION_FAILED: return "the GPU program failed to execute";
        case CUBLAS_STATUS_INTERNAL_ERROR: return "an internal operation failed";
        case CUBLAS_STATUS_NOT_SUPPORTED: return "the functionality is not supported";
        case CUBLAS_STATUS_LICENSE_ERROR: return "the functionality requested requires a license";
        default: return "unknown status";
    }
}

// ---- copies

#define SIMT_COPIES(Name, kind)                                                                                      \
    cublasStatus_t cublas##Name##Vector(int n, int bytes, const void* x, int incx, void* y, int incy) {              \
        if (incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;                                              \
        return copy("cublas" #Name "Vector", 1, n, bytes, x, incx, y, incy, kind, nullptr, false);                   \
    }                                                                                                                \
    cublasStatus_t cublas##Name##VectorAsync(int n, int bytes, const void* x, int incx, void* y, int incy,           \
                                             cudaStream_t stream) {                                                  \
        if (incx <= 0 || incy <= 0) return CUBLAS_STATUS_INVALID_VALUE;                                              \
        return copy("cublas" #Name "VectorAsync", 1, n, bytes, x, incx, y, incy, kind, stream, true);                \
    }                                                                                                                \
    cublasStatus_t cublas##Name##Matrix(int rows, int columns, int bytes, const void* a, int pitch_a, void* b,       \
                                        int pitch_b) {                                                               \
        return copy("cublas" #Name "Matrix", rows, columns, bytes, a, pitch_a, b, pitch_b, kind, nullptr, false);    \
    }                                                                                                                \
    cublasStatus_t cublas##Name##MatrixAsync(int rows, int columns, int bytes, const void* a, int pitch_a, void* b,  \
                                             int pitch_b, cudaStream_t stream) {                                     \
        return copy("cublas" #Name "MatrixAsync", rows, columns, bytes, a, pitch_a, b, pitch_b, kind, stream, true); \
    }
SIMT_COPIES(Set, cudaMemcpyHostToDevice)
SIMT_COPIES(Get, cudaMemcpyDeviceToHost)
#undef SIMT_COPIES
