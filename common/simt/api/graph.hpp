// SPDX-License-Identifier: MIT
// Turns the API's parameters for graph nodes into operations. Each function fills in the operation or returns an error.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/graph.hpp"

namespace simt {

cudaError_t kernel_operation(const cudaKernelNodeParams* parameters, Operation& operation);
cudaError_t copy_operation(const cudaMemcpy3DParms* parameters, Operation& operation);
cudaError_t copy_operation(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Operation& operation);
cudaError_t fill_operation(const cudaMemsetParams* parameters, Operation& operation);
cudaError_t host_operation(const cudaHostNodeParams* parameters, Operation& operation);
cudaError_t operation_of(const cudaGraphNodeParams* parameters, Operation& operation);
cudaError_t allocation_operation(cudaMemAllocNodeParams* parameters, Operation& operation);
cudaError_t free_operation(void* pointer, Operation& operation);
cudaError_t event_record_operation(cudaEvent_t event, Operation& operation);
cudaError_t event_wait_operation(cudaEvent_t event, Operation& operation);

/// Graphs and executable graphs by handle.
std::shared_ptr<Graph> find_graph(cudaGraph_t handle);
cudaGraph_t add_graph(std::shared_ptr<Graph> graph);
bool remove_graph(cudaGraph_t handle);

/// A node's handle is its address.
inline GraphNode* node_of(cudaGraphNode_t handle) { return reinterpret_cast<GraphNode*>(handle); }
inline cudaGraphNode_t handle_of(GraphNode* node) { return reinterpret_cast<cudaGraphNode_t>(node); }

/// Adds a node. `make` fills in its operation, and `finish` may complete the node.
template <typename Make, typename Finish>
cudaError_t add_node(cudaGraphNode_t* handle, cudaGraph_t graph_handle, const cudaGraphNode_t* dependencies,
                     size_t count, Make make, Finish finish) {
    return api([&] {
        const auto graph = find_graph(graph_handle);
        if (!handle || !graph || (count > 0 && !dependencies)) return cudaErrorInvalidValue;
        std::vector<GraphNode*> predecessors;
        for (size_t i = 0; i < count; ++i) predecessors.push_back(node_of(dependencies[i]));
        for (const GraphNode* node : predecessors) {
            if (!graph->owns(node)) return cudaErrorInvalidValue;
        }
        Operation operation;
        if (const cudaError_t error = make(operation)) return error;
        GraphNode* const node = graph->add(std::move(operation), std::move(predecessors));
        finish(*node);
        *handle = handle_of(node);
        return cudaSuccess;
    });
}

template <typename Make>
cudaError_t add_node(cudaGraphNode_t* handle, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                     Make make) {
    return add_node(handle, graph, dependencies, count, make, [](GraphNode&) {});
}

cudaError_t add_conditional_node(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 size_t count, cudaConditionalNodeParams& parameters);

}  // namespace simt
