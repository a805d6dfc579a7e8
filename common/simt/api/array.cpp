// SPDX-License-Identifier: MIT
// cudaMallocArray, and copies from and to arrays.
#include <algorithm>
#include <memory>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/array.hpp"
#include "common/simt/runtime/device.hpp"

namespace simt {
namespace {

// For plain arrays only: layered arrays and cubemaps have their own limits.
bool is_within_limits(const cudaExtent& extent, unsigned flags) {
    if (flags & (cudaArrayLayered | cudaArrayCubemap)) return true;
    if (extent.depth > 0) return std::max({extent.width, extent.height, extent.depth}) <= max_texture_3d;
    if (extent.height > 0) return extent.width <= max_texture_2d[0] && extent.height <= max_texture_2d[1];
    return extent.width <= max_texture_1d;
}

cudaError_t allocate_array(cudaArray_t* handle, const cudaChannelFormatDesc* format, cudaExtent extent,
                           unsigned flags) {
    if (!handle || !format || extent.width == 0) return cudaErrorInvalidValue;
    const size_t bytes = element_bytes(*format);
    if (bytes == 0) return cudaErrorInvalidChannelDescriptor;
    if (!is_within_limits(extent, flags)) return cudaErrorInvalidValue;
    auto array = std::make_shared<cudaArray>();
    array->format = *format;
    array->extent = extent;
    array->flags = flags;
    array->element_bytes = bytes;
    array->data = static_cast<char*>(
        runtime().memory.allocate(array->slice() * array->slices(), MemoryKind::device, current_device_index()));
    if (!array->data) return cudaErrorMemoryAllocation;
    *handle = static_cast<cudaArray_t>(arrays().add(std::move(array)));
    return cudaSuccess;
}

// A copy of `height` rows of `width` bytes with an array at one end or both; x counts bytes.
cudaError_t copy_rows(cudaArray_t to_array, cudaArray_t from_array, cudaMemcpy3DParms parameters, size_t width,
                      size_t height, cudaStream_t stream, bool asynchronous) {
    return api([&] {
        const auto array = find_array(to_array ? to_array : from_array);
        if (!array) return cudaErrorInvalidResourceHandle;
        const size_t bytes = array->element_bytes;
        if (width % bytes || parameters.dstPos.x % bytes || parameters.srcPos.x % bytes) return cudaErrorInvalidValue;
        parameters.dstArray = to_array;
        parameters.srcArray = from_array;
        if (to_array) parameters.dstPos.x /= bytes;
        if (from_array) parameters.srcPos.x /= bytes;
        parameters.extent = {width / bytes, height, 1};
        BlockCopy copy;
        cudaMemcpyKind kind = cudaMemcpyDefault;
        if (const cudaError_t error = block_copy(parameters, copy, kind)) return error;
        return start_copy(copy, parameters.kind, stream, asynchronous);
    });
}

cudaError_t copy_to_array(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                          size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
    cudaMemcpy3DParms parameters = {};
    parameters.dstPos = {x, y, 0};
    parameters.srcPtr = {const_cast<void*>(from), pitch, width, height};
    parameters.kind = kind;
    return copy_rows(to, nullptr, parameters, width, height, stream, asynchronous);
}

cudaError_t copy_from_array(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                            size_t height, cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
    cudaMemcpy3DParms parameters = {};
    parameters.srcPos = {x, y, 0};
    parameters.dstPtr = {to, pitch, width, height};
    parameters.kind = kind;
    return copy_rows(nullptr, const_cast<cudaArray_t>(from), parameters, width, height, stream, asynchronous);
}

}  // namespace

}  // namespace simt

using namespace simt;

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width, size_t height,
                            unsigned flags) {
    return api([=] { return allocate_array(array, format, {width, height, 0}, flags); });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                              unsigned flags) {
    return api([=] { return allocate_array(array, format, extent, flags); });
}

cudaError_t cudaFreeArray(cudaArray_t handle) {
    return api([=] {
        if (!handle) return cudaSuccess;
        const auto array = arrays().remove(handle);
        if (!array) return cudaErrorInvalidResourceHandle;
        current_device().synchronize();
        runtime().memory.release(array->data, [](const Allocation&) { return true; });
        return cudaSuccess;
    });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags, cudaArray_t handle) {
    return api([=] {
        const auto array = find_array(handle);
        if (!array) return cudaErrorInvalidResourceHandle;
        if (format) *format = array->format;
        if (extent) *extent = array->extent;
        if (flags) *flags = array->flags;
        return cudaSuccess;
    });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t handle) {
    return cudaArrayGetInfo(format, nullptr, nullptr, const_cast<cudaArray_t>(handle));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
    return copy_to_array(to, x, y, from, pitch, width, height, kind, nullptr, false);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_to_array(to, x, y, from, pitch, width, height, kind, stream, true);
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
    return copy_from_array(to, pitch, from, x, y, width, height, kind, nullptr, false);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_from_array(to, pitch, from, x, y, width, height, kind, stream, true);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, cudaMemcpyKind kind) {
    cudaMemcpy3DParms parameters = {};
    parameters.dstPos = {to_x, to_y, 0};
    parameters.srcPos = {from_x, from_y, 0};
    parameters.kind = kind;
    return copy_rows(to, const_cast<cudaArray_t>(from), parameters, width, height, nullptr, false);
}

// The one-dimensional forms, deprecated since CUDA 10, copy whole rows from row y on, or part of one row.
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
    const auto array = find_array(to);
    const size_t row = array ? std::min(bytes, array->pitch() - std::min(x, array->pitch())) : 0;
    if (row == 0 || bytes % row) return report(cudaErrorInvalidValue);
    return copy_to_array(to, x, y, from, row, row, bytes / row, kind, stream, true);
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
    const auto array = find_array(from);
    const size_t row = array ? std::min(bytes, array->pitch() - std::min(x, array->pitch())) : 0;
    if (row == 0 || bytes % row) return report(cudaErrorInvalidValue);
    return copy_from_array(to, row, from, x, y, row, bytes / row, kind, stream, true);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind) {
    const cudaError_t error = cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, nullptr);
    return error ? error : cudaStreamSynchronize(nullptr);
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
    const cudaError_t error = cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, nullptr);
    return error ? error : cudaStreamSynchronize(nullptr);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t bytes, cudaMemcpyKind kind) {
    return cudaMemcpy2DArrayToArray(to, to_x, to_y, from, from_x, from_y, bytes, 1, kind);
}
