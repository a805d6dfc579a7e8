// SPDX-License-Identifier: MIT
// Streams: creating, destroying, waiting, running host functions in them, and capturing them into a graph.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/api/graph.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/graph.hpp"
#include "common/simt/runtime/grid.hpp"

using namespace simt;

namespace {

// The body of a function about one stream.
template <typename Body>
cudaError_t on_stream(cudaStream_t handle, Body body) {
    return api([&] {
        const auto stream = find_stream(handle);
        return stream ? body(*stream) : cudaErrorInvalidResourceHandle;
    });
}

cudaError_t create_stream(cudaStream_t* handle, unsigned flags, int priority) {
    return api([=] {
        if (!handle || flags & ~unsigned{cudaStreamNonBlocking}) return cudaErrorInvalidValue;
        const int legal = std::clamp(priority, greatest_stream_priority, least_stream_priority);
        auto stream = current_device().create_stream(Stream::Kind::created, flags, legal);
        *handle = static_cast<cudaStream_t>(runtime().streams.add(std::move(stream)));
        return cudaSuccess;
    });
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create_stream(stream, cudaStreamDefault, 0); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    Grid* const grid = Grid::running();
    if (!grid) return create_stream(stream, flags, 0);
    return api_everywhere([=] {
        if (!stream || flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;
        *stream = static_cast<cudaStream_t>(grid->create_stream());
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
    return create_stream(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
    return api_everywhere([=] {
        if (Grid* const grid = Grid::running()) {
            return grid->destroy_stream(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
        }
        const auto stream = runtime().streams.remove(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        stream->device().forget_stream(stream);
        return cudaSuccess;
    });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    return on_stream(handle, [](Stream& stream) {
        if (stream.capturing()) return dispatch(stream, {}, Start::by_waiting);
        stream.last_ticket().host_waits();
        return static_cast<cudaError_t>(stream.device().broken());
    });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    return on_stream(handle, [](Stream& stream) {
        if (stream.capturing()) return dispatch(stream, {}, Start::by_waiting);
        if (!stream.last_ticket().host_sees_done()) return cudaErrorNotReady;
        return static_cast<cudaError_t>(stream.device().broken());
    });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
    return on_stream(handle, [=](Stream& stream) {
        if (!flags) return cudaErrorInvalidValue;
        *flags = stream.flags();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
    return on_stream(handle, [=](Stream& stream) {
        if (!priority) return cudaErrorInvalidValue;
        *priority = stream.priority();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
    return on_stream(handle, [=](Stream& stream) {
        if (!id) return cudaErrorInvalidValue;
        *id = stream.id();
        return cudaSuccess;
    });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
    return on_stream(handle, [=](Stream& stream) {
        if (!device) return cudaErrorInvalidValue;
        *device = stream.device().index();
        return cudaSuccess;
    });
}

// Attributes control caches and waiting, which the simulator does not model. They are accepted, but read as defaults.
cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID, const cudaLaunchAttributeValue* value) {
    return on_stream(handle, [=](Stream&) { return value ? cudaSuccess : cudaErrorInvalidValue; });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID attribute,
                                   cudaLaunchAttributeValue* value) {
    return on_stream(handle, [=](Stream& stream) {
        if (!value) return cudaErrorInvalidValue;
        *value = {};
        if (attribute == cudaLaunchAttributePriority) value->priority = stream.priority();
        if (attribute == cudaLaunchAttributeSynchronizationPolicy) value->syncPolicy = cudaSyncPolicyAuto;
        return cudaSuccess;
    });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return api([=] { return find_stream(to) && find_stream(from) ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
    return on_stream(handle, [=](Stream& stream) {
        if (!function) return cudaErrorInvalidValue;
        return dispatch(stream, {cudaGraphNodeTypeHost, host_function([=] { function(data); }),
                                 cudaHostNodeParams{function, data}});
    });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data, unsigned flags) {
    return on_stream(handle, [=](Stream& stream) {
        if (!callback || flags != 0) return cudaErrorInvalidValue;
        if (stream.capturing()) return cudaErrorStreamCaptureUnsupported;
        return dispatch(stream, {cudaGraphNodeTypeHost, host_function([=] { callback(handle, cudaSuccess, data); })});
    });
}

// ---- capture: turning the work that a program puts into streams into a graph

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream_handle, cudaGraph_t graph_handle,
                                          const cudaGraphNode_t* dependencies, const cudaGraphEdgeData*, size_t count,
                                          cudaStreamCaptureMode) {
    return api([=] {
        const auto stream = find_stream(stream_handle);
        const auto graph = find_graph(graph_handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if (!graph || (count > 0 && !dependencies)) return cudaErrorInvalidValue;
        std::vector<GraphNode*> nodes;
        for (size_t i = 0; i < count; ++i) nodes.push_back(node_of(dependencies[i]));
        return begin_capture(*stream, graph, std::move(nodes));
    });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
    return api([=] {
        const auto stream = find_stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if (mode < cudaStreamCaptureModeGlobal || mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
        return begin_capture(*stream, std::make_shared<Graph>(), {});
    });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph_handle) {
    return api([=] {
        const auto stream = find_stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        const auto capture = stream->capture();
        const bool is_known = capture && find_graph(reinterpret_cast<cudaGraph_t>(capture->graph.get()));
        if (!graph_handle && !is_known) return cudaErrorInvalidValue;
        if (graph_handle) *graph_handle = nullptr;
        std::shared_ptr<Graph> graph;
        if (const cudaError_t error = end_capture(*stream, graph)) return error;
        if (graph_handle) *graph_handle = add_graph(std::move(graph));
        return cudaSuccess;
    });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData*, size_t count, unsigned flags) {
    return api([=] {
        const auto stream = find_stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if ((count > 0 && !dependencies) || flags > cudaStreamSetCaptureDependencies) return cudaErrorInvalidValue;
        const auto capture = stream->capture();
        if (!capture) return cudaErrorIllegalState;
        const std::lock_guard lock(capture->mutex);
        if (capture->invalidated) return cudaErrorStreamCaptureInvalidated;
        std::vector<GraphNode*> nodes;
        for (size_t i = 0; i < count; ++i) nodes.push_back(node_of(dependencies[i]));
        for (const GraphNode* node : nodes) {
            if (!capture->graph->owns(node)) return cudaErrorInvalidValue;
        }
        auto& tail = capture->tail(*stream);
        if (flags == cudaStreamSetCaptureDependencies) tail.clear();
        tail.insert(tail.end(), nodes.begin(), nodes.end());
        return cudaSuccess;
    });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    if (!status) return report(cudaErrorInvalidValue);
    return cudaStreamGetCaptureInfo(stream, status);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* dependency_count) {
    return api([=] {
        const auto stream = find_stream(handle);
        if (!stream) return cudaErrorInvalidResourceHandle;
        if (!status) return cudaErrorInvalidValue;
        if (edges) *edges = nullptr;
        const auto capture = stream->capture();
        if (!capture) {
            *status = cudaStreamCaptureStatusNone;
            return cudaSuccess;
        }
        const std::lock_guard lock(capture->mutex);
        *status = capture->invalidated ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
        if (id) *id = capture->id;
        if (graph) *graph = add_graph(capture->graph);
        // Node handles are node addresses, so the list of nodes is a list of handles; it lives until the next capture.
        const auto& tail = capture->tail(*stream);
        if (dependencies) *dependencies = reinterpret_cast<const cudaGraphNode_t*>(tail.data());
        if (dependency_count) *dependency_count = tail.size();
        return cudaSuccess;
    });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    static thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
    return api([=] {
        if (!mode) return cudaErrorInvalidValue;
        std::swap(*mode, current);
        return cudaSuccess;
    });
}
