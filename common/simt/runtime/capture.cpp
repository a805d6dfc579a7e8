// SPDX-License-Identifier: MIT
#include "common/simt/runtime/capture.hpp"

#include <algorithm>
#include <atomic>
#include <set>

namespace simt {
namespace {

unsigned long long next_capture_id() {
    static std::atomic<unsigned long long> id{0};
    return ++id;
}

// The origin's last nodes must follow every participant's, or the graph would end before them.
bool all_joined(Capture& capture) {
    std::vector<const GraphNode*> pending;
    for (const GraphNode* node : capture.tail(capture.origin)) pending.push_back(node);
    std::set<const GraphNode*> joined(pending.begin(), pending.end());
    while (!pending.empty()) {
        const GraphNode* node = pending.back();
        pending.pop_back();
        for (const GraphNode* dependency : node->dependencies) {
            if (joined.insert(dependency).second) pending.push_back(dependency);
        }
    }
    return std::all_of(capture.participants.begin(), capture.participants.end(), [&](const auto& participant) {
        return std::all_of(participant.tail.begin(), participant.tail.end(),
                           [&](const GraphNode* node) { return joined.count(node) > 0; });
    });
}

}  // namespace

Capture::Capture(std::shared_ptr<Graph> graph_, Stream& origin_)
    : graph(std::move(graph_)), origin(origin_), id(next_capture_id()) {}

std::vector<GraphNode*>& Capture::tail(Stream& stream) {
    for (Participant& participant : participants) {
        if (participant.stream == &stream) return participant.tail;
    }
    return participants.emplace_back(Participant{&stream, {}}).tail;
}

cudaError_t record(Stream& stream, Operation operation, GraphNode** node) {
    const auto capture = stream.capture();
    if (!capture) return cudaErrorIllegalState;
    const std::lock_guard lock(capture->mutex);
    if (capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    auto& tail = capture->tail(stream);
    GraphNode* const added = capture->graph->add(std::move(operation), tail);
    tail = {added};
    if (node) *node = added;
    return cudaSuccess;
}

cudaError_t capture_event(Stream& stream, Event& event) {
    auto capture = stream.capture();
    if (!capture) return cudaErrorIllegalState;
    const std::lock_guard event_lock(event.mutex);
    const std::lock_guard lock(capture->mutex);
    if (capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    event.captured_after = capture->tail(stream);
    event.capture = std::move(capture);
    event.recording.reset();
    return cudaSuccess;
}

cudaError_t capture_wait(Stream& stream, Event& event) {
    const std::lock_guard event_lock(event.mutex);
    const auto capture = event.capture;
    const auto current = stream.capture();
    if (!capture) return event.recording ? cudaErrorStreamCaptureIsolation : cudaSuccess;
    if (current && current != capture) return cudaErrorStreamCaptureMerge;
    if (stream.kind() == Stream::Kind::legacy_default) return cudaErrorStreamCaptureImplicit;
    const std::lock_guard lock(capture->mutex);
    if (capture->ended) return cudaErrorCapturedEvent;
    if (capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    auto& tail = capture->tail(stream);
    tail.insert(tail.end(), event.captured_after.begin(), event.captured_after.end());
    stream.set_capture(capture);
    return cudaSuccess;
}

cudaError_t begin_capture(Stream& stream, std::shared_ptr<Graph> graph, std::vector<GraphNode*> dependencies) {
    if (stream.kind() == Stream::Kind::legacy_default) return cudaErrorStreamCaptureUnsupported;
    if (stream.capturing()) return cudaErrorIllegalState;
    auto capture = std::make_shared<Capture>(std::move(graph), stream);
    capture->tail(stream) = std::move(dependencies);
    stream.set_capture(std::move(capture));
    return cudaSuccess;
}

cudaError_t end_capture(Stream& stream, std::shared_ptr<Graph>& graph) {
    graph.reset();
    const auto capture = stream.capture();
    if (!capture) return cudaErrorIllegalState;
    if (&capture->origin != &stream) return cudaErrorStreamCaptureUnmatched;
    const std::lock_guard lock(capture->mutex);
    const bool joined = all_joined(*capture);
    for (const auto& participant : capture->participants) participant.stream->set_capture(nullptr);
    capture->ended = true;
    if (capture->invalidated) return cudaErrorStreamCaptureInvalidated;
    if (!joined) return cudaErrorStreamCaptureUnjoined;
    graph = capture->graph;
    return cudaSuccess;
}

}  // namespace simt
