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

// Of the nodes that could be next it takes the one added first, so a captured graph runs in capture order.
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
    std::vector<Work> steps;
    for (const GraphNode* node : graph.topological_order()) {
        if (disabled.count(node)) continue;
        if (node->child) {
            steps.push_back(launch_work(*node->child));
        } else if (node->operation.work) {
            steps.push_back(node->operation.work);
        }
    }
    return [steps = std::move(steps)] {
        for (const Work& step : steps) {
            if (const int error = step()) return error;
        }
        return 0;
    };
}

}  // namespace simt
