// SPDX-License-Identifier: MIT
// Graphs of operations: built node by node or captured from streams, then instantiated and launched as one.
//
// A launched graph runs its nodes one after another, in an order that respects the edges. That is a legal schedule, and
// each kernel's blocks occupy every worker anyway.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "common/simt/include/cuda_runtime_api.h"
#include "common/simt/runtime/stream.hpp"

namespace simt {

// One operation of a stream or a graph.
struct Operation {
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    Work work;  // null: nothing to do
};

struct Graph;

struct GraphNode {
    Graph* graph = nullptr;
    Operation operation;
    std::vector<GraphNode*> dependencies;  // without duplicates
    GraphNode* original = nullptr;         // the node this one was cloned from
    cudaKernelNodeParams kernel = {};      // of kernel nodes, without the arguments
    std::shared_ptr<Graph> child;          // of child graph nodes
};

struct Graph {
    std::vector<std::unique_ptr<GraphNode>> nodes;  // in the order they were added

    GraphNode* add(Operation operation, std::vector<GraphNode*> dependencies);
    bool owns(const GraphNode* node) const;
    std::shared_ptr<Graph> clone() const;

    // The nodes, each after those it depends on; shorter than `nodes` if there is a cycle.
    std::vector<GraphNode*> topological_order() const;
};

// An instantiated graph: a copy, which later changes to the original do not affect.
struct ExecutableGraph {
    std::shared_ptr<Graph> graph;
    std::set<const GraphNode*> disabled;
    unsigned long long flags = 0;
    std::mutex mutex;  // held while a launch copies the operations

    GraphNode* counterpart(const GraphNode* original) const;
};

// The work of one launch of the graph.
Work launch_work(const Graph& graph, const std::set<const GraphNode*>& disabled = {});

}  // namespace simt
