// Streams that record their work into a graph instead of running it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "common/simt/runtime/event.hpp"
#include "common/simt/runtime/graph.hpp"

namespace simt {

// One recording. It spreads from its origin to every stream that waits for an event recorded in a participant.
struct Capture {
    Capture(std::shared_ptr<Graph> graph_, Stream& origin_);

    const std::shared_ptr<Graph> graph;
    Stream& origin;
    const unsigned long long id;

    std::mutex mutex;  // guards what follows, and the graph's nodes while it is recorded
    bool invalidated = false, ended = false;
    struct Participant {
        Stream* stream;
        std::vector<GraphNode*> tail;  // the nodes that the stream's next node follows
    };
    std::vector<Participant> participants;

    std::vector<GraphNode*>& tail(Stream& stream);
};

// Adds a node to the graph that the stream records, after the stream's previous ones.
cudaError_t record(Stream& stream, Operation operation, GraphNode** node = nullptr);

// cudaEventRecord in a recording stream, and cudaStreamWaitEvent where the stream or the event takes part in one.
cudaError_t capture_event(Stream& stream, Event& event);
cudaError_t capture_wait(Stream& stream, Event& event);

cudaError_t begin_capture(Stream& stream, std::shared_ptr<Graph> graph, std::vector<GraphNode*> dependencies);
// Stops the recording; `graph` is null unless the result is cudaSuccess.
cudaError_t end_capture(Stream& stream, std::shared_ptr<Graph>& graph);

}  // namespace simt
