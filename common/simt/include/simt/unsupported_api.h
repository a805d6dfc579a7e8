// SPDX-License-Identifier: MIT
// Runtime functions that the simulator does not have. Programs that name one compile and link; a call reports it once
// on stderr and returns cudaErrorNotSupported. Their parameters are not checked.
#pragma once

#include "driver_types.h"
#include "simt/declare.h"

#define SIMT_UNSUPPORTED_FUNCTIONS(X)                     \
    X(cudaArrayGetMemoryRequirements)                     \
    X(cudaArrayGetPlane)                                  \
    X(cudaArrayGetSparseProperties)                       \
    X(cudaDestroyExternalMemory)                          \
    X(cudaDestroyExternalSemaphore)                       \
    X(cudaDeviceFlushGPUDirectRDMAWrites)                 \
    X(cudaDeviceGetHostAtomicCapabilities)                \
    X(cudaDeviceGetNvSciSyncAttributes)                   \
    X(cudaDeviceGetP2PAtomicCapabilities)                 \
    X(cudaDeviceGetTexture1DLinearMaxWidth)               \
    X(cudaDeviceRegisterAsyncNotification)                \
    X(cudaDeviceUnregisterAsyncNotification)              \
    X(cudaExternalMemoryGetMappedBuffer)                  \
    X(cudaExternalMemoryGetMappedMipmappedArray)          \
    X(cudaFreeMipmappedArray)                             \
    X(cudaGetExportTable)                                 \
    X(cudaGetMipmappedArrayLevel)                         \
    X(cudaGetSurfaceObjectResourceDesc)                   \
    X(cudaGetTextureObjectResourceDesc)                   \
    X(cudaGetTextureObjectResourceViewDesc)               \
    X(cudaGetTextureObjectTextureDesc)                    \
    X(cudaGraphAddExternalSemaphoresSignalNode)           \
    X(cudaGraphAddExternalSemaphoresWaitNode)             \
    X(cudaGraphAddMemcpyNodeFromSymbol)                   \
    X(cudaGraphAddMemcpyNodeToSymbol)                     \
    X(cudaGraphChildGraphNodeGetGraph)                    \
    X(cudaGraphEventRecordNodeGetEvent)                   \
    X(cudaGraphEventRecordNodeSetEvent)                   \
    X(cudaGraphEventWaitNodeGetEvent)                     \
    X(cudaGraphEventWaitNodeSetEvent)                     \
    X(cudaGraphExecChildGraphNodeSetParams)               \
    X(cudaGraphExecEventRecordNodeSetEvent)               \
    X(cudaGraphExecEventWaitNodeSetEvent)                 \
    X(cudaGraphExecExternalSemaphoresSignalNodeSetParams) \
    X(cudaGraphExecExternalSemaphoresWaitNodeSetParams)   \
    X(cudaGraphExecGetFlags)                              \
    X(cudaGraphExecMemcpyNodeSetParamsFromSymbol)         \
    X(cudaGraphExecMemcpyNodeSetParamsToSymbol)           \
    X(cudaGraphExternalSemaphoresSignalNodeGetParams)     \
    X(cudaGraphExternalSemaphoresSignalNodeSetParams)     \
    X(cudaGraphExternalSemaphoresWaitNodeGetParams)       \
    X(cudaGraphExternalSemaphoresWaitNodeSetParams)       \
    X(cudaGraphKernelNodeCopyAttributes)                  \
    X(cudaGraphKernelNodeGetAttribute)                    \
    X(cudaGraphKernelNodeSetAttribute)                    \
    X(cudaGraphMemcpyNodeSetParamsFromSymbol)             \
    X(cudaGraphMemcpyNodeSetParamsToSymbol)               \
    X(cudaGraphNodeFindInClone)                           \
    X(cudaGraphNodeGetDependentNodes)                     \
    X(cudaGraphReleaseUserObject)                         \
    X(cudaGraphRemoveDependencies)                        \
    X(cudaGraphRetainUserObject)                          \
    X(cudaGraphicsMapResources)                           \
    X(cudaGraphicsResourceGetMappedMipmappedArray)        \
    X(cudaGraphicsResourceGetMappedPointer)               \
    X(cudaGraphicsResourceSetMapFlags)                    \
    X(cudaGraphicsSubResourceGetMappedArray)              \
    X(cudaGraphicsUnmapResources)                         \
    X(cudaGraphicsUnregisterResource)                     \
    X(cudaImportExternalMemory)                           \
    X(cudaImportExternalSemaphore)                        \
    X(cudaKernelSetAttributeForDevice)                    \
    X(cudaLibraryGetUnifiedFunction)                      \
    X(cudaLogsCurrent)                                    \
    X(cudaLogsDumpToFile)                                 \
    X(cudaLogsDumpToMemory)                               \
    X(cudaLogsRegisterCallback)                           \
    X(cudaLogsUnregisterCallback)                         \
    X(cudaMallocMipmappedArray)                           \
    X(cudaMemDiscardAndPrefetchBatchAsync)                \
    X(cudaMemDiscardBatchAsync)                           \
    X(cudaMemGetDefaultMemPool)                           \
    X(cudaMemGetMemPool)                                  \
    X(cudaMemPoolExportPointer)                           \
    X(cudaMemPoolExportToShareableHandle)                 \
    X(cudaMemPoolImportFromShareableHandle)               \
    X(cudaMemPoolImportPointer)                           \
    X(cudaMemPrefetchBatchAsync)                          \
    X(cudaMemRangeGetAttributes)                          \
    X(cudaMemSetMemPool)                                  \
    X(cudaMemcpy3DBatchAsync)                             \
    X(cudaMemcpyBatchAsync)                               \
    X(cudaMipmappedArrayGetMemoryRequirements)            \
    X(cudaMipmappedArrayGetSparseProperties)              \
    X(cudaOccupancyMaxActiveClusters)                     \
    X(cudaOccupancyMaxPotentialClusterSize)               \
    X(cudaSignalExternalSemaphoresAsync)                  \
    X(cudaUserObjectCreate)                               \
    X(cudaUserObjectRelease)                              \
    X(cudaUserObjectRetain)                               \
    X(cudaWaitExternalSemaphoresAsync)

#ifdef __cplusplus
#define SIMT_DECLARE_UNSUPPORTED(name) SIMT_API(name, ...);
#else
#define SIMT_DECLARE_UNSUPPORTED(name) SIMT_API(name);  // in C that says nothing of parameters
#endif
SIMT_UNSUPPORTED_FUNCTIONS(SIMT_DECLARE_UNSUPPORTED)
#undef SIMT_DECLARE_UNSUPPORTED
