// SPDX-License-Identifier: MIT
// Instantiating, launching and updating graphs.
#include <memory>
#include <mutex>
#include <utility>

#include "common/simt/api/error.hpp"
#include "common/simt/api/graph.hpp"
#include "common/simt/runtime/graph.hpp"

using namespace simt;

namespace {

HandleTable<ExecutableGraph>& executables() {
    static HandleTable<ExecutableGraph>& table = *new HandleTable<ExecutableGraph>;
    return table;
}

cudaError_t instantiate(cudaGraphExec_t* handle, cudaGraph_t graph_handle, unsigned long long flags) {
    return api([=] {
        const auto graph = find_graph(graph_handle);
        if (!handle || !graph) return cudaErrorInvalidValue;
        if (graph->topological_order().size() != graph->nodes.size()) return cudaErrorInvalidValue;  // a cycle
        auto executable = std::make_shared<ExecutableGraph>();
        executable->graph = graph->clone();
        executable->flags = flags;
        *handle = static_cast<cudaGraphExec_t>(executables().add(std::move(executable)));
        return cudaSuccess;
    });
}

template <typename Body>
cudaError_t on_executable(cudaGraphExec_t handle, Body body) {
    return api([&] {
        const auto executable = executables().find(handle);
        if (!executable) return cudaErrorInvalidValue;
        const std::lock_guard lock(executable->mutex);
        return body(*executable);
    });
}

// Replaces the operation of the executable's copy of a node.
template <typename Make>
cudaError_t change_copy(cudaGraphExec_t executable_handle, cudaGraphNode_t node, Make make) {
    return on_executable(executable_handle, [&](ExecutableGraph& executable) {
        GraphNode* const copy = executable.counterpart(node_of(node));
        Operation operation;
        if (!copy) return cudaErrorInvalidValue;
        if (const cudaError_t error = make(operation)) return error;
        if (operation.type != copy->operation.type) return cudaErrorInvalidValue;
        copy->operation = std::move(operation);
        return cudaSuccess;
    });
}

}  // namespace

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
    return instantiate(executable, graph, flags);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
    return instantiate(executable, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
    if (!parameters) return report(cudaErrorInvalidValue);
    const cudaError_t error = instantiate(executable, graph, parameters->flags);
    parameters->errNode_out = nullptr;
    parameters->result_out = error ? cudaGraphInstantiateError : cudaGraphInstantiateSuccess;
    return error;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
    return api([=] { return executables().remove(executable) ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
    return on_executable(executable, [=](ExecutableGraph&) {
        return find_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream_handle) {
    return on_executable(handle, [=](ExecutableGraph& executable) {
        const auto stream = find_stream(stream_handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        const bool frees_earlier = (executable.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
        if (const cudaError_t error = account_for_memory(*executable.graph, frees_earlier)) return error;
        return dispatch(*stream, {cudaGraphNodeTypeGraph, launch_work(*executable.graph, executable.disabled)});
    });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t handle, cudaGraph_t graph_handle, cudaGraphExecUpdateResultInfo* info) {
    return on_executable(handle, [=](ExecutableGraph& executable) {
        const auto graph = find_graph(graph_handle);
        if (!graph || !info) return cudaErrorInvalidValue;
        const auto refuse = [info](cudaGraphExecUpdateResult result, GraphNode* node) {
            *info = {result, node ? handle_of(node) : nullptr, nullptr};
            return cudaErrorGraphExecUpdateFailure;
        };
        auto& nodes = executable.graph->nodes;
        if (nodes.size() != graph->nodes.size()) return refuse(cudaGraphExecUpdateErrorTopologyChanged, nullptr);
        for (size_t i = 0; i < nodes.size(); ++i) {
            GraphNode& changed = *graph->nodes[i];
            if (nodes[i]->operation.type != changed.operation.type) {
                return refuse(cudaGraphExecUpdateErrorNodeTypeChanged, &changed);
            }
            if (nodes[i]->dependencies.size() != changed.dependencies.size()) {
                return refuse(cudaGraphExecUpdateErrorTopologyChanged, &changed);
            }
        }
        for (size_t i = 0; i < nodes.size(); ++i) {
            nodes[i]->operation = graph->nodes[i]->operation;
            if (graph->nodes[i]->child) nodes[i]->child = graph->nodes[i]->child->clone();
        }
        *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
        return cudaSuccess;
    });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* parameters) {
    return change_copy(executable, node, [=](Operation& operation) { return kernel_operation(parameters, operation); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* parameters) {
    return change_copy(executable, node, [=](Operation& operation) { return host_operation(parameters, operation); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* parameters) {
    return change_copy(executable, node, [=](Operation& operation) { return copy_operation(parameters, operation); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes, cudaMemcpyKind kind) {
    return change_copy(executable, node,
                       [=](Operation& operation) { return copy_operation(to, from, bytes, kind, operation); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* parameters) {
    return change_copy(executable, node, [=](Operation& operation) { return fill_operation(parameters, operation); });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* parameters) {
    return change_copy(executable, node, [=](Operation& operation) { return operation_of(parameters, operation); });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t handle, cudaGraphNode_t node, unsigned enabled) {
    return on_executable(handle, [=](ExecutableGraph& executable) {
        const GraphNode* const copy = executable.counterpart(node_of(node));
        if (!copy) return cudaErrorInvalidValue;
        if (enabled) {
            executable.disabled.erase(copy);
        } else {
            executable.disabled.insert(copy);
        }
        return cudaSuccess;
    });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t handle, cudaGraphNode_t node, unsigned* enabled) {
    return on_executable(handle, [=](ExecutableGraph& executable) {
        const GraphNode* const copy = executable.counterpart(node_of(node));
        if (!copy || !enabled) return cudaErrorInvalidValue;
        *enabled = executable.disabled.count(copy) == 0;
        return cudaSuccess;
    });
}
