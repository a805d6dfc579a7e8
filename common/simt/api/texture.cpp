// SPDX-License-Identifier: MIT
// Texture and surface objects, and references, on arrays, linear memory and pitched memory.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "common/simt/api/error.hpp"
#include "common/simt/include/cuda_runtime_api.h"
#include "common/simt/runtime/array.hpp"
#include "common/simt/runtime/device.hpp"

namespace simt {
void remember_constant(const volatile void* address, size_t bytes);  // as cuda_runtime.h, which is for programs, says
}

using namespace simt;

namespace {

HandleTable<TextureObject>& objects() {
    static HandleTable<TextureObject>& table = *new HandleTable<TextureObject>;
    return table;
}

bool is_aligned(const void* pointer, size_t alignment) { return reinterpret_cast<uintptr_t>(pointer) % alignment == 0; }

cudaError_t describe_resource(const cudaResourceDesc& resource, TextureObject& object) {
    const auto extent = [&](size_t width, size_t height, size_t depth) {
        object.extent[0] = static_cast<int>(width);
        object.extent[1] = static_cast<int>(height);
        object.extent[2] = static_cast<int>(depth);
    };
    switch (resource.resType) {
        case cudaResourceTypeArray: {
            const auto array = find_array(resource.res.array.array);
            if (!array) return cudaErrorInvalidResourceHandle;
            object.is_array = true;
            object.data = array->data;
            object.format = array->format;
            object.pitch = array->pitch();
            object.slice = array->slice();
            object.texel_bytes = array->element_bytes;
            extent(array->extent.width, array->rows(), array->slices());
            return cudaSuccess;
        }
        case cudaResourceTypeLinear: {
            const auto& linear = resource.res.linear;
            object.format = linear.desc;
            object.texel_bytes = element_bytes(linear.desc);
            if (!linear.devPtr || object.texel_bytes == 0) return cudaErrorInvalidValue;
            if (!is_aligned(linear.devPtr, texture_alignment)) return cudaErrorInvalidValue;
            if (linear.sizeInBytes / object.texel_bytes > max_texture_1d_linear) return cudaErrorInvalidValue;
            object.data = static_cast<char*>(linear.devPtr);
            extent(linear.sizeInBytes / object.texel_bytes, 1, 1);
            return cudaSuccess;
        }
        case cudaResourceTypePitch2D: {
            const auto& pitched = resource.res.pitch2D;
            object.format = pitched.desc;
            object.texel_bytes = element_bytes(pitched.desc);
            if (!pitched.devPtr || object.texel_bytes == 0) return cudaErrorInvalidValue;
            if (pitched.pitchInBytes < pitched.width * object.texel_bytes) return cudaErrorInvalidValue;
            if (!is_aligned(pitched.devPtr, texture_alignment)) return cudaErrorInvalidValue;
            if (pitched.pitchInBytes % texture_pitch_alignment) return cudaErrorInvalidValue;
            const size_t measures[] = {pitched.width, pitched.height, pitched.pitchInBytes};
            for (int i = 0; i < 3; ++i) {
                if (measures[i] == 0 || measures[i] > max_texture_2d_linear[i]) return cudaErrorInvalidValue;
            }
            object.data = static_cast<char*>(pitched.devPtr);
            object.pitch = pitched.pitchInBytes;
            extent(pitched.width, pitched.height, 1);
            return cudaSuccess;
        }
        default: return cudaErrorNotSupported;  // mipmapped arrays
    }
}

cudaError_t describe(const cudaResourceDesc& resource, const cudaTextureDesc* how, TextureObject& object) {
    object = {};
    if (const cudaError_t error = describe_resource(resource, object)) return error;
    if (how) {
        object.how = *how;
        const bool integers = object.format.f != cudaChannelFormatKindFloat;
        const bool normalized = how->readMode == cudaReadModeNormalizedFloat;
        if (integers && !normalized && how->filterMode == cudaFilterModeLinear) return cudaErrorInvalidFilterSetting;
        if (integers && normalized && object.format.x == 32) return cudaErrorInvalidNormSetting;
    }
    return cudaSuccess;
}

cudaError_t create(unsigned long long* handle, const cudaResourceDesc* resource, const cudaTextureDesc* how) {
    if (!handle || !resource) return cudaErrorInvalidValue;
    auto object = std::make_shared<TextureObject>();
    if (const cudaError_t error = describe(*resource, how, *object)) return error;
    *handle = reinterpret_cast<unsigned long long>(objects().add(std::move(object)));
    return cudaSuccess;
}

cudaError_t destroy(unsigned long long handle) {
    if (handle == 0) return cudaSuccess;
    current_device().synchronize();
    return objects().remove(reinterpret_cast<const void*>(handle)) ? cudaSuccess : cudaErrorInvalidValue;
}

// ---- references

/// How a reference says that it be read.
cudaTextureDesc how_to_read(const textureReference& reference) {
    cudaTextureDesc how = {};
    for (int axis = 0; axis < 3; ++axis) how.addressMode[axis] = reference.addressMode[axis];
    how.filterMode = reference.filterMode;
    how.readMode = reference.simt_read_mode;
    how.normalizedCoords = reference.normalized;
    return how;
}

/// Gives the current device a new object in a reference, after all kernels that may read the old one.
cudaError_t replace_bound(const TextureObject& bound, const TextureObject& object) {
    if (const cudaError_t error = cudaDeviceSynchronize()) return error;
    remember_constant(&bound, sizeof bound);
    return cudaMemcpyToSymbol(static_cast<const void*>(&bound), &object, sizeof object, 0, cudaMemcpyHostToDevice);
}

cudaError_t bind(const textureReference* reference, const cudaResourceDesc& resource) {
    TextureObject object;
    const cudaError_t error = api([&] {
        const cudaTextureDesc how = how_to_read(*reference);
        return describe(resource, &how, object);
    });
    return error ? error : replace_bound(reference->simt_bound, object);
}

/// Memory from an aligned address on. Stores the bytes that this lies before `memory`.
cudaError_t align(const textureReference* reference, const void* memory, size_t* offset, void** aligned) {
    if (!reference || !memory) return cudaErrorInvalidValue;
    const size_t beyond = reinterpret_cast<uintptr_t>(memory) % texture_alignment;
    if (beyond && !offset) return cudaErrorInvalidValue;
    if (offset) *offset = beyond;
    const_cast<textureReference*>(reference)->simt_offset = beyond;
    *aligned = const_cast<char*>(static_cast<const char*>(memory)) - beyond;
    return cudaSuccess;
}

}  // namespace

