// SPDX-License-Identifier: MIT
// Forms of runtime functions from CUDA 11 and 12 that CUDA 13 changed: overloads let old and new programs compile.
#pragma once

#include "simt/copy_api.h"
#include "simt/device_api.h"
#include "simt/graph_api.h"
#include "simt/memory_api.h"
#include "simt/stream_api.h"

namespace simt {

// Before CUDA 13 a device number named the location; cudaCpuDeviceId meant the host.
inline cudaMemLocation memory_location(int device) {
    return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device};
}

}  // namespace simt

inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream = nullptr) {
    return cudaMemPrefetchAsync(pointer, bytes, simt::memory_location(device), 0, stream);
}
inline cudaError_t cudaMemPrefetchAsync_v2(const void* pointer, size_t bytes, cudaMemLocation location,
                                           unsigned int flags, cudaStream_t stream = nullptr) {
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
    if (error_node) *error_node = nullptr;
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
inline cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    return cudaEventElapsedTime(milliseconds, start, end);
}

// CUDA 10 and earlier said thread where CUDA now says device.
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
inline cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
inline cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache preference) { return cudaDeviceSetCacheConfig(preference); }
