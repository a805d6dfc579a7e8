// SPDX-License-Identifier: MIT
#include "common/simt/runtime/graph.hpp"

#include <algorithm>
#include <map>

namespace simt {

GraphNode* Graph::add(Operation operation, std::vector<GraphNode*> dependencies) {
    auto node = std::make_unique<GraphNode>();
    node->graph = this;
    node->operation = std::move(operation);
    std::sort(dependencies.begin(), dependencies.end());
    dependencies.erase(std::unique(dependencies.begin(), dependencies.end()), dependencies.end());
    node->dependencies = std::move(dependencies);
    nodes.push_back(std::move(node));
    return nodes.back().get();
}

bool Graph::owns(const GraphNode* node) const {
    return std::any_of(nodes.begin(), nodes.end(), [node](const auto& own) { return own.get() == node; });
}

std::shared_ptr<Graph> Graph::clone() const {
    auto copy = std::make_shared<Graph>();
    std::map<const GraphNode*, GraphNode*> copies;
    for (const auto& node : nodes) {
        copies[node.get()] = copy->nodes.emplace_back(std::make_unique<GraphNode>(*node)).get();
    }
    for (const auto& node : copy->nodes) {
        node->graph = copy.get();
        for (GraphNode*& dependency : node->dependencies) dependency = copies.at(dependency);
        if (node->child) node->child = node->child->clone();
    }
    for (const auto& [original, node] : copies) node->original = const_cast<GraphNode*>(original);
    return copy;
}

// Of the nodes that could come next, this takes the one added first, so a captured graph runs in capture order.
std::vector<GraphNode*> Graph::topological_order() const {
    std::map<const GraphNode*, size_t> missing;
    std::map<const GraphNode*, std::vector<size_t>> successors;
    std::set<size_t> ready;
    for (size_t i = 0; i < nodes.size(); ++i) {
        missing[nodes[i].get()] = nodes[i]->dependencies.size();
        for (const GraphNode* dependency : nodes[i]->dependencies) successors[dependency].push_back(i);
        if (nodes[i]->dependencies.empty()) ready.insert(i);
    }
    std::vector<GraphNode*> order;
    while (!ready.empty()) {
        order.push_back(nodes[*ready.begin()].get());
        ready.erase(ready.begin());
        for (size_t successor : successors[order.back()]) {
            if (--missing[nodes[successor].get()] == 0) ready.insert(successor);
        }
    }
    return order;
}

GraphNode* ExecutableGraph::counterpart(const GraphNode* original) const {
    for (const auto& node : graph->nodes) {
        if (node->original == original) return node.get();
    }
    return nullptr;
}

Work launch_work(const Graph& graph, const std::set<const GraphNode*>& disabled) {
    struct Step {
        Work work;                  // null: nothing to do
        std::vector<size_t> after;  // the steps of the node's dependencies
    };
    std::vector<Step> steps;
    std::map<const GraphNode*, size_t> step_of;
    for (const GraphNode* node : graph.topological_order()) {
        Step step;
        if (!disabled.count(node)) step.work = node->child ? launch_work(*node->child) : node->operation.work;
        for (const GraphNode* dependency : node->dependencies) step.after.push_back(step_of[dependency]);
        step_of[node] = steps.size();
        steps.push_back(std::move(step));
    }
    return [steps = std::move(steps)] {
        std::vector<ClientNote> notes;
        for (const Step& step : steps) {
            std::vector<ClientNote> after;
            for (const size_t earlier : step.after) after.push_back(notes[earlier]);
            notes.push_back(events().graph_node_reached(notes.size() + 1, after));
            if (!step.work) continue;
            events().operation_began(notes.back());
            const int error = step.work();
            events().operation_ended();
            if (error) return error;
        }
        return 0;
    };
}

}  // namespace simt
