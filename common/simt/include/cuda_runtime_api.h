// SPDX-License-Identifier: MIT
// The CUDA runtime API of the simulator, without the parts that need device code. Every function returns an error code,
// which the calling thread also remembers for cudaGetLastError. All sizes are bytes unless said otherwise.
#pragma once
#define __CUDA_RUNTIME_API_H__  // programs test for it

#include "driver_types.h"
#include "simt/declare.h"
#include "simt/unsupported_api.h"
#include "texture_types.h"

// As with nvcc --default-stream per-thread: each thread gets its own null stream, throughout the program.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
SIMT_C const int simt_null_stream_is_per_thread __attribute__((weak));
const int simt_null_stream_is_per_thread = 1;
#endif

#define CUDART_VERSION 13000
#define __CUDART_API_VERSION CUDART_VERSION
/// Whether the code is for an architecture such as sm_90a: __CUDA_ARCH_HAS_FEATURE__(SM90_ALL).
#define __CUDA_ARCH_HAS_FEATURE__(feature) __CUDA_ARCH_FEAT_##feature

// ---- errors -------------------------------------------------------------------------------------------------------
SIMT_API(cudaGetLastError, void);     // returns and clears; an error that broke the device stays until a reset
SIMT_API(cudaPeekAtLastError, void);  // returns and keeps
SIMT_API_RETURNING(const char*, cudaGetErrorName, cudaError_t error);
SIMT_API_RETURNING(const char*, cudaGetErrorString, cudaError_t error);

// ---- devices ------------------------------------------------------------------------------------------------------
SIMT_API(cudaGetDeviceCount, int* count);
SIMT_API(cudaGetDevice, int* device);
SIMT_API(cudaSetDevice, int device);
SIMT_API(cudaInitDevice, int device, unsigned int deviceFlags, unsigned int flags);
SIMT_API(cudaSetValidDevices, int* devices, int count);
SIMT_API(cudaChooseDevice, int* device, const struct cudaDeviceProp* wanted);
SIMT_API(cudaGetDeviceProperties, struct cudaDeviceProp* properties, int device);
SIMT_API(cudaDeviceGetAttribute, int* value, enum cudaDeviceAttr attribute, int device);
SIMT_API(cudaDeviceGetPCIBusId, char* id, int length, int device);
SIMT_API(cudaDeviceGetByPCIBusId, int* device, const char* id);
SIMT_API(cudaDeviceSynchronize, void);
SIMT_API(cudaDeviceReset, void);
SIMT_API(cudaSetDeviceFlags, unsigned int flags);
SIMT_API(cudaGetDeviceFlags, unsigned int* flags);
SIMT_API(cudaDeviceGetLimit, size_t* value, enum cudaLimit limit);
SIMT_API(cudaDeviceSetLimit, enum cudaLimit limit, size_t value);
SIMT_API(cudaDeviceGetCacheConfig, enum cudaFuncCache* preference);
SIMT_API(cudaDeviceSetCacheConfig, enum cudaFuncCache preference);
SIMT_API(cudaDeviceGetSharedMemConfig, enum cudaSharedMemConfig* configuration);
SIMT_API(cudaDeviceSetSharedMemConfig, enum cudaSharedMemConfig configuration);
SIMT_API(cudaDeviceGetStreamPriorityRange, int* least, int* greatest);
SIMT_API(cudaDriverGetVersion, int* version);
SIMT_API(cudaRuntimeGetVersion, int* version);
SIMT_API(cudaCtxResetPersistingL2Cache, void);

// ---- peers --------------------------------------------------------------------------------------------------------
SIMT_API(cudaDeviceCanAccessPeer, int* can, int device, int peer);
SIMT_API(cudaDeviceEnablePeerAccess, int peer, unsigned int flags);
SIMT_API(cudaDeviceDisablePeerAccess, int peer);
SIMT_API(cudaDeviceGetP2PAttribute, int* value, enum cudaDeviceP2PAttr attribute, int source, int destination);

// ---- profiler -----------------------------------------------------------------------------------------------------
SIMT_API(cudaProfilerStart, void);
SIMT_API(cudaProfilerStop, void);

