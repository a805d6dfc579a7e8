// SPDX-License-Identifier: MIT
// Graph nodes that allocate and free memory.
#include "common/simt/runtime/graph_memory.hpp"

#include <cstdint>

#include "common/simt/api/error.hpp"
#include "common/simt/api/graph.hpp"
#include "common/simt/runtime/device.hpp"

using namespace simt;

namespace simt {

// The operation's work only holds the memory, so that it is there as long as the node and its launches.
cudaError_t allocation_operation(cudaMemAllocNodeParams* parameters, Operation& operation) {
    if (!parameters || parameters->bytesize == 0) return cudaErrorInvalidValue;
    if (parameters->poolProps.allocType != cudaMemAllocationTypePinned) return cudaErrorInvalidValue;
    if (parameters->poolProps.location.type != cudaMemLocationTypeDevice) return cudaErrorNotSupported;
    const int device = parameters->poolProps.location.id;
    if (!runtime().has_device(device)) return cudaErrorInvalidDevice;
    auto memory = GraphMemory::allocate(parameters->bytesize, device);
    if (!memory) return cudaErrorMemoryAllocation;
    parameters->dptr = memory->pointer;
    operation = {cudaGraphNodeTypeMemAlloc, [memory] { return 0; }, *parameters};
    operation.memory = memory;
    return cudaSuccess;
}

cudaError_t free_operation(void* pointer, Operation& operation) {
    auto memory = find_graph_memory(pointer);
    if (!memory) return cudaErrorInvalidValue;
    operation = {cudaGraphNodeTypeMemFree, [memory] { return 0; }, cudaMemFreeNodeParams{pointer}};
    operation.memory = memory;
    return cudaSuccess;
}

}  // namespace simt

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, cudaMemAllocNodeParams* parameters) {
    return add_node(node, graph, dependencies, count,
                    [=](Operation& operation) { return allocation_operation(parameters, operation); });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                    size_t count, void* pointer) {
    return add_node(node, graph, dependencies, count,
                    [=](Operation& operation) { return free_operation(pointer, operation); });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    return api([=] {
        if (!runtime().has_device(device)) return cudaErrorInvalidDevice;
        if (!value || attribute < 0 || attribute > cudaGraphMemAttrReservedMemHigh) return cudaErrorInvalidValue;
        *static_cast<uint64_t*>(value) = graph_memory_bytes(device, attribute);
        return cudaSuccess;
    });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
    return api([=] {
        if (!runtime().has_device(device)) return cudaErrorInvalidDevice;
        const bool is_most = attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
        if (!value || !is_most || *static_cast<uint64_t*>(value) != 0) return cudaErrorInvalidValue;
        forget_most_graph_memory(device, attribute);
        return cudaSuccess;
    });
}

// Graphs hold no more memory than they use.
cudaError_t cudaDeviceGraphMemTrim(int device) {
    return api([=] { return runtime().has_device(device) ? cudaSuccess : cudaErrorInvalidDevice; });
}
