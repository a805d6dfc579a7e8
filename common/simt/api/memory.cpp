// SPDX-License-Identifier: MIT
// cudaMalloc, cudaMallocManaged, cudaFree, hints and queries about pointers.
#include <cstdint>
#include <limits>

#include "common/simt/api/error.hpp"
#include "common/simt/include/simt/warp_state.hpp"

extern "C" void simt_free(void* pointer);

using namespace simt;

namespace {

// Rows of pitched memory start at multiples of this.
constexpr size_t pitch_alignment = 512;

cudaError_t allocate(void** pointer, size_t bytes, MemoryKind kind, unsigned flags = 0) {
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    *pointer = runtime().memory.allocate(bytes, kind, current_device_index(), flags);
    return *pointer ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t allocate_pitched(void** pointer, size_t* pitch, size_t width, size_t rows) {
    if (!pointer || !pitch) return cudaErrorInvalidValue;
    if (width > std::numeric_limits<size_t>::max() - pitch_alignment) return cudaErrorMemoryAllocation;
    *pitch = round_up(width, pitch_alignment);
    if (rows > 0 && *pitch > std::numeric_limits<size_t>::max() / rows) return cudaErrorMemoryAllocation;
    return allocate(pointer, *pitch * rows, MemoryKind::device);
}

// Frees memory after everything that may still use it has run, as CUDA's own functions do.
template <typename Accepts>
cudaError_t free_memory(void* pointer, Accepts accepts) {
    if (!pointer) return cudaSuccess;
    const auto allocation = runtime().memory.find(pointer);
    if (!allocation || allocation->free_pending || !accepts(*allocation)) return cudaErrorInvalidValue;
    Device& device = runtime().device(allocation->device);
    device.synchronize();
    if (const int error = device.broken()) return static_cast<cudaError_t>(error);
    return runtime().memory.release(pointer, accepts) ? cudaSuccess : cudaErrorInvalidValue;
}

bool is_pinned(const Allocation& allocation) { return allocation.kind == MemoryKind::pinned; }

bool is_device_memory(const Allocation& allocation) {
    return allocation.kind == MemoryKind::device || allocation.kind == MemoryKind::managed;
}

cudaMemoryType memory_type(MemoryKind kind) {
    switch (kind) {
        case MemoryKind::device:
        case MemoryKind::heap:
        case MemoryKind::symbol:
        case MemoryKind::constant: return cudaMemoryTypeDevice;
        case MemoryKind::managed: return cudaMemoryTypeManaged;
        case MemoryKind::pinned:
        case MemoryKind::registered: return cudaMemoryTypeHost;
    }
    return cudaMemoryTypeUnregistered;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
    const MemoryKind kind = in_kernel() ? MemoryKind::heap : MemoryKind::device;
    return api_everywhere([=] { return allocate(pointer, bytes, kind); });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
    return api([=] {
        if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return cudaErrorInvalidValue;
        return allocate(pointer, bytes, MemoryKind::managed, flags);
    });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
    return api([=] { return allocate_pitched(pointer, pitch, width, height); });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
    return api([=] {
        if (!pointer) return cudaErrorInvalidValue;
        if (extent.depth > 0 && extent.height > std::numeric_limits<size_t>::max() / extent.depth) {
            return cudaErrorMemoryAllocation;
        }
        pointer->xsize = extent.width;
        pointer->ysize = extent.height;
        return allocate_pitched(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
    });
}

// (In a kernel, it is free() for the device heap.)
cudaError_t cudaFree(void* pointer) {
    if (in_kernel()) {
        simt_free(pointer);
        return cudaSuccess;
    }
    return api([=] {
        if (const auto memory = drop_graph_memory(pointer)) {
            runtime().device(memory->device).synchronize();
            return cudaSuccess;
        }
        return free_memory(pointer, is_device_memory);
    });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    return api([=] {
        if (!free || !total) return cudaErrorInvalidValue;
        *total = runtime().memory.total_bytes();
        *free = *total - runtime().memory.used_bytes(current_device_index());
        return cudaSuccess;
    });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
    return api([=] {
        constexpr unsigned known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
        if (flags & ~known) return cudaErrorInvalidValue;
        return allocate(pointer, bytes, MemoryKind::pinned, flags);
    });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault); }

cudaError_t cudaFreeHost(void* pointer) {
    return api([=] { return free_memory(pointer, is_pinned); });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
    return api([=] {
        constexpr unsigned known =
            cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
        if (!pointer || bytes == 0 || flags & ~known) return cudaErrorInvalidValue;
        const bool adopted =
            runtime().memory.adopt(pointer, bytes, MemoryKind::registered, current_device_index(), flags);
        return adopted ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
    });
}

cudaError_t cudaHostUnregister(void* pointer) {
    return api([=] {
        if (!pointer) return cudaErrorInvalidValue;
        current_device().synchronize();
        return runtime().memory.disown(pointer, MemoryKind::registered) ? cudaSuccess
                                                                        : cudaErrorHostMemoryNotRegistered;
    });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
    return api([=] {
        if (!device_pointer || flags != 0) return cudaErrorInvalidValue;
        const auto allocation = runtime().memory.find(host_pointer);
        if (!allocation || memory_type(allocation->kind) != cudaMemoryTypeHost) return cudaErrorInvalidValue;
        *device_pointer = host_pointer;  // one address space for host and device
        return cudaSuccess;
    });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
    return api([=] {
        const auto allocation = runtime().memory.find(pointer);
        if (!flags || !allocation || memory_type(allocation->kind) != cudaMemoryTypeHost) return cudaErrorInvalidValue;
        *flags = allocation->flags;
        return cudaSuccess;
    });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
    return api([=] {
        if (!attributes) return cudaErrorInvalidValue;
        *attributes = {};
        const auto allocation = runtime().memory.find(pointer);
        if (!allocation) {
            attributes->device = cudaInvalidDeviceId;
            attributes->hostPointer = const_cast<void*>(pointer);
            return cudaSuccess;
        }
        attributes->type = memory_type(allocation->kind);
        attributes->device = allocation->device;
        attributes->devicePointer = const_cast<void*>(pointer);
        attributes->hostPointer = allocation->host_can_reach() ? const_cast<void*>(pointer) : nullptr;
        return cudaSuccess;
    });
}

// ---- hints for managed memory

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
