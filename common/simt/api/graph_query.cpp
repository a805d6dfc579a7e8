// SPDX-License-Identifier: MIT
// Queries of graphs: nodes, edges, types, and a drawing for Graphviz.
#include <cstdio>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/api/graph_nodes.hpp"

using namespace simt;

namespace {

// Returns a list as the API does: only the length if there is no array, else as many nodes as fit, then nulls.
cudaError_t return_nodes(const std::vector<GraphNode*>& found, cudaGraphNode_t* nodes, size_t* count) {
    if (!count) return cudaErrorInvalidValue;
    if (nodes) {
        for (size_t i = 0; i < *count; ++i) nodes[i] = i < found.size() ? handle_of(found[i]) : nullptr;
    }
    if (!nodes || *count > found.size()) *count = found.size();
    return cudaSuccess;
}

template <class Predicate>
cudaError_t return_nodes_that(cudaGraph_t handle, cudaGraphNode_t* nodes, size_t* count, Predicate predicate) {
    return api([&] {
        const auto graph = find_graph(handle);
        if (!graph) return cudaErrorInvalidValue;
        std::vector<GraphNode*> found;
        for (const auto& node : graph->nodes) {
            if (predicate(*node)) found.push_back(node.get());
        }
        return return_nodes(found, nodes, count);
    });
}

const char* type_name(cudaGraphNodeType type) {
    switch (type) {
        case cudaGraphNodeTypeKernel: return "kernel";
        case cudaGraphNodeTypeMemcpy: return "memcpy";
        case cudaGraphNodeTypeMemset: return "memset";
        case cudaGraphNodeTypeHost: return "host";
        case cudaGraphNodeTypeGraph: return "graph";
        case cudaGraphNodeTypeWaitEvent: return "event wait";
        case cudaGraphNodeTypeEventRecord: return "event record";
        default: return "empty";
    }
}

}  // namespace

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    return return_nodes_that(graph, nodes, count, [](const GraphNode&) { return true; });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
    return return_nodes_that(graph, nodes, count, [](const GraphNode& node) { return node.dependencies.empty(); });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t handle, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges,
                              size_t* count) {
    return api([=] {
        const auto graph = find_graph(handle);
        if (!graph || !count) return cudaErrorInvalidValue;
        std::vector<GraphNode*> starts, ends;
        for (const auto& node : graph->nodes) {
            for (GraphNode* dependency : node->dependencies) {
                starts.push_back(dependency);
                ends.push_back(node.get());
            }
        }
        for (size_t i = 0; edges && i < *count; ++i) edges[i] = {};
        size_t length = *count;
        if (from) return_nodes(starts, from, &length);
        length = *count;
        return return_nodes(ends, to, count);
    });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
    return api([=] {
        if (!node || !type) return cudaErrorInvalidValue;
        *type = node_of(node)->operation.type;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies, cudaGraphEdgeData* edges,
                                         size_t* count) {
    return api([=] {
        if (!node || !count) return cudaErrorInvalidValue;
        for (size_t i = 0; edges && i < *count; ++i) edges[i] = {};
        return return_nodes(node_of(node)->dependencies, dependencies, count);
    });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
    return api([=] {
        if (!node || !parameters || node_of(node)->operation.type != cudaGraphNodeTypeKernel) {
            return cudaErrorInvalidValue;
        }
        // For a captured launch, the addresses of the kernel and of its arguments are unknown.
        if (!static_cast<void*>(node_of(node)->kernel.func)) return cudaErrorNotSupported;
        *parameters = node_of(node)->kernel;
        return cudaSuccess;
    });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned) {
    return api([=] {
        const auto graph = find_graph(handle);
        if (!graph || !path) return cudaErrorInvalidValue;
        std::FILE* file = std::fopen(path, "w");
        if (!file) return cudaErrorOperatingSystem;
        std::fprintf(file, "digraph graph_1 {\n");
        for (const auto& node : graph->nodes) {
            const void* name = node.get();
            std::fprintf(file, "  \"%p\" [label=\"%s\"];\n", name, type_name(node->operation.type));
            for (const void* dependency : node->dependencies) {
                std::fprintf(file, "  \"%p\" -> \"%p\";\n", dependency, name);
            }
        }
        std::fprintf(file, "}\n");
        return std::fclose(file) == 0 ? cudaSuccess : cudaErrorOperatingSystem;
    });
}
