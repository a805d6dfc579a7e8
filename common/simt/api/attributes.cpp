// SPDX-License-Identifier: MIT
// cudaDeviceGetAttribute: every attribute is a member of cudaDeviceProp under another name.
#include "common/simt/api/error.hpp"
#include "common/simt/runtime/device.hpp"

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
