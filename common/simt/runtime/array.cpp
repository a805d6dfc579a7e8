// SPDX-License-Identifier: MIT
#include "common/simt/runtime/array.hpp"

namespace simt {

HandleTable<cudaArray>& arrays() {
    static HandleTable<cudaArray>& table = *new HandleTable<cudaArray>;
    return table;
}

std::shared_ptr<cudaArray> find_array(const cudaArray* handle) { return arrays().find(handle); }

size_t element_bytes(const cudaChannelFormatDesc& format) {
    const int bits = format.x + format.y + format.z + format.w;
    const bool legal = format.x == 8 || format.x == 16 || format.x == 32;
    return legal && bits % 8 == 0 && bits <= 128 ? static_cast<size_t>(bits) / 8 : 0;
}

namespace {

// One end of a three-dimensional copy.
struct End {
    char* start;
    size_t pitch, slice;
};

cudaError_t array_end(cudaArray_t handle, const cudaPos& position, const cudaExtent& extent, End& end) {
    const auto array = find_array(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (position.x + extent.width > array->extent.width || position.y + extent.height > array->rows() ||
        position.z + extent.depth > array->slices()) {
        return cudaErrorInvalidValue;
    }
    end.pitch = array->pitch();
    end.slice = array->slice();
    end.start = array->data + position.z * end.slice + position.y * end.pitch + position.x * array->element_bytes;
    return cudaSuccess;
}

End pointer_end(const cudaPitchedPtr& pointer, const cudaPos& position, size_t element_bytes) {
    const size_t slice = pointer.pitch * pointer.ysize;
    char* start = static_cast<char*>(pointer.ptr);
    if (start) start += position.z * slice + position.y * pointer.pitch + position.x * element_bytes;
    return {start, pointer.pitch, slice};
}

}  // namespace

cudaError_t block_copy(const cudaMemcpy3DParms& parameters, BlockCopy& copy, cudaMemcpyKind& kind) {
    const bool to_array = parameters.dstArray != nullptr, from_array = parameters.srcArray != nullptr;
    if (to_array == (parameters.dstPtr.ptr != nullptr) || from_array == (parameters.srcPtr.ptr != nullptr)) {
        return cudaErrorInvalidValue;  // each end is either an array or a pointer
    }
    const auto array = find_array(to_array ? parameters.dstArray : parameters.srcArray);
    if ((to_array || from_array) && !array) return cudaErrorInvalidResourceHandle;
    const size_t unit = array ? array->element_bytes : 1;
    // Offsets into plain memory count elements only if the extent does.
    End to = pointer_end(parameters.dstPtr, parameters.dstPos, unit);
    End from = pointer_end(parameters.srcPtr, parameters.srcPos, unit);
    if (to_array) {
        if (const auto error = array_end(parameters.dstArray, parameters.dstPos, parameters.extent, to)) return error;
    }
    if (from_array) {
        if (const auto error = array_end(parameters.srcArray, parameters.srcPos, parameters.extent, from)) return error;
    }
    copy = {to.start,
            to.pitch,
            to.slice,
            from.start,
            from.pitch,
            from.slice,
            parameters.extent.width * unit,
            parameters.extent.height,
            parameters.extent.depth,
            &parameters};
    kind = parameters.kind;
    return cudaSuccess;
}

}  // namespace simt
