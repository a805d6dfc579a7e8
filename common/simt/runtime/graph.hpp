// SPDX-License-Identifier: MIT
// Graphs of operations: built node by node or captured from streams, then instantiated and launched as one.
//
// A launched graph runs its nodes one after another, in an order that respects the edges. That is a legal schedule, and
// each kernel's blocks occupy every worker anyway.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <variant>
#include <vector>

#include "common/simt/include/cuda_runtime_api.h"
#include "common/simt/runtime/graph_memory.hpp"
#include "common/simt/runtime/stream.hpp"

namespace simt {

/// The parameters of a kernel node, with its own copies of the arguments.
struct KernelParameters {
    cudaKernelNodeParams node = {};
    std::vector<void*> addresses;                   ///< of the arguments; node.kernelParams points to them
    std::shared_ptr<std::max_align_t[]> arguments;  ///< where the copies are
};

/// What the API returns as the parameters of a node; nothing if it cannot tell.
using NodeParameters =
    std::variant<std::monostate, std::shared_ptr<const KernelParameters>, cudaMemcpy3DParms, cudaMemsetParams,
                 cudaHostNodeParams, cudaMemAllocNodeParams, cudaMemFreeNodeParams>;

/// One operation of a stream or a graph.
struct Operation {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    Work work;  ///< null: nothing to do
    NodeParameters parameters = {};
    std::shared_ptr<GraphMemory> memory = {};  ///< what the node allocates or frees
};

/// The value of a conditional node: kernels know it by its address.
struct Condition {
    unsigned value = 0;  ///< must be first
    unsigned initial = 0;
    bool has_initial = false;               ///< each launch begins with it
    std::vector<cudaGraph_t> body_handles;  ///< what the node's creator has been told
};

struct Graph;

struct GraphNode {
    Graph* graph = nullptr;
    Operation operation;
    std::vector<GraphNode*> dependencies;  ///< without duplicates
    GraphNode* original = nullptr;         ///< the node this one was cloned from
    std::shared_ptr<Graph> child;          ///< of child graph nodes
    std::shared_ptr<Condition> condition;  ///< of conditional nodes, as are these:
    cudaGraphConditionalNodeType condition_type = cudaGraphCondTypeIf;
    std::vector<std::shared_ptr<Graph>> bodies;
};

struct Graph {
    std::vector<std::unique_ptr<GraphNode>> nodes;  ///< in the order they were added
    std::vector<std::shared_ptr<Condition>> conditions;

    GraphNode* add(Operation operation, std::vector<GraphNode*> dependencies);
    bool owns(const GraphNode* node) const;
    std::shared_ptr<Graph> clone() const;

    /// The nodes, each after those it depends on; shorter than `nodes` if there is a cycle.
    std::vector<GraphNode*> topological_order() const;
};

/// An instantiated graph: a copy, which later changes to the original do not affect.
struct ExecutableGraph {
    std::shared_ptr<Graph> graph;
    std::set<const GraphNode*> disabled;
    unsigned long long flags = 0;
    std::mutex mutex;  ///< held while a launch copies the operations

    GraphNode* counterpart(const GraphNode* original) const;
};

/// The host's record of the memory that a launch of the graph allocates and frees: an error if memory of an earlier launch
/// has not been freed, unless the launch shall free it.
cudaError_t account_for_memory(const Graph& graph, bool frees_earlier);

/// The work of one launch of the graph.
Work launch_work(const Graph& graph, const std::set<const GraphNode*>& disabled = {});

// ---- streams that record their work into a graph instead of running it

/// One recording. It spreads from its origin to every stream that waits for an event which a participant has recorded.
struct Capture {
    Capture(std::shared_ptr<Graph> graph_, Stream& origin_);

    const std::shared_ptr<Graph> graph;
    Stream& origin;
    const unsigned long long id;

    std::mutex mutex;  ///< guards the members below, and the graph's nodes during the recording
    bool invalidated = false, ended = false;
    struct Participant {
        Stream* stream;
        std::vector<GraphNode*> tail;  ///< the nodes that the stream's next node follows
    };
    std::vector<Participant> participants;

    std::vector<GraphNode*>& tail(Stream& stream);
};

/// Adds a node to the graph that the stream is recording, after the stream's previous nodes.
cudaError_t record(Stream& stream, Operation operation, GraphNode** node = nullptr);

/// cudaEventRecord in a recording stream, and cudaStreamWaitEvent if the stream or the event takes part in a recording.
cudaError_t capture_event(Stream& stream, Event& event);
cudaError_t capture_wait(Stream& stream, Event& event);

cudaError_t begin_capture(Stream& stream, std::shared_ptr<Graph> graph, std::vector<GraphNode*> dependencies);
/// Stops the recording; `graph` is null unless the result is cudaSuccess.
cudaError_t end_capture(Stream& stream, std::shared_ptr<Graph>& graph);

/// Puts an operation into its stream: into the queue, or into the graph that the stream is recording.
///
/// With Start::by_waiting and Start::by_staging the call returns when the operation has ended. A recording stream
/// cannot do that: cudaErrorStreamCaptureUnsupported.
cudaError_t dispatch(Stream& stream, Operation operation, Start start = Start::on_thread);

}  // namespace simt
