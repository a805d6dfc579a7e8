// SPDX-License-Identifier: MIT
// Stream capture: turning the work that a program puts into streams into a graph.
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/simt/api/error.hpp"
#include "common/simt/api/graph_nodes.hpp"
#include "common/simt/runtime/graph.hpp"

using namespace simt;

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
        if (!graph_handle) return cudaErrorInvalidValue;
        *graph_handle = nullptr;
        std::shared_ptr<Graph> graph;
        if (const cudaError_t error = end_capture(*stream, graph)) return error;
        *graph_handle = add_graph(std::move(graph));
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
