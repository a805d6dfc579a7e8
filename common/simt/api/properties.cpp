// SPDX-License-Identifier: MIT
// The properties of the simulated device.
#include <cstdio>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/device.hpp"

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
