// SPDX-License-Identifier: MIT
// Hints for managed memory. Host and device share one memory here, so hints are checked but otherwise have no effect.
#include <cstdint>

#include "common/simt/api/error.hpp"

using namespace simt;

namespace {

bool is_managed_range(const void* pointer, size_t bytes) {
    const auto allocation = runtime().memory.find(pointer);
    return bytes > 0 && allocation && allocation->kind == MemoryKind::managed &&
           allocation->contains(reinterpret_cast<uintptr_t>(pointer), bytes);
}

cudaError_t check_location(const cudaMemLocation& location) {
    const bool host = location.type != cudaMemLocationTypeDevice || location.id == cudaCpuDeviceId;
    return host || runtime().has_device(location.id) ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
    return api([=] {
        if (flags != 0 || !is_managed_range(pointer, bytes)) return cudaErrorInvalidValue;
        if (!find_stream(stream)) return cudaErrorInvalidResourceHandle;
        return check_location(location);
    });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location) {
    return api([=] {
        if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy) return cudaErrorInvalidValue;
        if (!is_managed_range(pointer, bytes)) return cudaErrorInvalidValue;
        const bool location_counts = advice == cudaMemAdviseSetPreferredLocation ||
                                     advice == cudaMemAdviseSetAccessedBy || advice == cudaMemAdviseUnsetAccessedBy;
        return location_counts ? check_location(location) : cudaSuccess;
    });
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t data_bytes, cudaMemRangeAttribute attribute,
                                     const void* pointer, size_t bytes) {
    return api([=] {
        if (!data || data_bytes < sizeof(int) || !is_managed_range(pointer, bytes)) return cudaErrorInvalidValue;
        // Hints are not recorded: there is no preferred location.
        *static_cast<int*>(data) = attribute == cudaMemRangeAttributeReadMostly ? 0 : cudaInvalidDeviceId;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t, unsigned flags) {
    return api([=] {
        if (!find_stream(stream)) return cudaErrorInvalidResourceHandle;
        const bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
        return known && is_managed_range(pointer, 1) ? cudaSuccess : cudaErrorInvalidValue;
    });
}
