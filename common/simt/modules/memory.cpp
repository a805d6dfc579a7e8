// SPDX-License-Identifier: MIT
// The driver API: memory, copies and fills, memory that a program maps itself, arrays and textures.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <mutex>

#include "common/simt/api/error.hpp"
#include "common/simt/modules/context.hpp"
#include "common/simt/runtime/copy.hpp"

using namespace simt;

// ---- allocations

CUresult cuMemGetInfo(size_t* free, size_t* total) {
    return context_call([=] { return cudaMemGetInfo(free, total); });
}

namespace {

/// Calls a function of the runtime that allocates: allocate(&pointer).
template <typename Allocate>
CUresult allocated(CUdeviceptr* address, size_t bytes, Allocate allocate) {
    return context_call([=] {
        if (!address || bytes == 0) return cudaErrorInvalidValue;
        void* memory = nullptr;
        const cudaError_t error = allocate(&memory);
        *address = address_of(memory);
        return error;
    });
}

cudaMemLocation location_of(const CUmemLocation& location) {
    return {static_cast<cudaMemLocationType>(location.type), location.id};
}

}  // namespace

CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
    return allocated(address, bytes, [=](void** memory) { return cudaMalloc(memory, bytes); });
}
CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height, unsigned int element_bytes) {
    const bool fits = pitch && (element_bytes == 4 || element_bytes == 8 || element_bytes == 16);
    return allocated(address, fits ? width * height : 0,
                     [=](void** memory) { return cudaMallocPitch(memory, pitch, width, height); });
}
CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int flags) {
    return allocated(address, bytes, [=](void** memory) { return cudaMallocManaged(memory, bytes, flags); });
}
CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
    return allocated(address, bytes, [=](void** memory) { return cudaMallocAsync(memory, bytes, stream); });
}
CUresult cuMemFree(CUdeviceptr address) {
    return context_call([=] { return cudaFree(pointer(address)); });
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    return context_call([=] { return cudaFreeAsync(pointer(address), stream); });
}
CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
    return context_call([=] {
        const auto allocation = runtime().memory.find(pointer(address));
        if (!allocation) return cudaErrorInvalidSymbol;  // CUDA_ERROR_NOT_FOUND
        if (base) *base = allocation->base;
        if (bytes) *bytes = allocation->bytes;
        return cudaSuccess;
    });
}
CUresult cuMemAllocHost(void** memory, size_t bytes) {
    return context_call([=] { return memory && bytes ? cudaMallocHost(memory, bytes) : cudaErrorInvalidValue; });
}
CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned int flags) {
    return context_call([=] { return memory && bytes ? cudaHostAlloc(memory, bytes, flags) : cudaErrorInvalidValue; });
}
CUresult cuMemFreeHost(void* memory) {
    return context_call([=] { return cudaFreeHost(memory); });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned int flags) {
    return allocated(address, 1, [=](void** device) { return cudaHostGetDevicePointer(device, memory, flags); });
}
CUresult cuMemHostGetFlags(unsigned int* flags, void* memory) {
    return context_call([=] { return cudaHostGetFlags(flags, memory); });
}
CUresult cuMemHostRegister(void* memory, size_t bytes, unsigned int flags) {
    return context_call([=] { return cudaHostRegister(memory, bytes, flags); });
}
CUresult cuMemHostUnregister(void* memory) {
    return context_call([=] { return cudaHostUnregister(memory); });
}
CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned int flags,
                            CUstream stream) {
    return context_call(
        [=] { return cudaMemPrefetchAsync(pointer(address), bytes, location_of(location), flags, stream); });
}
CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location) {
    return context_call([=] {
        return cudaMemAdvise(pointer(address), bytes, static_cast<cudaMemoryAdvise>(advice), location_of(location));
    });
}

// ---- what a pointer is