cudaError_t cudaBindTexture(size_t* offset, const textureReference* texture, const void* memory,
                            const cudaChannelFormatDesc* format, size_t bytes) {
    cudaResourceDesc resource = {};
    auto& linear = resource.res.linear;
    const cudaError_t error = api([&] {
        if (!format) return cudaErrorInvalidValue;
        if (const cudaError_t failure = align(texture, memory, offset, &linear.devPtr)) return failure;
        const size_t before = texture->simt_offset, texel_bytes = element_bytes(*format);
        if (bytes == whole_allocation) {
            const auto allocation = runtime().memory.find(memory);
            if (!allocation) return cudaErrorInvalidValue;
            bytes = allocation->base + allocation->bytes - reinterpret_cast<uintptr_t>(memory);
            bytes = std::min(bytes, max_texture_1d_linear * texel_bytes - before);
        }
        resource.resType = cudaResourceTypeLinear;
        linear.desc = *format;
        linear.sizeInBytes = before + bytes;
        return cudaSuccess;
    });
    return error ? error : bind(texture, resource);
}

cudaError_t cudaBindTexture2D(size_t* offset, const textureReference* texture, const void* memory,
                              const cudaChannelFormatDesc* format, size_t width, size_t height, size_t pitch) {
    cudaResourceDesc resource = {};
    auto& pitched = resource.res.pitch2D;
    const cudaError_t error = api([&] {
        if (!format) return cudaErrorInvalidValue;
        if (const cudaError_t failure = align(texture, memory, offset, &pitched.devPtr)) return failure;
        const size_t texel_bytes = element_bytes(*format);
        if (texel_bytes == 0) return cudaErrorInvalidChannelDescriptor;
        resource.resType = cudaResourceTypePitch2D;
        pitched.desc = *format;
        pitched.width = width + texture->simt_offset / texel_bytes;
        pitched.height = height;
        pitched.pitchInBytes = pitch;
        return cudaSuccess;
    });
    return error ? error : bind(texture, resource);
}

cudaError_t cudaBindTextureToArray(const textureReference* texture, cudaArray_const_t array,
                                   const cudaChannelFormatDesc* format) {
    cudaResourceDesc resource = {};
    const cudaError_t error = api([&] {
        const auto found = find_array(array);
        if (!texture || !found) return cudaErrorInvalidValue;
        if (format && element_bytes(*format) != found->element_bytes) return cudaErrorInvalidValue;
        const_cast<textureReference*>(texture)->simt_offset = 0;
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = const_cast<cudaArray_t>(array);
        return cudaSuccess;
    });
    return error ? error : bind(texture, resource);
}

cudaError_t cudaUnbindTexture(const textureReference* texture) {
    if (!texture) return api([] { return cudaErrorInvalidTexture; });
    return replace_bound(texture->simt_bound, {});
}

cudaError_t cudaGetTextureAlignmentOffset(size_t* offset, const textureReference* texture) {
    return api([=] {
        if (!offset || !texture) return cudaErrorInvalidValue;
        *offset = texture->simt_offset;
        return cudaSuccess;
    });
}

cudaError_t cudaBindSurfaceToArray(const surfaceReference* surface, cudaArray_const_t array,
                                   const cudaChannelFormatDesc*) {
    TextureObject object;
    const cudaError_t error = api([&] {
        if (!surface) return cudaErrorInvalidValue;
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = const_cast<cudaArray_t>(array);
        return describe(resource, nullptr, object);
    });
    return error ? error : replace_bound(surface->simt_bound, object);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* how, const cudaResourceViewDesc* view) {
    return api([=] {
        if (!how) return cudaErrorInvalidValue;
        if (view && view->format != cudaResViewFormatNone) return cudaErrorNotSupported;
        return create(object, resource, how);
    });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
    return api([=] { return destroy(object); });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
    return api([=] {
        if (!resource || resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
        return create(object, resource, nullptr);
    });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
    return api([=] { return destroy(object); });
}
