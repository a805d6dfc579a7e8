// SPDX-License-Identifier: MIT
// The part of the driver API that can be built on the runtime API: devices, contexts, memory, streams, events; simcc(1)
// lists it. Loading modules needs compiled GPU code, which the simulator does not have.
#pragma once
#define CUDA_VERSION 13000
#define __cuda_cuda_h__  // programs test for it

#include "cuda_runtime_api.h"

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;

// A driver error has the number of the runtime error with the same meaning.
#define SIMT_DRIVER_RESULTS(X)                                                                                      \
    X(CUDA_SUCCESS, 0)                                                                                              \
    X(CUDA_ERROR_INVALID_VALUE, 1) X(CUDA_ERROR_OUT_OF_MEMORY, 2) X(CUDA_ERROR_NOT_INITIALIZED, 3)                  \
        X(CUDA_ERROR_DEINITIALIZED, 4) X(CUDA_ERROR_NO_DEVICE, 100) X(CUDA_ERROR_INVALID_DEVICE, 101)               \
            X(CUDA_ERROR_INVALID_IMAGE, 200) X(CUDA_ERROR_INVALID_CONTEXT, 201) X(CUDA_ERROR_INVALID_HANDLE, 400)   \
                X(CUDA_ERROR_NOT_FOUND, 500) X(CUDA_ERROR_NOT_READY, 600) X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)        \
                    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                    \
                        X(CUDA_ERROR_ASSERT, 710) X(CUDA_ERROR_LAUNCH_FAILED, 719) X(CUDA_ERROR_NOT_PERMITTED, 800) \
                            X(CUDA_ERROR_NOT_SUPPORTED, 801) X(CUDA_ERROR_UNKNOWN, 999)
#define SIMT_ENUMERATOR(name, value) name = value,
typedef enum cudaError_enum { SIMT_DRIVER_RESULTS(SIMT_ENUMERATOR) } CUresult;
#undef SIMT_ENUMERATOR

typedef enum cudaDeviceAttr CUdevice_attribute;
#define CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK cudaDevAttrMaxThreadsPerBlock
#define CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X cudaDevAttrMaxBlockDimX
#define CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X cudaDevAttrMaxGridDimX
#define CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK cudaDevAttrMaxSharedMemoryPerBlock
#define CU_DEVICE_ATTRIBUTE_WARP_SIZE cudaDevAttrWarpSize
#define CU_DEVICE_ATTRIBUTE_CLOCK_RATE cudaDevAttrClockRate
#define CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE cudaDevAttrMemoryClockRate
#define CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH cudaDevAttrGlobalMemoryBusWidth
#define CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE cudaDevAttrL2CacheSize
#define CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT cudaDevAttrMultiProcessorCount
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR cudaDevAttrComputeCapabilityMajor
#define CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR cudaDevAttrComputeCapabilityMinor
#define CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING cudaDevAttrUnifiedAddressing
#define CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH cudaDevAttrCooperativeLaunch
#define CU_STREAM_DEFAULT cudaStreamDefault
#define CU_STREAM_NON_BLOCKING cudaStreamNonBlocking
#define CU_EVENT_DEFAULT cudaEventDefault

namespace simt {

inline CUresult driver_result(cudaError_t error) { return static_cast<CUresult>(error); }
inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

/// There is one context per device: its handle is the device's number plus one.
inline CUcontext context_of(CUdevice device) { return reinterpret_cast<CUcontext>(device + 1LL); }
inline CUdevice device_of(CUcontext context) { return static_cast<CUdevice>(reinterpret_cast<long long>(context)) - 1; }

}  // namespace simt

inline CUresult cuInit(unsigned int flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
inline CUresult cuDriverGetVersion(int* version) { return simt::driver_result(cudaDriverGetVersion(version)); }
inline CUresult cuDeviceGetCount(int* count) { return simt::driver_result(cudaGetDeviceCount(count)); }
inline CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    *device = ordinal;
    int warp_size = 0;
    return simt::driver_result(cudaDeviceGetAttribute(&warp_size, cudaDevAttrWarpSize, ordinal));
}
inline CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return simt::driver_result(cudaDeviceGetAttribute(value, attribute, device));
}
inline CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess && length > 0) {
        __builtin_strncpy(name, properties.name, static_cast<size_t>(length));
        name[length - 1] = '\0';
    }
    return simt::driver_result(error);
}
inline CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess) *bytes = properties.totalGlobalMem;
    return simt::driver_result(error);
}
inline CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
    cudaDeviceProp properties;
    const cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess) *uuid = properties.uuid;
    return simt::driver_result(error);
}

