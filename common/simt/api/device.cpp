// SPDX-License-Identifier: MIT
// Choosing, configuring, synchronizing and resetting devices; their properties and attributes.
#include <cstdio>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/device.hpp"

using namespace simt;

namespace {

constexpr int cuda_version = CUDART_VERSION;

// Runs the body even if the current device is broken, as cudaGetDevice does in CUDA.
template <typename Body>
cudaError_t api_on_any_device(Body body) {
    const RuntimeSection section;
    return unless_short([&] {
        if (inside_host_function()) return report(cudaErrorNotPermitted);
        if (runtime().device_count() == 0) return report(cudaErrorNoDevice);
        return report(body());
    });
}

size_t default_limit(cudaLimit limit) {
    switch (limit) {
        case cudaLimitStackSize: return 1 << 10;
        case cudaLimitPrintfFifoSize: return 1 << 20;
        case cudaLimitMallocHeapSize: return 8 << 20;
        case cudaLimitDevRuntimeSyncDepth: return 2;
        case cudaLimitDevRuntimePendingLaunchCount: return default_pending_launches;
        case cudaLimitMaxL2FetchGranularity: return 64;
        case cudaLimitPersistingL2CacheSize: return 0;
    }
    return 0;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
    if (!count) return report(cudaErrorInvalidValue);
    const RuntimeSection section;
    *count = unless_short([] { return runtime().device_count(); });
    return report(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int* device) {
    return api_on_any_device([=] {
        if (!device) return cudaErrorInvalidValue;
        *device = current_device_index();
        return cudaSuccess;
    });
}

cudaError_t cudaSetDevice(int device) {
    refuse_in_kernels();
    return api_on_any_device([=] {
        if (!runtime().has_device(device)) return cudaErrorInvalidDevice;
        set_current_device_index(device);
        return cudaSuccess;
    });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
    return api_on_any_device([=] { return runtime().has_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
    return api_on_any_device([=] {
        if (!devices && count > 0) return cudaErrorInvalidValue;
        for (int i = 0; i < count; ++i) {
            if (!runtime().has_device(devices[i])) return cudaErrorInvalidDevice;
        }
        return cudaSuccess;
    });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
    return api_on_any_device([=] {
        if (!device || !wanted) return cudaErrorInvalidValue;
        *device = 0;  // the simulated devices are all alike
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSynchronize() {
    return api([] {
        current_device().synchronize();
        return static_cast<cudaError_t>(current_device().broken());
    });
}

cudaError_t cudaDeviceReset() {
    refuse_in_kernels();
    return api_on_any_device([] {
        Device& device = current_device();
        device.reset();
        runtime().streams.remove_if([&](Stream& stream) { return &stream.device() == &device; });
        runtime().events.remove_if([&](Event& event) { return event.device == device.index(); });
        events().device_reset(device.index());
        runtime().memory.release_all(device.index());
        return cudaSuccess;
    });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    return api_on_any_device([=] {
        if (flags & ~unsigned{cudaDeviceMask}) return cudaErrorInvalidValue;
        current_device().flags = flags;
        return cudaSuccess;
    });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
    return api_on_any_device([=] {
        if (!flags) return cudaErrorInvalidValue;
        *flags = current_device().flags | cudaDeviceMapHost;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
    return api_everywhere([=] {
        const auto* stored = current_device().limit(limit);
        if (!value) return cudaErrorInvalidValue;
        if (!stored) return cudaErrorUnsupportedLimit;
        *value = stored->value_or(default_limit(limit));
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
    return api([=] {
        auto* stored = current_device().limit(limit);
        if (!stored) return cudaErrorUnsupportedLimit;
        *stored = value;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* preference) {
    return api_everywhere([=] {
        if (!preference) return cudaErrorInvalidValue;
        *preference = static_cast<cudaFuncCache>(current_device().cache_preference);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache preference) {
    return api([=] {
        current_device().cache_preference = preference;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* configuration) {
    return api_everywhere([=] {
        if (!configuration) return cudaErrorInvalidValue;
        *configuration = cudaSharedMemBankSizeFourByte;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
    return api([] { return cudaSuccess; });  // banks have been four bytes wide since compute capability 5.0
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
    return api([=] {
        if (least) *least = least_stream_priority;
        if (greatest) *greatest = greatest_stream_priority;
        return cudaSuccess;
    });
}

cudaError_t cudaDriverGetVersion(int* version) {
    if (!version) return report(cudaErrorInvalidValue);
    *version = cuda_version;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaCtxResetPersistingL2Cache() {
    return api([] { return cudaSuccess; });
}

cudaError_t cudaProfilerStart() {
    return api([] { return cudaSuccess; });
}

cudaError_t cudaProfilerStop() { return cudaProfilerStart(); }

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    return api([=] {
        if (!can) return cudaErrorInvalidValue;
        if (!runtime().has_device(device) || !runtime().has_device(peer)) return cudaErrorInvalidDevice;
        *can = device != peer;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return api([=] {
        if (flags != 0) return cudaErrorInvalidValue;
        if (!runtime().has_device(peer) || peer == current_device_index()) return cudaErrorInvalidDevice;
        return current_device().peers.insert(peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
    });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return api([=] {
        if (!runtime().has_device(peer)) return cudaErrorInvalidDevice;
        return current_device().peers.erase(peer) > 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
    });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int source, int destination) {
    return api([=] {
        if (!value || source == destination) return cudaErrorInvalidValue;
        if (!runtime().has_device(source) || !runtime().has_device(destination)) return cudaErrorInvalidDevice;
        *value = attribute != cudaDevP2PAttrPerformanceRank;
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
    return api_on_any_device([=] {
        if (!id || length < 13) return cudaErrorInvalidValue;
        if (!runtime().has_device(device)) return cudaErrorInvalidDevice;
        std::snprintf(id, static_cast<size_t>(length), "0000:%02X:00.0", pci_bus(device));
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
    return api_on_any_device([=] {
        if (!device || !id) return cudaErrorInvalidValue;
        unsigned domain = 0, bus = 0;
        if (std::sscanf(id, "%x:%x", &domain, &bus) != 2) return cudaErrorInvalidValue;
        for (int index = 0; index < runtime().device_count(); ++index) {
            if (domain == 0 && static_cast<int>(bus) == pci_bus(index)) {
                *device = index;
                return cudaSuccess;
            }
        }
        return cudaErrorInvalidDevice;
    });
}

// ---- the properties of the simulated device

namespace simt {
namespace {

// A fixed identity per device, so that programs can choose devices by UUID and tests can expect it.
cudaUUID_t device_uuid(int device) {
    cudaUUID_t uuid = {};
    std::snprintf(uuid.bytes, sizeof uuid.bytes, "SIMT simulator");
    uuid.bytes[15] = static_cast<char>(device);
    return uuid;
}

cudaDeviceProp properties_of(int device) {
    cudaDeviceProp properties = {};
    std::snprintf(properties.name, sizeof properties.name, "SIMT simulator");
    properties.uuid = device_uuid(device);
    properties.major = 9;
    properties.minor = 0;

    properties.totalGlobalMem = runtime().memory.total_bytes();
    properties.totalConstMem = 64 << 10;
    properties.memPitch = 2147483647;
    properties.l2CacheSize = 32 << 20;
    properties.persistingL2CacheMaxSize = 0;
    properties.accessPolicyMaxWindowSize = 0;
    properties.memoryBusWidth = 256;
    properties.memoryClockRate = 1000000;
    properties.clockRate = 1000000;

    properties.warpSize = warp_size;
    properties.maxThreadsPerBlock = max_threads_per_block;
    const auto copy_extent = [](const Extent& extent, int* to) {
        to[0] = static_cast<int>(extent.x), to[1] = static_cast<int>(extent.y), to[2] = static_cast<int>(extent.z);
    };
    copy_extent(max_block, properties.maxThreadsDim);
    copy_extent(max_grid, properties.maxGridSize);
    properties.multiProcessorCount = multiprocessor_count();
    properties.maxThreadsPerMultiProcessor = max_threads_per_multiprocessor;
    properties.maxBlocksPerMultiProcessor = max_blocks_per_multiprocessor;
    properties.regsPerBlock = registers_per_multiprocessor;
    properties.regsPerMultiprocessor = registers_per_multiprocessor;
    properties.sharedMemPerBlock = shared_bytes_per_block;
    properties.sharedMemPerBlockOptin = shared_bytes_per_block_optin;
    properties.sharedMemPerMultiprocessor = shared_bytes_per_multiprocessor;
    properties.reservedSharedMemPerBlock = reserved_shared_bytes_per_block;
    properties.singleToDoublePrecisionPerfRatio = 2;

    properties.pciBusID = pci_bus(device);
    properties.asyncEngineCount = 2;
    properties.deviceOverlap = 1;
    properties.concurrentKernels = 1;
    properties.streamPrioritiesSupported = 1;
    properties.cooperativeLaunch = 1;
    properties.computePreemptionSupported = 1;
    properties.globalL1CacheSupported = 1;
    properties.localL1CacheSupported = 1;
    properties.unifiedFunctionPointers = 1;

    // Host and device share one memory, so every feature of unified memory is available except one: kernels could read
    // memory from malloc, but on most GPUs they cannot, and memcheck reports it.
    properties.unifiedAddressing = 1;
    properties.canMapHostMemory = 1;
    properties.managedMemory = 1;
    properties.concurrentManagedAccess = 1;
    properties.directManagedMemAccessFromHost = 1;
    properties.pageableMemoryAccess = 0;
    properties.pageableMemoryAccessUsesHostPageTables = 0;
    properties.hostNativeAtomicSupported = 1;
    properties.hostRegisterSupported = 1;
    properties.hostRegisterReadOnlySupported = 1;
    properties.canUseHostPointerForRegisteredMem = 1;
    properties.memoryPoolsSupported = 1;
    properties.hostNumaId = -1;
    properties.deviceNumaId = -1;

    properties.textureAlignment = texture_alignment;
    properties.texturePitchAlignment = texture_pitch_alignment;
    properties.surfaceAlignment = 512;
    properties.maxTexture1D = properties.maxSurface1D = max_texture_1d;
    properties.maxTexture1DLinear = max_texture_1d_linear;
    properties.maxTexture1DMipmap = 32768;
    properties.maxTextureCubemap = properties.maxSurfaceCubemap = 32768;
    const auto fill = [](int* to, int x, int y) { to[0] = x, to[1] = y; };
    fill(properties.maxTexture2D, max_texture_2d[0], max_texture_2d[1]);
    fill(properties.maxSurface2D, 131072, 65536);
    fill(properties.maxTexture2DLinear, max_texture_2d_linear[0], max_texture_2d_linear[1]);
    properties.maxTexture2DLinear[2] = max_texture_2d_linear[2];
    fill(properties.maxTexture2DMipmap, 32768, 32768);
    fill(properties.maxTexture2DGather, 32768, 32768);
    for (int axis = 0; axis < 3; ++axis) properties.maxTexture3D[axis] = properties.maxSurface3D[axis] = max_texture_3d;
    fill(properties.maxTexture3DAlt, 8192, 8192);
    properties.maxTexture3DAlt[2] = 32768;
    fill(properties.maxTexture1DLayered, 32768, 2048);
    fill(properties.maxSurface1DLayered, 32768, 2048);
    fill(properties.maxTexture2DLayered, 32768, 32768);
    properties.maxTexture2DLayered[2] = properties.maxSurface2DLayered[2] = 2048;
    fill(properties.maxSurface2DLayered, 32768, 32768);
    fill(properties.maxTextureCubemapLayered, 32768, 2046);
    fill(properties.maxSurfaceCubemapLayered, 32768, 2046);
    return properties;
}

}  // namespace
}  // namespace simt

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    return simt::api_everywhere([=] {
        if (!properties) return cudaErrorInvalidValue;
        if (!simt::runtime().has_device(device)) return cudaErrorInvalidDevice;
        *properties = simt::properties_of(device);
        return cudaSuccess;
    });
}

// ---- cudaDeviceGetAttribute: every attribute is a member of cudaDeviceProp under another name

namespace {

// The attribute's value; 0 for hardware that the simulator does not have.
int attribute_value(const cudaDeviceProp& properties, cudaDeviceAttr attribute) {
    switch (attribute) {
        case cudaDevAttrMaxThreadsPerBlock: return properties.maxThreadsPerBlock;
        case cudaDevAttrMaxBlockDimX: return properties.maxThreadsDim[0];
        case cudaDevAttrMaxBlockDimY: return properties.maxThreadsDim[1];
        case cudaDevAttrMaxBlockDimZ: return properties.maxThreadsDim[2];
        case cudaDevAttrMaxGridDimX: return properties.maxGridSize[0];
        case cudaDevAttrMaxGridDimY: return properties.maxGridSize[1];
        case cudaDevAttrMaxGridDimZ: return properties.maxGridSize[2];
        case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(properties.sharedMemPerBlock);
        case cudaDevAttrTotalConstantMemory: return static_cast<int>(properties.totalConstMem);
        case cudaDevAttrWarpSize: return properties.warpSize;
        case cudaDevAttrMaxPitch: return static_cast<int>(properties.memPitch);
        case cudaDevAttrMaxRegistersPerBlock: return properties.regsPerBlock;
        case cudaDevAttrClockRate: return properties.clockRate;
        case cudaDevAttrTextureAlignment: return static_cast<int>(properties.textureAlignment);
        case cudaDevAttrGpuOverlap: return properties.deviceOverlap;
        case cudaDevAttrMultiProcessorCount: return properties.multiProcessorCount;
        case cudaDevAttrKernelExecTimeout: return properties.kernelExecTimeoutEnabled;
        case cudaDevAttrIntegrated: return properties.integrated;
        case cudaDevAttrCanMapHostMemory: return properties.canMapHostMemory;
        case cudaDevAttrComputeMode: return properties.computeMode;
        case cudaDevAttrMaxTexture1DWidth: return properties.maxTexture1D;
        case cudaDevAttrMaxTexture2DWidth: return properties.maxTexture2D[0];
        case cudaDevAttrMaxTexture2DHeight: return properties.maxTexture2D[1];
        case cudaDevAttrMaxTexture3DWidth: return properties.maxTexture3D[0];
        case cudaDevAttrMaxTexture3DHeight: return properties.maxTexture3D[1];
        case cudaDevAttrMaxTexture3DDepth: return properties.maxTexture3D[2];
        case cudaDevAttrMaxTexture2DLayeredWidth: return properties.maxTexture2DLayered[0];
        case cudaDevAttrMaxTexture2DLayeredHeight: return properties.maxTexture2DLayered[1];
        case cudaDevAttrMaxTexture2DLayeredLayers: return properties.maxTexture2DLayered[2];
        case cudaDevAttrSurfaceAlignment: return static_cast<int>(properties.surfaceAlignment);
        case cudaDevAttrConcurrentKernels: return properties.concurrentKernels;
        case cudaDevAttrEccEnabled: return properties.ECCEnabled;
        case cudaDevAttrPciBusId: return properties.pciBusID;
        case cudaDevAttrPciDeviceId: return properties.pciDeviceID;
        case cudaDevAttrTccDriver: return properties.tccDriver;
        case cudaDevAttrMemoryClockRate: return properties.memoryClockRate;
        case cudaDevAttrGlobalMemoryBusWidth: return properties.memoryBusWidth;
        case cudaDevAttrL2CacheSize: return properties.l2CacheSize;
        case cudaDevAttrMaxThreadsPerMultiProcessor: return properties.maxThreadsPerMultiProcessor;
        case cudaDevAttrAsyncEngineCount: return properties.asyncEngineCount;
        case cudaDevAttrUnifiedAddressing: return properties.unifiedAddressing;
        case cudaDevAttrMaxTexture1DLayeredWidth: return properties.maxTexture1DLayered[0];
        case cudaDevAttrMaxTexture1DLayeredLayers: return properties.maxTexture1DLayered[1];
        case cudaDevAttrMaxTexture2DGatherWidth: return properties.maxTexture2DGather[0];
        case cudaDevAttrMaxTexture2DGatherHeight: return properties.maxTexture2DGather[1];
        case cudaDevAttrMaxTexture3DWidthAlt: return properties.maxTexture3DAlt[0];
        case cudaDevAttrMaxTexture3DHeightAlt: return properties.maxTexture3DAlt[1];
        case cudaDevAttrMaxTexture3DDepthAlt: return properties.maxTexture3DAlt[2];
        case cudaDevAttrPciDomainId: return properties.pciDomainID;
        case cudaDevAttrTexturePitchAlignment: return static_cast<int>(properties.texturePitchAlignment);
        case cudaDevAttrMaxTextureCubemapWidth: return properties.maxTextureCubemap;
        case cudaDevAttrMaxTextureCubemapLayeredWidth: return properties.maxTextureCubemapLayered[0];
        case cudaDevAttrMaxTextureCubemapLayeredLayers: return properties.maxTextureCubemapLayered[1];
        case cudaDevAttrMaxSurface1DWidth: return properties.maxSurface1D;
        case cudaDevAttrMaxSurface2DWidth: return properties.maxSurface2D[0];
        case cudaDevAttrMaxSurface2DHeight: return properties.maxSurface2D[1];
        case cudaDevAttrMaxSurface3DWidth: return properties.maxSurface3D[0];
        case cudaDevAttrMaxSurface3DHeight: return properties.maxSurface3D[1];
        case cudaDevAttrMaxSurface3DDepth: return properties.maxSurface3D[2];
        case cudaDevAttrMaxSurface1DLayeredWidth: return properties.maxSurface1DLayered[0];
        case cudaDevAttrMaxSurface1DLayeredLayers: return properties.maxSurface1DLayered[1];
        case cudaDevAttrMaxSurface2DLayeredWidth: return properties.maxSurface2DLayered[0];
        case cudaDevAttrMaxSurface2DLayeredHeight: return properties.maxSurface2DLayered[1];
        case cudaDevAttrMaxSurface2DLayeredLayers: return properties.maxSurface2DLayered[2];
        case cudaDevAttrMaxSurfaceCubemapWidth: return properties.maxSurfaceCubemap;
        case cudaDevAttrMaxSurfaceCubemapLayeredWidth: return properties.maxSurfaceCubemapLayered[0];
        case cudaDevAttrMaxSurfaceCubemapLayeredLayers: return properties.maxSurfaceCubemapLayered[1];
        case cudaDevAttrMaxTexture1DLinearWidth: return properties.maxTexture1DLinear;
        case cudaDevAttrMaxTexture2DLinearWidth: return properties.maxTexture2DLinear[0];
        case cudaDevAttrMaxTexture2DLinearHeight: return properties.maxTexture2DLinear[1];
        case cudaDevAttrMaxTexture2DLinearPitch: return properties.maxTexture2DLinear[2];
        case cudaDevAttrMaxTexture2DMipmappedWidth: return properties.maxTexture2DMipmap[0];
        case cudaDevAttrMaxTexture2DMipmappedHeight: return properties.maxTexture2DMipmap[1];
        case cudaDevAttrComputeCapabilityMajor: return properties.major;
        case cudaDevAttrComputeCapabilityMinor: return properties.minor;
        case cudaDevAttrMaxTexture1DMipmappedWidth: return properties.maxTexture1DMipmap;
        case cudaDevAttrStreamPrioritiesSupported: return properties.streamPrioritiesSupported;
        case cudaDevAttrGlobalL1CacheSupported: return properties.globalL1CacheSupported;
        case cudaDevAttrLocalL1CacheSupported: return properties.localL1CacheSupported;
        case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
            return static_cast<int>(properties.sharedMemPerMultiprocessor);
        case cudaDevAttrMaxRegistersPerMultiprocessor: return properties.regsPerMultiprocessor;
        case cudaDevAttrManagedMemory: return properties.managedMemory;
        case cudaDevAttrIsMultiGpuBoard: return properties.isMultiGpuBoard;
        case cudaDevAttrMultiGpuBoardGroupID: return properties.multiGpuBoardGroupID;
        case cudaDevAttrHostNativeAtomicSupported: return properties.hostNativeAtomicSupported;
        case cudaDevAttrSingleToDoublePrecisionPerfRatio: return properties.singleToDoublePrecisionPerfRatio;
        case cudaDevAttrPageableMemoryAccess: return properties.pageableMemoryAccess;
        case cudaDevAttrConcurrentManagedAccess: return properties.concurrentManagedAccess;
        case cudaDevAttrComputePreemptionSupported: return properties.computePreemptionSupported;
        case cudaDevAttrCanUseHostPointerForRegisteredMem: return properties.canUseHostPointerForRegisteredMem;
        case cudaDevAttrCooperativeLaunch: return properties.cooperativeLaunch;
        case cudaDevAttrCooperativeMultiDeviceLaunch: return properties.cooperativeMultiDeviceLaunch;
        case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(properties.sharedMemPerBlockOptin);
        case cudaDevAttrHostRegisterSupported: return properties.hostRegisterSupported;
        case cudaDevAttrPageableMemoryAccessUsesHostPageTables:
            return properties.pageableMemoryAccessUsesHostPageTables;
        case cudaDevAttrDirectManagedMemAccessFromHost: return properties.directManagedMemAccessFromHost;
        case cudaDevAttrMaxBlocksPerMultiprocessor: return properties.maxBlocksPerMultiProcessor;
        case cudaDevAttrMaxPersistingL2CacheSize: return properties.persistingL2CacheMaxSize;
        case cudaDevAttrMaxAccessPolicyWindowSize: return properties.accessPolicyMaxWindowSize;
        case cudaDevAttrReservedSharedMemoryPerBlock: return static_cast<int>(properties.reservedSharedMemPerBlock);
        case cudaDevAttrHostRegisterReadOnlySupported: return properties.hostRegisterReadOnlySupported;
        case cudaDevAttrMemoryPoolsSupported: return properties.memoryPoolsSupported;
        case cudaDevAttrNumaId: return properties.deviceNumaId;
        case cudaDevAttrHostNumaId: return properties.hostNumaId;
        default: return 0;
    }
}

}  // namespace

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return simt::api_everywhere([=] {
        constexpr int last_attribute = cudaDevAttrOnlyPartialHostNativeAtomicSupported;
        if (!value || attribute < cudaDevAttrMaxThreadsPerBlock || attribute > last_attribute) {
            return cudaErrorInvalidValue;
        }
        cudaDeviceProp properties;
        if (const cudaError_t error = cudaGetDeviceProperties(&properties, device)) return error;
        *value = attribute_value(properties, attribute);
        return cudaSuccess;
    });
}
