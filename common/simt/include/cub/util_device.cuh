// SPDX-License-Identifier: MIT
#ifndef SIMT_CUB_UTIL_DEVICE
#define SIMT_CUB_UTIL_DEVICE

#include "util_debug.cuh"
#include "util_macro.cuh"

CUB_NAMESPACE_OPEN

inline int CurrentDevice() {
    int device = -1;
    return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}
inline int DeviceCount() {
    int count = -1;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : -1;
}
/// The device's compute capability: 900 is 9.0.
inline cudaError_t SmVersion(int& sm_version, int device = CurrentDevice()) {
    int major = 0, minor = 0;
    cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    sm_version = 100 * major + 10 * minor;
    return error;
}
inline cudaError_t PtxVersion(int& ptx_version) { return SmVersion(ptx_version); }
inline cudaError_t PtxVersion(int& ptx_version, int device) { return SmVersion(ptx_version, device); }
inline cudaError_t SyncStream(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

template <typename KernelPtr>
cudaError_t MaxSmOccupancy(int& max_sm_occupancy, KernelPtr kernel, int block_threads, int dynamic_smem_bytes = 0) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&max_sm_occupancy, kernel, block_threads, dynamic_smem_bytes);
}

CUB_NAMESPACE_CLOSE
#endif

#ifdef THRUST_VERSION
#include_next <cub/util_device.cuh>
#endif