// ---- kernels and occupancy ----------------------------------------------------------------------------------------
SIMT_API(cudaFuncGetAttributes, struct cudaFuncAttributes* attributes, const void* kernel);
SIMT_API(cudaFuncSetAttribute, const void* kernel, enum cudaFuncAttribute attribute, int value);
SIMT_API(cudaFuncSetCacheConfig, const void* kernel, enum cudaFuncCache preference);
SIMT_API(cudaFuncSetSharedMemConfig, const void* kernel, enum cudaSharedMemConfig configuration);
SIMT_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int* blocks, const void* kernel, int block_size,
         size_t dynamic_shared_bytes);
SIMT_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int* blocks, const void* kernel, int block_size,
         size_t dynamic_shared_bytes, unsigned int flags);
SIMT_API(cudaOccupancyAvailableDynamicSMemPerBlock, size_t* bytes, const void* kernel, int blocks, int block_size);

// ---- launches -----------------------------------------------------------------------------------------------------
/// `arguments` points to the address of each parameter. The kernel's type must be known: see KernelPointer in simt/kernel_launch.hpp.
SIMT_API(cudaLaunchKernel, const void* kernel, dim3 grid, dim3 block, void** arguments,
         size_t dynamic_shared_bytes SIMT_DEFAULT(0), cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaLaunchCooperativeKernel, const void* kernel, dim3 grid, dim3 block, void** arguments,
         size_t dynamic_shared_bytes SIMT_DEFAULT(0), cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaLaunchKernelExC, const cudaLaunchConfig_t* configuration, const void* kernel, void** arguments);

// ---- kernels of modules, which a program loads while it runs (simcc -cubin, NVRTC) ---------------------------------
SIMT_API(cudaLibraryLoadData, cudaLibrary_t* library, const void* image, enum cudaJitOption* options, void** values,
         unsigned int count, enum cudaLibraryOption* library_options, void** library_values,
         unsigned int library_count);
SIMT_API(cudaLibraryLoadFromFile, cudaLibrary_t* library, const char* path, enum cudaJitOption* options, void** values,
         unsigned int count, enum cudaLibraryOption* library_options, void** library_values,
         unsigned int library_count);
SIMT_API(cudaLibraryUnload, cudaLibrary_t library);
SIMT_API(cudaLibraryGetKernel, cudaKernel_t* kernel, cudaLibrary_t library, const char* name);
SIMT_API(cudaLibraryGetKernelCount, unsigned int* count, cudaLibrary_t library);
SIMT_API(cudaLibraryEnumerateKernels, cudaKernel_t* kernels, unsigned int count, cudaLibrary_t library);
SIMT_API(cudaLibraryGetGlobal, void** address, size_t* bytes, cudaLibrary_t library, const char* name);
SIMT_API(cudaLibraryGetManaged, void** address, size_t* bytes, cudaLibrary_t library, const char* name);
SIMT_API(cudaGetKernel, cudaKernel_t* handle, const void* kernel);
SIMT_API(cudaGetFuncBySymbol, cudaFunction_t* function, const void* kernel);
SIMT_API(cudaFuncGetName, const char** name, const void* kernel);
SIMT_API(cudaFuncGetParamInfo, const void* kernel, size_t index, size_t* offset, size_t* bytes);
SIMT_API(cudaGetDriverEntryPointByVersion, const char* symbol, void** function, unsigned int version,
         unsigned long long flags, enum cudaDriverEntryPointQueryResult* status);
SIMT_API(cudaGetDriverEntryPoint, const char* symbol, void** function, unsigned long long flags,
         enum cudaDriverEntryPointQueryResult* status SIMT_DEFAULT(0));

// ---- device and managed memory -------------------------------------------------------------------------------------
SIMT_API(cudaMalloc, void** pointer, size_t bytes);
SIMT_API(cudaMallocManaged, void** pointer, size_t bytes, unsigned int flags SIMT_DEFAULT(cudaMemAttachGlobal));
SIMT_API(cudaMallocPitch, void** pointer, size_t* pitch, size_t width, size_t height);
SIMT_API(cudaMalloc3D, struct cudaPitchedPtr* pointer, struct cudaExtent extent);
SIMT_API(cudaFree, void* pointer);
SIMT_API(cudaMemGetInfo, size_t* free, size_t* total);

