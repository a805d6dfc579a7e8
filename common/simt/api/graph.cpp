// SPDX-License-Identifier: MIT
// Graphs: creating them, adding and changing nodes and edges, and asking for them.
#include "common/simt/api/graph.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/runtime/array.hpp"
#include "common/simt/runtime/graph.hpp"
#include "common/simt/runtime/kernels.hpp"

namespace simt {

// ---- parameters of nodes

namespace {

HandleTable<Graph>& graphs() {
    static HandleTable<Graph>& table = *new HandleTable<Graph>;
    return table;
}

// A stream that never runs anything: launches into it become nodes of its graph.
class RecordingStream {
public:
    RecordingStream()
        : stream_(std::make_shared<Stream>(current_device(), Stream::Kind::created, cudaStreamNonBlocking, 0)) {
        runtime().streams.add(stream_);
        begin_capture(*stream_, graph_, {});
    }
    ~RecordingStream() {
        std::shared_ptr<Graph> recorded;
        end_capture(*stream_, recorded);
        runtime().streams.remove(stream_.get());
    }
    RecordingStream(const RecordingStream&) = delete;
    RecordingStream& operator=(const RecordingStream&) = delete;

    void* handle() const { return stream_.get(); }
    const Graph& graph() const { return *graph_; }

private:
    std::shared_ptr<Stream> stream_;
    std::shared_ptr<Graph> graph_ = std::make_shared<Graph>();
};

}  // namespace

cudaError_t kernel_operation(const cudaKernelNodeParams* parameters, Operation& operation) {
    if (!parameters) return cudaErrorInvalidValue;
    const void* kernel = parameters->func;
    KernelTrampoline* const trampoline = signature_of(kernel).trampoline;
    if (!trampoline) return cudaErrorInvalidDeviceFunction;
    const RecordingStream stream;
    const dim3 &grid = parameters->gridDim, &block = parameters->blockDim;
    const Configuration configuration = {{grid.x, grid.y, grid.z},
                                         {block.x, block.y, block.z},
                                         parameters->sharedMemBytes,
                                         stream.handle(),
                                         false,
                                         {kernel, parameters->kernelParams}};
    const cudaError_t error = reported_by([&] { trampoline(kernel, configuration, parameters->kernelParams); });
    if (error) return error;
    operation = stream.graph().nodes.front()->operation;
    return cudaSuccess;
}

cudaError_t copy_operation(const cudaMemcpy3DParms* parameters, Operation& operation) {
    if (!parameters) return cudaErrorInvalidValue;
    BlockCopy copy;
    cudaMemcpyKind kind = cudaMemcpyDefault;
    if (const cudaError_t error = block_copy(*parameters, copy, kind)) return error;
    if (const cudaError_t error = validate(copy, kind)) return error;
    operation = {cudaGraphNodeTypeMemcpy, copy_work(copy), parameters_of(copy, kind)};
    return cudaSuccess;
}

cudaError_t copy_operation(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Operation& operation) {
    BlockCopy copy;
    copy.to = to;
    copy.from = from;
    copy.width = bytes;
    if (const cudaError_t error = validate(copy, kind)) return error;
    operation = {cudaGraphNodeTypeMemcpy, copy_work(copy), parameters_of(copy, kind)};
    return cudaSuccess;
}

cudaError_t fill_operation(const cudaMemsetParams* parameters, Operation& operation) {
    if (!parameters) return cudaErrorInvalidValue;
    const unsigned bytes = parameters->elementSize;
    if (bytes != 1 && bytes != 2 && bytes != 4) return cudaErrorInvalidValue;
    BlockFill fill;
    fill.to = parameters->dst;
    fill.pitch = parameters->pitch;
    fill.width = parameters->width * bytes;
    fill.height = parameters->height;
    fill.value = parameters->value;
    fill.element_bytes = bytes;
    if (const cudaError_t error = validate(fill)) return error;
    operation = {cudaGraphNodeTypeMemset, fill_work(fill), *parameters};
    return cudaSuccess;
}

cudaError_t host_operation(const cudaHostNodeParams* parameters, Operation& operation) {
    if (!parameters || !parameters->fn) return cudaErrorInvalidValue;
    operation = {cudaGraphNodeTypeHost,
                 host_function([function = parameters->fn, data = parameters->userData] { function(data); }),
                 *parameters};
    return cudaSuccess;
}

cudaError_t operation_of(const cudaGraphNodeParams* parameters, Operation& operation) {
    if (!parameters) return cudaErrorInvalidValue;
    switch (parameters->type) {
        case cudaGraphNodeTypeKernel: return kernel_operation(&parameters->kernel, operation);
        case cudaGraphNodeTypeMemcpy: return copy_operation(&parameters->memcpy.copyParams, operation);
        case cudaGraphNodeTypeMemset: return fill_operation(&parameters->memset, operation);
        case cudaGraphNodeTypeHost: return host_operation(&parameters->host, operation);
        case cudaGraphNodeTypeEventRecord: return event_record_operation(parameters->eventRecord.event, operation);
        case cudaGraphNodeTypeWaitEvent: return event_wait_operation(parameters->eventWait.event, operation);
        default: return cudaErrorNotSupported;
    }
}

cudaError_t event_record_operation(cudaEvent_t handle, Operation& operation) {
    const auto event = runtime().events.find(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    operation = {cudaGraphNodeTypeEventRecord, [event] {
                     auto recording = std::make_shared<Recording>();  // without a ticket: it counts as reached at once
                     stamp(recording)();
                     const std::lock_guard lock(event->mutex);
                     event->recording = std::move(recording);
                     event->capture.reset();
                     return 0;
                 }};
    return cudaSuccess;
}

cudaError_t event_wait_operation(cudaEvent_t handle, Operation& operation) {
    const auto event = runtime().events.find(handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    operation = {cudaGraphNodeTypeWaitEvent, [event] {
                     std::shared_ptr<Recording> recording;
                     {
                         const std::lock_guard lock(event->mutex);
                         recording = event->recording;
                     }
                     if (recording) recording->ticket.wait();
                     return 0;
                 }};
    return cudaSuccess;
}

std::shared_ptr<Graph> find_graph(cudaGraph_t handle) { return graphs().find(handle); }

cudaGraph_t add_graph(std::shared_ptr<Graph> graph) { return static_cast<cudaGraph_t>(graphs().add(std::move(graph))); }

bool remove_graph(cudaGraph_t handle) { return graphs().remove(handle) != nullptr; }

}  // namespace simt

// ---- building

using namespace simt;

namespace {

// Replaces a node's operation by another one of the same type.
template <typename Make>
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
    return add_node(node, graph, dependencies, count,
                    [=](Operation& operation) { return kernel_operation(parameters, operation); });
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
        case cudaGraphNodeTypeMemAlloc:
            return cudaGraphAddMemAllocNode(node, graph, dependencies, count, &parameters->alloc);
        case cudaGraphNodeTypeMemFree:
            return cudaGraphAddMemFreeNode(node, graph, dependencies, count, parameters->free.dptr);
        case cudaGraphNodeTypeConditional:
            return add_conditional_node(node, graph, dependencies, count, parameters->conditional);
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
    return change_node(node, [=](Operation& operation) { return kernel_operation(parameters, operation); });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* parameters) {
    return change_node(node, [=](Operation& operation) { return host_operation(parameters, operation); });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* parameters) {
    return change_node(node, [=](Operation& operation) { return copy_operation(parameters, operation); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
    return change_node(node, [=](Operation& operation) { return copy_operation(to, from, bytes, kind, operation); });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* parameters) {
    return change_node(node, [=](Operation& operation) { return fill_operation(parameters, operation); });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* parameters) {
    return change_node(node, [=](Operation& operation) { return operation_of(parameters, operation); });
}

// ---- queries

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

template <typename Predicate>
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

namespace {

// A node whose parameters are unknown gives cudaErrorNotSupported.
template <typename Parameters>
cudaError_t return_parameters(cudaGraphNode_t node, cudaGraphNodeType type, Parameters* parameters) {
    return api([=] {
        if (!node || !parameters || node_of(node)->operation.type != type) return cudaErrorInvalidValue;
        const auto* const found = std::get_if<Parameters>(&node_of(node)->operation.parameters);
        if (!found) return cudaErrorNotSupported;
        *parameters = *found;
        return cudaSuccess;
    });
}

}  // namespace

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* parameters) {
    std::shared_ptr<const KernelParameters> found;
    const cudaError_t error = return_parameters(node, cudaGraphNodeTypeKernel, &found);
    if (error || !parameters) return error ? error : report(cudaErrorInvalidValue);
    *parameters = found->node;
    return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* parameters) {
    return return_parameters(node, cudaGraphNodeTypeMemcpy, parameters);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* parameters) {
    return return_parameters(node, cudaGraphNodeTypeMemset, parameters);
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* parameters) {
    return return_parameters(node, cudaGraphNodeTypeMemAlloc, parameters);
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
    return return_parameters(node, cudaGraphNodeTypeMemFree, static_cast<cudaMemFreeNodeParams*>(pointer));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* parameters) {
    return return_parameters(node, cudaGraphNodeTypeHost, parameters);
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
