// SPDX-License-Identifier: MIT
// Streams that record their work into a graph instead of running it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "common/simt/runtime/event.hpp"
#include "common/simt/runtime/graph.hpp"

namespace simt {

// One recording. It spreads from its origin to every stream that waits for an event which a participant has recorded.
struct Capture {
    Capture(std::shared_ptr<Graph> graph_, Stream& origin_);

    const std::shared_ptr<Graph> graph;
    Stream& origin;
    const unsigned long long id;

    std::mutex mutex;  // guards the members below, and the graph's nodes during the recording
    bool invalidated = false, ended = false;
    struct Participant {
        Stream* stream;
        std::vector<GraphNode*> tail;  // the nodes that the stream's next node follows
    };
    std::vector<Participant> participants;

    std::vector<GraphNode*>& tail(Stream& stream);
};

// Adds a node to the graph that the stream is recording, after the stream's previous nodes.
cudaError_t record(Stream& stream, Operation operation, GraphNode** node = nullptr);

// cudaEventRecord in a recording stream, and cudaStreamWaitEvent if the stream or the event takes part in a recording.
cudaError_t capture_event(Stream& stream, Event& event);
cudaError_t capture_wait(Stream& stream, Event& event);

cudaError_t begin_capture(Stream& stream, std::shared_ptr<Graph> graph, std::vector<GraphNode*> dependencies);
// Stops the recording; `graph` is null unless the result is cudaSuccess.
cudaError_t end_capture(Stream& stream, std::shared_ptr<Graph>& graph);

}  // namespace simt