// ---- host memory that the device can reach -------------------------------------------------------------------------
SIMT_API(cudaMallocHost, void** pointer, size_t bytes);
SIMT_API(cudaHostAlloc, void** pointer, size_t bytes, unsigned int flags);
SIMT_API(cudaFreeHost, void* pointer);
SIMT_API(cudaHostRegister, void* pointer, size_t bytes, unsigned int flags);
SIMT_API(cudaHostUnregister, void* pointer);
SIMT_API(cudaHostGetDevicePointer, void** device_pointer, void* host_pointer, unsigned int flags);
SIMT_API(cudaHostGetFlags, unsigned int* flags, void* pointer);
SIMT_API(cudaPointerGetAttributes, struct cudaPointerAttributes* attributes, const void* pointer);

// ---- stream-ordered memory and pools -------------------------------------------------------------------------------
SIMT_API(cudaMallocAsync, void** pointer, size_t bytes, cudaStream_t stream);
SIMT_API(cudaFreeAsync, void* pointer, cudaStream_t stream);
SIMT_API(cudaMallocFromPoolAsync, void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
SIMT_API(cudaMemPoolCreate, cudaMemPool_t* pool, const struct cudaMemPoolProps* properties);
SIMT_API(cudaMemPoolDestroy, cudaMemPool_t pool);
SIMT_API(cudaMemPoolTrimTo, cudaMemPool_t pool, size_t bytes_to_keep);
SIMT_API(cudaMemPoolSetAttribute, cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void* value);
SIMT_API(cudaMemPoolGetAttribute, cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void* value);
SIMT_API(cudaMemPoolSetAccess, cudaMemPool_t pool, const struct cudaMemAccessDesc* descriptions, size_t count);
SIMT_API(cudaMemPoolGetAccess, enum cudaMemAccessFlags* flags, cudaMemPool_t pool, struct cudaMemLocation* location);
SIMT_API(cudaDeviceGetDefaultMemPool, cudaMemPool_t* pool, int device);
SIMT_API(cudaDeviceGetMemPool, cudaMemPool_t* pool, int device);
SIMT_API(cudaDeviceSetMemPool, int device, cudaMemPool_t pool);

// ---- where managed memory should live (hints: every place is the same memory here) ---------------------------------
SIMT_API(cudaMemPrefetchAsync, const void* pointer, size_t bytes, struct cudaMemLocation location, unsigned int flags,
         cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemAdvise, const void* pointer, size_t bytes, enum cudaMemoryAdvise advice,
         struct cudaMemLocation location);
SIMT_API(cudaMemRangeGetAttribute, void* data, size_t data_bytes, enum cudaMemRangeAttribute attribute,
         const void* pointer, size_t bytes);
SIMT_API(cudaStreamAttachMemAsync, cudaStream_t stream, void* pointer, size_t bytes SIMT_DEFAULT(0),
         unsigned int flags SIMT_DEFAULT(cudaMemAttachSingle));

// ---- arrays (width, height and depth in elements) ------------------------------------------------------------------
SIMT_API_RETURNING(struct cudaChannelFormatDesc, cudaCreateChannelDesc, int x, int y, int z, int w,
                   enum cudaChannelFormatKind kind);
SIMT_API(cudaMallocArray, cudaArray_t* array, const struct cudaChannelFormatDesc* format, size_t width,
         size_t height SIMT_DEFAULT(0), unsigned int flags SIMT_DEFAULT(0));
SIMT_API(cudaMalloc3DArray, cudaArray_t* array, const struct cudaChannelFormatDesc* format, struct cudaExtent extent,
         unsigned int flags SIMT_DEFAULT(0));
SIMT_API(cudaFreeArray, cudaArray_t array);
SIMT_API(cudaArrayGetInfo, struct cudaChannelFormatDesc* format, struct cudaExtent* extent, unsigned int* flags,
         cudaArray_t array);
SIMT_API(cudaGetChannelDesc, struct cudaChannelFormatDesc* format, cudaArray_const_t array);

// ---- textures and surfaces -----------------------------------------------------------------------------------------
SIMT_API(cudaCreateTextureObject, cudaTextureObject_t* object, const struct cudaResourceDesc* resource,
         const struct cudaTextureDesc* how, const struct cudaResourceViewDesc* view);
SIMT_API(cudaDestroyTextureObject, cudaTextureObject_t object);
SIMT_API(cudaCreateSurfaceObject, cudaSurfaceObject_t* object, const struct cudaResourceDesc* resource);
SIMT_API(cudaDestroySurfaceObject, cudaSurfaceObject_t object);

// ---- device variables (also as templates in cuda_runtime.h, which know the size) -----------------------------------
SIMT_API(cudaGetSymbolAddress, void** pointer, const void* symbol);
SIMT_API(cudaGetSymbolSize, size_t* bytes, const void* symbol);

// ---- copies and fills ----------------------------------------------------------------------------------------------
// Widths are in bytes, except that cudaMemcpy3D counts elements if an
// array takes part. A range outside its allocation, or a pointer on the wrong side, gives cudaErrorInvalidValue.

SIMT_API(cudaMemcpy, void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpyAsync, void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
         cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemcpy2D, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
         enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpy2DAsync, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
         enum cudaMemcpyKind kind, cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemcpy3D, const struct cudaMemcpy3DParms* parameters);
SIMT_API(cudaMemcpy3DAsync, const struct cudaMemcpy3DParms* parameters, cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemcpy3DPeer, const struct cudaMemcpy3DPeerParms* parameters);
SIMT_API(cudaMemcpy3DPeerAsync, const struct cudaMemcpy3DPeerParms* parameters, cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemcpyPeer, void* to, int to_device, const void* from, int from_device, size_t bytes);
SIMT_API(cudaMemcpyPeerAsync, void* to, int to_device, const void* from, int from_device, size_t bytes,
         cudaStream_t stream SIMT_DEFAULT(0));

SIMT_API(cudaMemcpyToSymbol, const void* symbol, const void* from, size_t bytes, size_t offset SIMT_DEFAULT(0),
         enum cudaMemcpyKind kind SIMT_DEFAULT(cudaMemcpyHostToDevice));
SIMT_API(cudaMemcpyFromSymbol, void* to, const void* symbol, size_t bytes, size_t offset SIMT_DEFAULT(0),
         enum cudaMemcpyKind kind SIMT_DEFAULT(cudaMemcpyDeviceToHost));
SIMT_API(cudaMemcpyToSymbolAsync, const void* symbol, const void* from, size_t bytes, size_t offset,
         enum cudaMemcpyKind kind, cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemcpyFromSymbolAsync, void* to, const void* symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind,
         cudaStream_t stream SIMT_DEFAULT(0));

SIMT_API(cudaMemset, void* to, int value, size_t bytes);
SIMT_API(cudaMemsetAsync, void* to, int value, size_t bytes, cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemset2D, void* to, size_t pitch, int value, size_t width, size_t height);
SIMT_API(cudaMemset2DAsync, void* to, size_t pitch, int value, size_t width, size_t height,
         cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemset3D, struct cudaPitchedPtr to, int value, struct cudaExtent extent);
SIMT_API(cudaMemset3DAsync, struct cudaPitchedPtr to, int value, struct cudaExtent extent,
         cudaStream_t stream SIMT_DEFAULT(0));

/// Arrays: x_bytes and width are bytes, y and height are rows.
SIMT_API(cudaMemcpy2DToArray, cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width,
         size_t height, enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpy2DToArrayAsync, cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch,
         size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemcpy2DFromArray, void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, size_t width,
         size_t height, enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpy2DFromArrayAsync, void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
         size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemcpy2DArrayToArray, cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
         size_t from_x_bytes, size_t from_y, size_t width, size_t height,
         enum cudaMemcpyKind kind SIMT_DEFAULT(cudaMemcpyDeviceToDevice));
SIMT_API(cudaMemcpyToArray, cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t bytes,
         enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpyFromArray, void* to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes,
         enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpyToArrayAsync, cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t bytes,
         enum cudaMemcpyKind kind, cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemcpyFromArrayAsync, void* to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes,
         enum cudaMemcpyKind kind, cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaMemcpyArrayToArray, cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
         size_t from_x_bytes, size_t from_y, size_t bytes,
         enum cudaMemcpyKind kind SIMT_DEFAULT(cudaMemcpyDeviceToDevice));

// ---- texture and surface references --------------------------------------------------------------------------------
// Textures need aligned memory. `offset` receives the bytes from the aligned address to `memory`, which the program must
// add to its coordinates; if it is null, memory that is not aligned is an error. Width and height are texels.
#ifdef __cplusplus
namespace simt {
const size_t whole_allocation = 0xffffffff;  // the default size: up to the end of the allocation
}
SIMT_API(cudaBindTexture, size_t* offset, const textureReference* texture, const void* memory,
         const cudaChannelFormatDesc* format, size_t bytes = simt::whole_allocation);
SIMT_API(cudaBindTexture2D, size_t* offset, const textureReference* texture, const void* memory,
         const cudaChannelFormatDesc* format, size_t width, size_t height, size_t pitch);
SIMT_API(cudaBindTextureToArray, const textureReference* texture, cudaArray_const_t array,
         const cudaChannelFormatDesc* format);
SIMT_API(cudaUnbindTexture, const textureReference* texture);
SIMT_API(cudaGetTextureAlignmentOffset, size_t* offset, const textureReference* texture);
SIMT_API(cudaBindSurfaceToArray, const surfaceReference* surface, cudaArray_const_t array,
         const cudaChannelFormatDesc* format);
#endif

// ---- streams ------------------------------------------------------------------------------------------------------
SIMT_API(cudaStreamCreate, cudaStream_t* stream);
SIMT_API(cudaStreamCreateWithFlags, cudaStream_t* stream, unsigned int flags);
SIMT_API(cudaStreamCreateWithPriority, cudaStream_t* stream, unsigned int flags, int priority);
SIMT_API(cudaStreamDestroy, cudaStream_t stream);  // work already in the stream still runs
SIMT_API(cudaStreamSynchronize, cudaStream_t stream);
SIMT_API(cudaStreamQuery, cudaStream_t stream);  // cudaErrorNotReady while work remains
SIMT_API(cudaStreamWaitEvent, cudaStream_t stream, cudaEvent_t event, unsigned int flags SIMT_DEFAULT(0));
SIMT_API(cudaStreamGetFlags, cudaStream_t stream, unsigned int* flags);
SIMT_API(cudaStreamGetPriority, cudaStream_t stream, int* priority);
SIMT_API(cudaStreamGetId, cudaStream_t stream, unsigned long long* id);
SIMT_API(cudaStreamGetDevice, cudaStream_t stream, int* device);
SIMT_API(cudaStreamGetAttribute, cudaStream_t stream, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue* value);
SIMT_API(cudaStreamSetAttribute, cudaStream_t stream, cudaLaunchAttributeID attribute,
         const cudaLaunchAttributeValue* value);
SIMT_API(cudaStreamCopyAttributes, cudaStream_t to, cudaStream_t from);

/// Host functions run in stream order; they must not call the runtime API (cudaErrorNotPermitted).
SIMT_API(cudaLaunchHostFunc, cudaStream_t stream, cudaHostFn_t function, void* data);
SIMT_API(cudaStreamAddCallback, cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned int flags);

// ---- events -------------------------------------------------------------------------------------------------------
SIMT_API(cudaEventCreateWithFlags, cudaEvent_t* event, unsigned int flags);
SIMT_API(cudaEventCreate, cudaEvent_t* event);
SIMT_API(cudaEventDestroy, cudaEvent_t event);
SIMT_API(cudaEventRecord, cudaEvent_t event, cudaStream_t stream SIMT_DEFAULT(0));
SIMT_API(cudaEventRecordWithFlags, cudaEvent_t event, cudaStream_t stream SIMT_DEFAULT(0),
         unsigned int flags SIMT_DEFAULT(0));
SIMT_API(cudaEventSynchronize, cudaEvent_t event);
SIMT_API(cudaEventQuery, cudaEvent_t event);  // cudaErrorNotReady until the event is reached
SIMT_API(cudaEventElapsedTime, float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// ---- memory and events of several processes ------------------------------------------------------------------------
SIMT_API(cudaIpcGetMemHandle, cudaIpcMemHandle_t* handle, void* memory);  // the start of an allocation by cudaMalloc
SIMT_API(cudaIpcOpenMemHandle, void** memory, cudaIpcMemHandle_t handle, unsigned int flags);
SIMT_API(cudaIpcCloseMemHandle, void* memory);
SIMT_API(cudaIpcGetEventHandle, cudaIpcEventHandle_t* handle, cudaEvent_t event);
SIMT_API(cudaIpcOpenEventHandle, cudaEvent_t* event, cudaIpcEventHandle_t handle);

// ---- capture ------------------------------------------------------------------------------------------------------
SIMT_API(cudaStreamBeginCapture, cudaStream_t stream, enum cudaStreamCaptureMode mode);
SIMT_API(cudaStreamBeginCaptureToGraph, cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
         const cudaGraphEdgeData* edges, size_t dependency_count, enum cudaStreamCaptureMode mode);
SIMT_API(cudaStreamEndCapture, cudaStream_t stream, cudaGraph_t* graph);
SIMT_API(cudaStreamIsCapturing, cudaStream_t stream, enum cudaStreamCaptureStatus* status);
SIMT_API(cudaStreamGetCaptureInfo, cudaStream_t stream, enum cudaStreamCaptureStatus* status,
         unsigned long long* id SIMT_DEFAULT(0), cudaGraph_t* graph SIMT_DEFAULT(0),
         const cudaGraphNode_t** dependencies SIMT_DEFAULT(0), const cudaGraphEdgeData** edges SIMT_DEFAULT(0),
         size_t* dependency_count SIMT_DEFAULT(0));
SIMT_API(cudaStreamUpdateCaptureDependencies, cudaStream_t stream, cudaGraphNode_t* dependencies,
         const cudaGraphEdgeData* edges, size_t dependency_count, unsigned int flags SIMT_DEFAULT(0));
SIMT_API(cudaThreadExchangeStreamCaptureMode, enum cudaStreamCaptureMode* mode);

// ---- building graphs -----------------------------------------------------------------------------------------------
#define SIMT_NEW_NODE cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count
SIMT_API(cudaGraphCreate, cudaGraph_t* graph, unsigned int flags);
SIMT_API(cudaGraphDestroy, cudaGraph_t graph);
SIMT_API(cudaGraphClone, cudaGraph_t* clone, cudaGraph_t original);
SIMT_API(cudaGraphAddNode, cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
         const cudaGraphEdgeData* edges, size_t count, struct cudaGraphNodeParams* parameters);
SIMT_API(cudaGraphAddKernelNode, SIMT_NEW_NODE, const struct cudaKernelNodeParams* parameters);
SIMT_API(cudaGraphAddMemcpyNode, SIMT_NEW_NODE, const struct cudaMemcpy3DParms* parameters);
SIMT_API(cudaGraphAddMemcpyNode1D, SIMT_NEW_NODE, void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind);
SIMT_API(cudaGraphAddMemsetNode, SIMT_NEW_NODE, const struct cudaMemsetParams* parameters);
SIMT_API(cudaGraphAddHostNode, SIMT_NEW_NODE, const struct cudaHostNodeParams* parameters);
SIMT_API(cudaGraphAddChildGraphNode, SIMT_NEW_NODE, cudaGraph_t child);
SIMT_API(cudaGraphAddEmptyNode, SIMT_NEW_NODE);
SIMT_API(cudaGraphAddEventRecordNode, SIMT_NEW_NODE, cudaEvent_t event);
SIMT_API(cudaGraphAddEventWaitNode, SIMT_NEW_NODE, cudaEvent_t event);
SIMT_API(cudaGraphAddMemAllocNode, SIMT_NEW_NODE, struct cudaMemAllocNodeParams* parameters);
SIMT_API(cudaGraphAddMemFreeNode, SIMT_NEW_NODE, void* pointer);
SIMT_API(cudaGraphMemAllocNodeGetParams, cudaGraphNode_t node, struct cudaMemAllocNodeParams* parameters);
SIMT_API(cudaGraphMemFreeNodeGetParams, cudaGraphNode_t node, void* pointer);  // `pointer` points to a pointer
SIMT_API(cudaDeviceGetGraphMemAttribute, int device, enum cudaGraphMemAttributeType attribute, void* value);
SIMT_API(cudaDeviceSetGraphMemAttribute, int device, enum cudaGraphMemAttributeType attribute, void* value);
SIMT_API(cudaDeviceGraphMemTrim, int device);
SIMT_API(cudaGraphConditionalHandleCreate, cudaGraphConditionalHandle* handle, cudaGraph_t graph,
         unsigned int default_value SIMT_DEFAULT(0), unsigned int flags SIMT_DEFAULT(0));
SIMT_API(cudaGraphAddDependencies, cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
         const cudaGraphEdgeData* edges, size_t count);
SIMT_API(cudaGraphDestroyNode, cudaGraphNode_t node);

// ---- querying a graph: with a null array, only the count is returned -----------------------------------------------
SIMT_API(cudaGraphGetNodes, cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
SIMT_API(cudaGraphGetRootNodes, cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
SIMT_API(cudaGraphGetEdges, cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
         size_t* count);
SIMT_API(cudaGraphNodeGetType, cudaGraphNode_t node, enum cudaGraphNodeType* type);
SIMT_API(cudaGraphNodeGetDependencies, cudaGraphNode_t node, cudaGraphNode_t* dependencies, cudaGraphEdgeData* edges,
         size_t* count);
SIMT_API(cudaGraphKernelNodeGetParams, cudaGraphNode_t node, struct cudaKernelNodeParams* parameters);
SIMT_API(cudaGraphKernelNodeSetParams, cudaGraphNode_t node, const struct cudaKernelNodeParams* parameters);
SIMT_API(cudaGraphHostNodeSetParams, cudaGraphNode_t node, const struct cudaHostNodeParams* parameters);
SIMT_API(cudaGraphHostNodeGetParams, cudaGraphNode_t node, struct cudaHostNodeParams* parameters);
SIMT_API(cudaGraphMemcpyNodeGetParams, cudaGraphNode_t node, struct cudaMemcpy3DParms* parameters);
SIMT_API(cudaGraphMemcpyNodeSetParams, cudaGraphNode_t node, const struct cudaMemcpy3DParms* parameters);
SIMT_API(cudaGraphMemcpyNodeSetParams1D, cudaGraphNode_t node, void* to, const void* from, size_t bytes,
         enum cudaMemcpyKind kind);
SIMT_API(cudaGraphMemsetNodeGetParams, cudaGraphNode_t node, struct cudaMemsetParams* parameters);
SIMT_API(cudaGraphNodeSetParams, cudaGraphNode_t node, struct cudaGraphNodeParams* parameters);
SIMT_API(cudaGraphMemsetNodeSetParams, cudaGraphNode_t node, const struct cudaMemsetParams* parameters);
SIMT_API(cudaGraphDebugDotPrint, cudaGraph_t graph, const char* path, unsigned int flags);

// ---- running -------------------------------------------------------------------------------------------------------
SIMT_API(cudaGraphInstantiate, cudaGraphExec_t* executable, cudaGraph_t graph,
         unsigned long long flags SIMT_DEFAULT(0));
SIMT_API(cudaGraphInstantiateWithFlags, cudaGraphExec_t* executable, cudaGraph_t graph,
         unsigned long long flags SIMT_DEFAULT(0));
SIMT_API(cudaGraphInstantiateWithParams, cudaGraphExec_t* executable, cudaGraph_t graph,
         cudaGraphInstantiateParams* parameters);
SIMT_API(cudaGraphExecDestroy, cudaGraphExec_t executable);
SIMT_API(cudaGraphUpload, cudaGraphExec_t executable, cudaStream_t stream);
SIMT_API(cudaGraphLaunch, cudaGraphExec_t executable, cudaStream_t stream);
SIMT_API(cudaGraphExecUpdate, cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* result);
SIMT_API(cudaGraphExecKernelNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,
         const struct cudaKernelNodeParams* parameters);
SIMT_API(cudaGraphExecHostNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,
         const struct cudaHostNodeParams* parameters);
SIMT_API(cudaGraphExecNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,
         struct cudaGraphNodeParams* parameters);
SIMT_API(cudaGraphExecMemcpyNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,
         const struct cudaMemcpy3DParms* parameters);
SIMT_API(cudaGraphExecMemcpyNodeSetParams1D, cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
         const void* from, size_t bytes, enum cudaMemcpyKind kind);
SIMT_API(cudaGraphExecMemsetNodeSetParams, cudaGraphExec_t executable, cudaGraphNode_t node,
         const struct cudaMemsetParams* parameters);
SIMT_API(cudaGraphNodeSetEnabled, cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int enabled);
SIMT_API(cudaGraphNodeGetEnabled, cudaGraphExec_t executable, cudaGraphNode_t node, unsigned int* enabled);
#undef SIMT_NEW_NODE

// ---- older forms ---------------------------------------------------------------------------------------------------
// Functions from CUDA 11 and 12 that CUDA 13 changed: overloads let old and new programs compile.
#if defined(__cplusplus) && __cplusplus >= 201103L

namespace simt {

/// Before CUDA 13 a device number named the location; cudaCpuDeviceId meant the host.
inline cudaMemLocation memory_location(int device) {
    return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device};
}

}  // namespace simt

inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device,
                                        cudaStream_t stream SIMT_DEFAULT(0)) {
    return cudaMemPrefetchAsync(pointer, bytes, simt::memory_location(device), 0, stream);
}
inline cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, size_t bytes, cudaMemLocation location,
                                           unsigned int flags, cudaStream_t stream SIMT_DEFAULT(0)) {
    return cudaMemPrefetchAsync(pointer, bytes, location, flags, stream);
}
inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
    return cudaMemAdvise(pointer, bytes, advice, simt::memory_location(device));
}
inline cudaError_t cudaMemAdvise_v2(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                                    cudaMemLocation location) {
    return cudaMemAdvise(pointer, bytes, advice, location);
}

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                        char* log, size_t log_bytes) {
    if (error_node) *error_node SIMT_DEFAULT(0);
    if (log && log_bytes > 0) *log = '\0';
    return cudaGraphInstantiate(executable, graph, 0ULL);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* error_node,
                                       cudaGraphExecUpdateResult* result) {
    cudaGraphExecUpdateResultInfo info = {};
    const cudaError_t error = cudaGraphExecUpdate(executable, graph, &info);
    if (error_node) *error_node = info.errorNode;
    if (result) *result = info.result;
    return error;
}
inline cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    size_t count, cudaGraphNodeParams* parameters) {
    return cudaGraphAddNode(node, graph, dependencies, nullptr, count, parameters);
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                            size_t count) {
    return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count) {
    return cudaGraphGetEdges(graph, from, to, nullptr, count);
}
inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies, size_t* count) {
    return cudaGraphNodeGetDependencies(node, dependencies, nullptr, count);
}
inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                            unsigned long long* id, cudaGraph_t* graph,
                                            const cudaGraphNode_t** dependencies, size_t* dependency_count) {
    return cudaStreamGetCaptureInfo(stream, status, id, graph, dependencies, nullptr, dependency_count);
}
inline cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                       size_t dependency_count, unsigned int flags) {
    return cudaStreamUpdateCaptureDependencies(stream, dependencies, nullptr, dependency_count, flags);
}
inline cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return cudaEventElapsedTime(milliseconds, start, end);
}

#endif

/// CUDA 10 and earlier said thread where CUDA now says device.
#define SIMT_OLD SIMT_INLINE cudaError_t
SIMT_OLD cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
SIMT_OLD cudaThreadExit(void) { return cudaDeviceReset(); }
SIMT_OLD cudaThreadGetLimit(size_t* value, enum cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
SIMT_OLD cudaThreadSetLimit(enum cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
SIMT_OLD cudaThreadSetCacheConfig(enum cudaFuncCache preference) { return cudaDeviceSetCacheConfig(preference); }
#undef SIMT_OLD