inline CUresult cuCtxSetCurrent(CUcontext context) {
    return simt::driver_result(cudaSetDevice(simt::device_of(context)));
}
inline CUresult cuCtxCreate(CUcontext* context, unsigned int, CUdevice device) {
    *context = simt::context_of(device);
    return cuCtxSetCurrent(*context);
}
struct CUctxCreateParams;
inline CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams* parameters, unsigned int flags, CUdevice device) {
    return parameters ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate(context, flags, device);
}
inline CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    *context = simt::context_of(device);
    return CUDA_SUCCESS;
}
inline CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
inline CUresult cuCtxDestroy(CUcontext) { return simt::driver_result(cudaDeviceSynchronize()); }
inline CUresult cuCtxSynchronize() { return simt::driver_result(cudaDeviceSynchronize()); }
inline CUresult cuCtxGetDevice(CUdevice* device) { return simt::driver_result(cudaGetDevice(device)); }

inline CUresult cuMemGetInfo(size_t* free, size_t* total) { return simt::driver_result(cudaMemGetInfo(free, total)); }
inline CUresult cuMemAlloc(CUdeviceptr* address, size_t bytes) {
    void* allocated = nullptr;
    const cudaError_t error = bytes ? cudaMalloc(&allocated, bytes) : cudaErrorInvalidValue;
    *address = reinterpret_cast<CUdeviceptr>(allocated);
    return simt::driver_result(error);
}
inline CUresult cuMemFree(CUdeviceptr address) { return simt::driver_result(cudaFree(simt::pointer(address))); }
inline CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
    return simt::driver_result(cudaMemcpy(simt::pointer(to), from, bytes, cudaMemcpyHostToDevice));
}
inline CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
    return simt::driver_result(cudaMemcpy(to, simt::pointer(from), bytes, cudaMemcpyDeviceToHost));
}
inline CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
    return simt::driver_result(cudaMemcpy(simt::pointer(to), simt::pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
inline CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t bytes) {
    return simt::driver_result(cudaMemset(simt::pointer(to), value, bytes));
}

inline CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
    return simt::driver_result(cudaStreamCreateWithFlags(stream, flags));
}
inline CUresult cuStreamSynchronize(CUstream stream) { return simt::driver_result(cudaStreamSynchronize(stream)); }
inline CUresult cuStreamDestroy(CUstream stream) { return simt::driver_result(cudaStreamDestroy(stream)); }
inline CUresult cuEventCreate(CUevent* event, unsigned int flags) {
    return simt::driver_result(cudaEventCreateWithFlags(event, flags));
}
inline CUresult cuEventRecord(CUevent event, CUstream stream) {
    return simt::driver_result(cudaEventRecord(event, stream));
}
inline CUresult cuEventSynchronize(CUevent event) { return simt::driver_result(cudaEventSynchronize(event)); }
inline CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
    return simt::driver_result(cudaEventElapsedTime(milliseconds, start, end));
}
inline CUresult cuEventDestroy(CUevent event) { return simt::driver_result(cudaEventDestroy(event)); }

inline CUresult cuGetErrorString(CUresult result, const char** text) {
    *text = cudaGetErrorString(static_cast<cudaError_t>(result));
    return CUDA_SUCCESS;
}
inline CUresult cuGetErrorName(CUresult result, const char** name) {
#define SIMT_NAME(name_, value) \
    if (result == name_) return *name = #name_, CUDA_SUCCESS;
    SIMT_DRIVER_RESULTS(SIMT_NAME)
#undef SIMT_NAME
    *name = nullptr;
    return CUDA_ERROR_INVALID_VALUE;
}