namespace {

cudaError_t pointer_attribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
    if (!value) return cudaErrorInvalidValue;
    const auto allocation = runtime().memory.find(pointer(address));
    if (!allocation) return cudaErrorInvalidValue;
    cudaPointerAttributes of_runtime;
    if (const cudaError_t error = cudaPointerGetAttributes(&of_runtime, pointer(address))) return error;
    const bool is_of_host = of_runtime.type == cudaMemoryTypeHost;
    switch (attribute) {
        case CU_POINTER_ATTRIBUTE_CONTEXT: {
            CUcontext context = nullptr;
            cuDevicePrimaryCtxRetain(&context, allocation->device);
            *static_cast<CUcontext*>(value) = context;
            return cudaSuccess;
        }
        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            *static_cast<unsigned*>(value) = is_of_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
            return cudaSuccess;
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *static_cast<CUdeviceptr*>(value) = address; return cudaSuccess;
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            if (!of_runtime.hostPointer) return cudaErrorInvalidValue;
            *static_cast<void**>(value) = of_runtime.hostPointer;
            return cudaSuccess;
        case CU_POINTER_ATTRIBUTE_BUFFER_ID:
            *static_cast<unsigned long long*>(value) = allocation->serial;
            return cudaSuccess;
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            *static_cast<unsigned*>(value) = of_runtime.type == cudaMemoryTypeManaged;
            return cudaSuccess;
        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *static_cast<int*>(value) = allocation->device; return cudaSuccess;
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
            *static_cast<CUdeviceptr*>(value) = allocation->base;
            return cudaSuccess;
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *static_cast<size_t*>(value) = allocation->bytes; return cudaSuccess;
        case CU_POINTER_ATTRIBUTE_MAPPED: *static_cast<unsigned*>(value) = 1; return cudaSuccess;
        default: return cudaErrorNotSupported;
    }
}

}  // namespace

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
    return context_call([=] { return pointer_attribute(value, attribute, address); });
}
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr address) {
    return context_call([=] {
        if (!attributes || !values) return cudaErrorInvalidValue;
        for (unsigned i = 0; i < count; ++i) pointer_attribute(values[i], attributes[i], address);
        return cudaSuccess;
    });
}

// ---- copies

namespace {

CUresult copied(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return context_call([=] { return cudaMemcpy(to, from, bytes, kind); });
}
CUresult copied(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, CUstream stream) {
    return context_call([=] { return cudaMemcpyAsync(to, from, bytes, kind, stream); });
}

bool is_device(CUmemorytype type) { return type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED; }

cudaError_t copy_rectangle(const CUDA_MEMCPY2D* copy, CUstream stream, bool asynchronous) {
    if (!copy) return cudaErrorInvalidValue;
    const bool from_array = copy->srcMemoryType == CU_MEMORYTYPE_ARRAY,
               to_array = copy->dstMemoryType == CU_MEMORYTYPE_ARRAY;
    const size_t width = copy->WidthInBytes, height = copy->Height;
    const size_t from_pitch = copy->srcPitch ? copy->srcPitch : width,
                 to_pitch = copy->dstPitch ? copy->dstPitch : width;
    const char* from =
        static_cast<const char*>(is_device(copy->srcMemoryType) ? pointer(copy->srcDevice) : copy->srcHost);
    char* to = static_cast<char*>(is_device(copy->dstMemoryType) ? pointer(copy->dstDevice) : copy->dstHost);
    if (from) from += copy->srcY * from_pitch + copy->srcXInBytes;
    if (to) to += copy->dstY * to_pitch + copy->dstXInBytes;
    cudaError_t error = cudaSuccess;
    if (from_array && to_array) {
        return cudaMemcpy2DArrayToArray(copy->dstArray, copy->dstXInBytes, copy->dstY, copy->srcArray,
                                        copy->srcXInBytes, copy->srcY, width, height, cudaMemcpyDeviceToDevice);
    } else if (from_array) {
        error = cudaMemcpy2DFromArrayAsync(to, to_pitch, copy->srcArray, copy->srcXInBytes, copy->srcY, width, height,
                                           cudaMemcpyDefault, stream);
    } else if (to_array) {
        error = cudaMemcpy2DToArrayAsync(copy->dstArray, copy->dstXInBytes, copy->dstY, from, from_pitch, width, height,
                                         cudaMemcpyDefault, stream);
    } else {
        error = cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, cudaMemcpyDefault, stream);
    }
    return error || asynchronous ? error : cudaStreamSynchronize(stream);
}

