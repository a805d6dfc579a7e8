// SPDX-License-Identifier: MIT
// The runtime API for allocating memory and describing it. All sizes are bytes unless said otherwise.
#pragma once

#include "driver_types.h"
#include "simt/declare.h"
#include "texture_types.h"

// ---- device and managed memory -------------------------------------------------------------------------------------
SIMT_API(cudaMalloc, void** pointer, size_t bytes);
SIMT_API(cudaMallocManaged, void** pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal);
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
         cudaStream_t stream = nullptr);
SIMT_API(cudaMemAdvise, const void* pointer, size_t bytes, enum cudaMemoryAdvise advice,
         struct cudaMemLocation location);
SIMT_API(cudaMemRangeGetAttribute, void* data, size_t data_bytes, enum cudaMemRangeAttribute attribute,
         const void* pointer, size_t bytes);
SIMT_API(cudaStreamAttachMemAsync, cudaStream_t stream, void* pointer, size_t bytes = 0,
         unsigned int flags = cudaMemAttachSingle);

// ---- arrays (width, height and depth in elements) ------------------------------------------------------------------
SIMT_API_RETURNING(struct cudaChannelFormatDesc, cudaCreateChannelDesc, int x, int y, int z, int w,
                   enum cudaChannelFormatKind kind);
SIMT_API(cudaMallocArray, cudaArray_t* array, const struct cudaChannelFormatDesc* format, size_t width,
         size_t height = 0, unsigned int flags = 0);
SIMT_API(cudaMalloc3DArray, cudaArray_t* array, const struct cudaChannelFormatDesc* format, struct cudaExtent extent,
         unsigned int flags = 0);
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
