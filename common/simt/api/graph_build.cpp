// SPDX-License-Identifier: MIT
// Building graphs: creating, adding nodes and edges, changing nodes.
#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/api/graph_nodes.hpp"

using namespace simt;

namespace {

// Adds a node. `make` fills in its operation, and `finish` may complete the node.
template <class Make, class Finish>
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

template <class Make>
cudaError_t add_node(cudaGraphNode_t* handle, cudaGraph_t graph, const cudaGraphNode_t* dependencies, size_t count,
                     Make make) {
    return add_node(handle, graph, dependencies, count, make, [](GraphNode&) {});
}

// Replaces a node's operation by another one of the same type.
template <class Make>
cudaError_t change_node(cudaGraphNode_t handle, Make make) {
    return api([&] {
        if (!handle) return cudaErrorInvalidValue;
        Operation operation;
        if (const cudaError_t error = make(operation)) return error;
        if (operation.type != node_of(handle)->operation.type) return cudaErrorInvalidValue;
        node_of(handle)->operation = std::move(operation);
        return cudaSuccess;
    });
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
    return api([=] {
        if (!graph || flags != 0) return cudaErrorInvalidValue;
        *graph = add_graph(std::make_shared<Graph>());
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    return api([=] { return remove_graph(graph) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
    return api([=] {
        const auto graph = find_graph(original);
        if (!clone || !graph) return cudaErrorInvalidValue;
        *clone = add_graph(graph->clone());
        return cudaSuccess;
    });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaKernelNodeParams* parameters) {
    return add_node(
        node, graph, dependencies, count, [=](Operation& operation) { return kernel_operation(parameters, operation); },
        [=](GraphNode& added) { added.kernel = *parameters; });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemcpy3DParms* parameters) {
    return add_node(node, graph, dependencies, count,
                    [=](Operation& operation) { return copy_operation(parameters, operation); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    return add_node(node, graph, dependencies, count,
                    [=](Operation& operation) { return copy_operation(to, from, bytes, kind, operation); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                   size_t count, const cudaMemsetParams* parameters) {
    return add_node(node, graph, dependencies, count,
                    [=](Operation& operation) { return fill_operation(parameters, operation); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                 size_t count, const cudaHostNodeParams* parameters) {
    return add_node(node, graph, dependencies, count,
                    [=](Operation& operation) { return host_operation(parameters, operation); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                       size_t count, cudaGraph_t child) {
    const auto original = find_graph(child);
    return add_node(
        node, graph, dependencies, count,
        [&](Operation& operation) {
            operation.type = cudaGraphNodeTypeGraph;
            return original && child != graph ? cudaSuccess : cudaErrorInvalidValue;
        },
        [&](GraphNode& added) { added.child = original->clone(); });
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                  size_t count) {
    return add_node(node, graph, dependencies, count, [](Operation&) { return cudaSuccess; });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                        size_t count, cudaEvent_t event) {
    return add_node(node, graph, dependencies, count,
                    [=](Operation& operation) { return event_record_operation(event, operation); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                                      size_t count, cudaEvent_t event) {
    return add_node(node, graph, dependencies, count,
                    [=](Operation& operation) { return event_wait_operation(event, operation); });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* parameters) {
    if (!parameters) return report(cudaErrorInvalidValue);
    switch (parameters->type) {
        case cudaGraphNodeTypeKernel:
            return cudaGraphAddKernelNode(node, graph, dependencies, count, &parameters->kernel);
        case cudaGraphNodeTypeMemcpy:
            return cudaGraphAddMemcpyNode(node, graph, dependencies, count, &parameters->memcpy.copyParams);
        case cudaGraphNodeTypeMemset:
            return cudaGraphAddMemsetNode(node, graph, dependencies, count, &parameters->memset);
        case cudaGraphNodeTypeHost: return cudaGraphAddHostNode(node, graph, dependencies, count, &parameters->host);
        case cudaGraphNodeTypeGraph:
            return cudaGraphAddChildGraphNode(node, graph, dependencies, count, parameters->graph.graph);
        case cudaGraphNodeTypeEmpty: return cudaGraphAddEmptyNode(node, graph, dependencies, count);
        case cudaGraphNodeTypeEventRecord:
            return cudaGraphAddEventRecordNode(node, graph, dependencies, count, parameters->eventRecord.event);
        case cudaGraphNodeTypeWaitEvent:
            return cudaGraphAddEventWaitNode(node, graph, dependencies, count, parameters->eventWait.event);
        default: return report(cudaErrorNotSupported);
    }
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t handle, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData*, size_t count) {
    return api([=] {
        const auto graph = find_graph(handle);
        if (!graph || (count > 0 && (!from || !to))) return cudaErrorInvalidValue;
        for (size_t i = 0; i < count; ++i) {
            if (!graph->owns(node_of(from[i])) || !graph->owns(node_of(to[i]))) return cudaErrorInvalidValue;
            auto& dependencies = node_of(to[i])->dependencies;
            if (std::find(dependencies.begin(), dependencies.end(), node_of(from[i])) != dependencies.end()) {
                return cudaErrorInvalidValue;  // the edge exists
            }
            dependencies.push_back(node_of(from[i]));
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
    return api([=] {
        if (!handle) return cudaErrorInvalidValue;
        GraphNode* const node = node_of(handle);
        auto& nodes = node->graph->nodes;
        for (const auto& other : nodes) std::erase(other->dependencies, node);
        std::erase_if(nodes, [node](const auto& own) { return own.get() == node; });
        return cudaSuccess;
    });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* parameters) {
    const cudaError_t error =
        change_node(node, [=](Operation& operation) { return kernel_operation(parameters, operation); });
    if (!error) node_of(node)->kernel = *parameters;
    return error;
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
    return change_node(node, [=](Operation& operation) { return host_operation(parameters, operation); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
    return change_node(node, [=](Operation& operation) { return copy_operation(to, from, bytes, kind, operation); });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
    return change_node(node, [=](Operation& operation) { return fill_operation(parameters, operation); });
}