CUresult fill(CUdeviceptr to, size_t pitch, unsigned value, unsigned element_bytes, size_t width, size_t height,
              CUstream stream, bool asynchronous) {
    return context_call([=] {
        return api([=] {
            if (to % element_bytes != 0) return cudaErrorInvalidValue;
            BlockFill block;
            block.to = pointer(to);
            block.pitch = pitch;
            block.width = width * element_bytes;
            block.height = height;
            block.value = value;
            block.element_bytes = element_bytes;
            return start_fill(block, stream, asynchronous);
        });
    });
}
CUresult fill_row(CUdeviceptr to, unsigned value, unsigned element_bytes, size_t count, CUstream stream = nullptr,
                  bool asynchronous = false) {
    return fill(to, count * element_bytes, value, element_bytes, count, 1, stream, asynchronous);
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copied(pointer(to), pointer(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copied(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
    return copied(pointer(to), pointer(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream) {
    return copied(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    return copied(pointer(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    return copied(to, pointer(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return copied(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
    return copied(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copied(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return copied(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D* copy) {
    return context_call([=] { return copy_rectangle(copy, nullptr, false); });
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) {
    return context_call([=] { return copy_rectangle(copy, nullptr, false); });
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
    return context_call([=] { return copy_rectangle(copy, stream, true); });
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) { return fill_row(to, value, 1, count); }
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) { return fill_row(to, value, 2, count); }
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, size_t count) { return fill_row(to, value, 4, count); }
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
    return fill_row(to, value, 1, count, stream, true);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
    return fill_row(to, value, 2, count, stream, true);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
    return fill_row(to, value, 4, count, stream, true);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
    return fill(to, pitch, value, 1, width, height, nullptr, false);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height) {
    return fill(to, pitch, value, 4, width, height, nullptr, false);
}

// ---- memory that a program maps itself

// Physical memory is a file without a name, and mapping it is mmap(), so one piece may be mapped at several addresses,
// or in several processes.

namespace {

constexpr size_t granularity = size_t{2} << 20;

struct Mappings {
    std::mutex mutex;
    struct Memory {
        size_t bytes;
        CUmemAllocationProp properties;
    };
    std::map<CUmemGenericAllocationHandle, Memory> memory;  // handles are file descriptors plus one
    std::map<CUdeviceptr, size_t> reserved, mapped;
    std::map<CUdeviceptr, int> devices;  // of what is mapped
};

Mappings& mappings() {
    static Mappings& all = *new Mappings;
    return all;
}

int file_of(CUmemGenericAllocationHandle handle) { return static_cast<int>(handle - 1); }

bool is_whole(size_t bytes) { return bytes > 0 && bytes % granularity == 0; }

}  // namespace

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags) {
    return driver_call([=] {
        if (!bytes || !properties) return cudaErrorInvalidValue;
        *bytes = granularity;
        return cudaSuccess;
    });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr,
                             unsigned long long flags) {
    return driver_call([=] {
        if (!address || !is_whole(bytes) || (alignment & (alignment - 1)) != 0 || flags != 0)
            return cudaErrorInvalidValue;
        const size_t step = alignment > granularity ? alignment : granularity;
        void* const room = mmap(nullptr, bytes + step, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) return cudaErrorMemoryAllocation;
        const CUdeviceptr begin = (address_of(room) + step - 1) / step * step;
        const size_t before = begin - address_of(room);
        if (before > 0) munmap(room, before);
        if (before < step) munmap(pointer(begin + bytes), step - before);
        const std::lock_guard lock(mappings().mutex);
        mappings().reserved[*address = begin] = bytes;
        return cudaSuccess;
    });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
    return driver_call([=] {
        const std::lock_guard lock(mappings().mutex);
        const auto found = mappings().reserved.find(address);
        if (found == mappings().reserved.end() || found->second != bytes) return cudaErrorInvalidValue;
        const auto inside = mappings().mapped.lower_bound(address);
        if (inside != mappings().mapped.end() && inside->first < address + bytes) return cudaErrorInvalidValue;
        munmap(pointer(address), bytes);
        mappings().reserved.erase(found);
        return cudaSuccess;
    });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* properties,
                     unsigned long long flags) {
    return driver_call([=] {
        if (!handle || !properties || !is_whole(bytes) || flags != 0) return cudaErrorInvalidValue;
        if (properties->type != CU_MEM_ALLOCATION_TYPE_PINNED) return cudaErrorInvalidValue;
        const int file = memfd_create("simcc-memory", MFD_CLOEXEC);
        if (file < 0) return cudaErrorMemoryAllocation;
        if (ftruncate(file, static_cast<off_t>(bytes)) != 0) {
            close(file);
            return cudaErrorMemoryAllocation;
        }
        *handle = static_cast<CUmemGenericAllocationHandle>(file) + 1;
        const std::lock_guard lock(mappings().mutex);
        mappings().memory[*handle] = {bytes, *properties};
        mappings().memory[*handle].properties.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE;
        return cudaSuccess;
    });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
    return driver_call([=] {
        const std::lock_guard lock(mappings().mutex);
        const auto found = mappings().memory.find(handle);
        if (!properties || found == mappings().memory.end()) return cudaErrorInvalidValue;
        *properties = found->second.properties;
        return cudaSuccess;
    });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    return driver_call([=] {
        const std::lock_guard lock(mappings().mutex);
        if (mappings().memory.erase(handle) == 0) return cudaErrorInvalidValue;
        close(file_of(handle));  // what is mapped stays mapped
        return cudaSuccess;
    });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    return driver_call([=] {
        const std::lock_guard lock(mappings().mutex);
        const auto memory = mappings().memory.find(handle);
        auto room = mappings().reserved.upper_bound(address);
        if (memory == mappings().memory.end() || room == mappings().reserved.begin() || !is_whole(bytes) || flags != 0)
            return cudaErrorInvalidValue;
        --room;
        const bool fits = address + bytes <= room->first + room->second && offset + bytes <= memory->second.bytes;
        const auto after = mappings().mapped.lower_bound(address);
        const bool is_taken = after != mappings().mapped.end() && after->first < address + bytes;
        if (!fits || is_taken) return cudaErrorInvalidValue;
        void* const at = mmap(pointer(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, file_of(handle),
                              static_cast<off_t>(offset));
        if (at == MAP_FAILED) return cudaErrorMemoryAllocation;
        mappings().mapped[address] = bytes;
        return cudaSuccess;
    });
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
    return driver_call([=] {
        if (cudaDeviceSynchronize() != cudaSuccess) return cudaErrorLaunchFailure;
        const std::lock_guard lock(mappings().mutex);
        auto& mapped = mappings().mapped;
        for (CUdeviceptr at = address; at < address + bytes;) {
            const auto found = mapped.find(at);
            if (found == mapped.end() || at + found->second > address + bytes) return cudaErrorInvalidValue;
            runtime().memory.disown(pointer(at), MemoryKind::device);
            mmap(pointer(at), found->second, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
            at += found->second;
            mapped.erase(found);
        }
        return cudaSuccess;
    });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* descriptions, size_t count) {
    return driver_call([=] {
        if (!descriptions || count == 0) return cudaErrorInvalidValue;
        const std::lock_guard lock(mappings().mutex);
        auto& mapped = mappings().mapped;
        for (CUdeviceptr at = address; at < address + bytes;) {
            const auto found = mapped.find(at);
            if (found == mapped.end()) return cudaErrorInvalidValue;
            const CUmemAccess_flags flags = descriptions[0].flags;
            const int protection = flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? PROT_READ | PROT_WRITE
                                   : flags == CU_MEM_ACCESS_FLAGS_PROT_READ    ? PROT_READ
                                                                               : PROT_NONE;
            if (mprotect(pointer(at), found->second, protection) != 0) return cudaErrorInvalidValue;
            if (!runtime().memory.find(pointer(at)))
                runtime().memory.adopt(pointer(at), found->second, MemoryKind::device, descriptions[0].location.id, 0);
            at += found->second;
        }
        return cudaSuccess;
    });
}

CUresult cuMemExportToShareableHandle(void* shareable, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
    return driver_call([=] {
        if (!shareable || flags != 0) return cudaErrorInvalidValue;
        if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return cudaErrorNotSupported;
        const std::lock_guard lock(mappings().mutex);
        if (mappings().memory.count(handle) == 0) return cudaErrorInvalidValue;
        return (*static_cast<int*>(shareable) = dup(file_of(handle))) < 0 ? cudaErrorInvalidValue : cudaSuccess;
    });
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* shareable,
                                        CUmemAllocationHandleType type) {
    return driver_call([=] {
        if (!handle) return cudaErrorInvalidValue;
        if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return cudaErrorNotSupported;
        const int file = dup(static_cast<int>(reinterpret_cast<intptr_t>(shareable)));
        const off_t bytes = file < 0 ? -1 : lseek(file, 0, SEEK_END);
        if (bytes <= 0) return cudaErrorInvalidValue;
        *handle = static_cast<CUmemGenericAllocationHandle>(file) + 1;
        const std::lock_guard lock(mappings().mutex);
        CUmemAllocationProp properties = {};
        properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
        properties.requestedHandleTypes = type;
        properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
        mappings().memory[*handle] = {static_cast<size_t>(bytes), properties};
        return cudaSuccess;
    });
}

// ---- arrays and textures

namespace {

/// The runtime's description of elements; no bits if it has none.
cudaChannelFormatDesc channels_of(CUarray_format format, unsigned channels) {
    int bits = 0;
    cudaChannelFormatKind kind = cudaChannelFormatKindNone;
    switch (format) {
        case CU_AD_FORMAT_UNSIGNED_INT8: bits = 8, kind = cudaChannelFormatKindUnsigned; break;
        case CU_AD_FORMAT_UNSIGNED_INT16: bits = 16, kind = cudaChannelFormatKindUnsigned; break;
        case CU_AD_FORMAT_UNSIGNED_INT32: bits = 32, kind = cudaChannelFormatKindUnsigned; break;
        case CU_AD_FORMAT_SIGNED_INT8: bits = 8, kind = cudaChannelFormatKindSigned; break;
        case CU_AD_FORMAT_SIGNED_INT16: bits = 16, kind = cudaChannelFormatKindSigned; break;
        case CU_AD_FORMAT_SIGNED_INT32: bits = 32, kind = cudaChannelFormatKindSigned; break;
        case CU_AD_FORMAT_HALF: bits = 16, kind = cudaChannelFormatKindFloat; break;
        case CU_AD_FORMAT_FLOAT: bits = 32, kind = cudaChannelFormatKindFloat; break;
        default: break;
    }
    return {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, kind};
}

}  // namespace

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* description) {
    return context_call([=] {
        if (!array || !description) return cudaErrorInvalidValue;
        const cudaChannelFormatDesc channels = channels_of(description->Format, description->NumChannels);
        return cudaMallocArray(array, &channels, description->Width, description->Height);
    });
}
CUresult cuArrayDestroy(CUarray array) {
    return context_call([=] { return cudaFreeArray(array); });
}
CUresult cuTexObjectCreate(CUtexObject* object, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* how,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
    return context_call([=] {
        if (!object || !resource || !how) return cudaErrorInvalidValue;
        cudaResourceDesc of_runtime = {};
        of_runtime.resType = static_cast<cudaResourceType>(resource->resType);
        if (resource->resType == CU_RESOURCE_TYPE_ARRAY) {
            of_runtime.res.array.array = resource->res.array.hArray;
        } else if (resource->resType == CU_RESOURCE_TYPE_LINEAR) {
            const auto& linear = resource->res.linear;
            of_runtime.res.linear.devPtr = pointer(linear.devPtr);
            of_runtime.res.linear.desc = channels_of(linear.format, linear.numChannels);
            of_runtime.res.linear.sizeInBytes = linear.sizeInBytes;
        } else if (resource->resType == CU_RESOURCE_TYPE_PITCH2D) {
            const auto& pitched = resource->res.pitch2D;
            of_runtime.res.pitch2D.devPtr = pointer(pitched.devPtr);
            of_runtime.res.pitch2D.desc = channels_of(pitched.format, pitched.numChannels);
            of_runtime.res.pitch2D.width = pitched.width;
            of_runtime.res.pitch2D.height = pitched.height;
            of_runtime.res.pitch2D.pitchInBytes = pitched.pitchInBytes;
        } else {
            return cudaErrorNotSupported;
        }
        cudaTextureDesc texture = {};
        for (int axis = 0; axis < 3; ++axis) {
            texture.addressMode[axis] = static_cast<cudaTextureAddressMode>(how->addressMode[axis]);
        }
        for (int channel = 0; channel < 4; ++channel) texture.borderColor[channel] = how->borderColor[channel];
        texture.filterMode = static_cast<cudaTextureFilterMode>(how->filterMode);
        texture.normalizedCoords = (how->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
        texture.sRGB = (how->flags & CU_TRSF_SRGB) != 0;
        texture.maxAnisotropy = how->maxAnisotropy;
        // Integers of up to 16 bits are read as fractions unless the flag says otherwise.
        cudaChannelFormatDesc channels = of_runtime.res.linear.desc;
        if (resource->resType == CU_RESOURCE_TYPE_PITCH2D) channels = of_runtime.res.pitch2D.desc;
        if (resource->resType == CU_RESOURCE_TYPE_ARRAY) cudaGetChannelDesc(&channels, of_runtime.res.array.array);
        const bool is_fraction =
            channels.f != cudaChannelFormatKindFloat && channels.x <= 16 && (how->flags & CU_TRSF_READ_AS_INTEGER) == 0;
        texture.readMode = is_fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
        cudaTextureObject_t created = 0;
        const cudaError_t error = cudaCreateTextureObject(&created, &of_runtime, &texture, view);
        *object = created;
        return error;
    });
}
CUresult cuTexObjectDestroy(CUtexObject object) {
    return context_call([=] { return cudaDestroyTextureObject(object); });
}
