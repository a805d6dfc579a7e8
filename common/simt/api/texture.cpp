// SPDX-License-Identifier: MIT
// Texture and surface objects on arrays, linear memory and pitched memory.
#include <cstdint>
#include <memory>
#include <utility>

#include "common/simt/api/error.hpp"
#include "common/simt/include/texture_types.h"
#include "common/simt/runtime/array.hpp"
#include "common/simt/runtime/device.hpp"

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

cudaError_t create(unsigned long long* handle, const cudaResourceDesc* resource, const cudaTextureDesc* how) {
    if (!handle || !resource) return cudaErrorInvalidValue;
    auto object = std::make_shared<TextureObject>();
    *object = {};
    if (const cudaError_t error = describe_resource(*resource, *object)) return error;
    if (how) {
        object->how = *how;
        const bool integers = object->format.f != cudaChannelFormatKindFloat;
        const bool normalized = how->readMode == cudaReadModeNormalizedFloat;
        if (integers && !normalized && how->filterMode == cudaFilterModeLinear) return cudaErrorInvalidFilterSetting;
        if (integers && normalized && object->format.x == 32) return cudaErrorInvalidNormSetting;
    }
    *handle = reinterpret_cast<unsigned long long>(objects().add(std::move(object)));
    return cudaSuccess;
}

cudaError_t destroy(unsigned long long handle) {
    if (handle == 0) return cudaSuccess;
    current_device().synchronize();
    return objects().remove(reinterpret_cast<const void*>(handle)) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

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
