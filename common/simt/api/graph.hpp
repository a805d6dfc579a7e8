// SPDX-License-Identifier: MIT
// Turns the API's parameters for graph nodes into operations. Each function fills in the operation or returns an error.
#pragma once

#include <memory>

#include "common/simt/runtime/graph.hpp"

namespace simt {

cudaError_t kernel_operation(const cudaKernelNodeParams* parameters, Operation& operation);
cudaError_t copy_operation(const cudaMemcpy3DParms* parameters, Operation& operation);
cudaError_t copy_operation(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Operation& operation);
cudaError_t fill_operation(const cudaMemsetParams* parameters, Operation& operation);
cudaError_t host_operation(const cudaHostNodeParams* parameters, Operation& operation);
cudaError_t operation_of(const cudaGraphNodeParams* parameters, Operation& operation);
cudaError_t event_record_operation(cudaEvent_t event, Operation& operation);
cudaError_t event_wait_operation(cudaEvent_t event, Operation& operation);

/// Graphs and executable graphs by handle.
std::shared_ptr<Graph> find_graph(cudaGraph_t handle);
cudaGraph_t add_graph(std::shared_ptr<Graph> graph);
bool remove_graph(cudaGraph_t handle);

/// A node's handle is its address.
inline GraphNode* node_of(cudaGraphNode_t handle) { return reinterpret_cast<GraphNode*>(handle); }
inline cudaGraphNode_t handle_of(GraphNode* node) { return reinterpret_cast<cudaGraphNode_t>(node); }

}  // namespace simt
