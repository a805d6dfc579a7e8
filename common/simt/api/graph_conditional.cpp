// SPDX-License-Identifier: MIT
// Graph nodes that run their bodies, graphs themselves, as often as a value says that kernels set.
#include <memory>
#include <utility>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/api/graph.hpp"

using namespace simt;

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph_handle,
                                             unsigned default_value, unsigned flags) {
    return api([=] {
        const auto graph = find_graph(graph_handle);
        if (!handle || !graph || (flags & ~cudaGraphCondAssignDefault)) return cudaErrorInvalidValue;
        auto condition = std::make_shared<Condition>();
        condition->initial = default_value;
        condition->has_initial = (flags & cudaGraphCondAssignDefault) != 0;
        *handle = reinterpret_cast<cudaGraphConditionalHandle>(condition.get());
        graph->conditions.push_back(std::move(condition));
        return cudaSuccess;
    });
}

cudaError_t simt::add_conditional_node(cudaGraphNode_t* node, cudaGraph_t graph_handle,
                                       const cudaGraphNode_t* dependencies, size_t count,
                                       cudaConditionalNodeParams& parameters) {
    const auto graph = find_graph(graph_handle);
    const unsigned most = parameters.type == cudaGraphCondTypeIf      ? 2
                          : parameters.type == cudaGraphCondTypeWhile ? 1
                                                                      : ~0u;
    std::shared_ptr<Condition> condition;
    for (const auto& known : graph ? graph->conditions : std::vector<std::shared_ptr<Condition>>()) {
        if (reinterpret_cast<cudaGraphConditionalHandle>(known.get()) == parameters.handle) condition = known;
    }
    return add_node(
        node, graph_handle, dependencies, count,
        [&](Operation& operation) {
            if (!condition || parameters.size == 0 || parameters.size > most) return cudaErrorInvalidValue;
            operation.type = cudaGraphNodeTypeConditional;
            return cudaSuccess;
        },
        [&](GraphNode& added) {
            added.condition = condition;
            added.condition_type = parameters.type;
            for (unsigned i = 0; i < parameters.size; ++i) {
                added.bodies.push_back(std::make_shared<Graph>());
                condition->body_handles.push_back(add_graph(added.bodies.back()));
            }
            parameters.phGraph_out = condition->body_handles.data();
        });
}
