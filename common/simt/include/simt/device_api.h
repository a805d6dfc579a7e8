// SPDX-License-Identifier: MIT
// The runtime API for devices, errors, kernels' attributes and occupancy.
// Every function returns an error code, which the calling thread also remembers for cudaGetLastError.
#pragma once

#include "driver_types.h"
#include "simt/declare.h"

#define CUDART_VERSION 13000

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
// `arguments` points to the address of each parameter. The kernel's type must be known: see simt/kernel_pointer.hpp.
SIMT_API(cudaLaunchKernel, const void* kernel, dim3 grid, dim3 block, void** arguments, size_t dynamic_shared_bytes = 0,
         cudaStream_t stream = nullptr);
SIMT_API(cudaLaunchCooperativeKernel, const void* kernel, dim3 grid, dim3 block, void** arguments,
         size_t dynamic_shared_bytes = 0, cudaStream_t stream = nullptr);
SIMT_API(cudaLaunchKernelExC, const cudaLaunchConfig_t* configuration, const void* kernel, void** arguments);
