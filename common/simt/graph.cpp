#include "common/simt/graph.hpp"

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

std::vector<GraphNode*> Graph::topological_order() const {
    std::vector<GraphNode*> order;
    std::map<const GraphNode*, size_t> missing;
    std::map<const GraphNode*, std::vector<GraphNode*>> successors;
    for (const auto& node : nodes) {
        missing[node.get()] = node->dependencies.size();
        for (const GraphNode* dependency : node->dependencies) successors[dependency].push_back(node.get());
        if (node->dependencies.empty()) order.push_back(node.get());
    }
    for (size_t next = 0; next < order.size(); ++next) {
        for (GraphNode* successor : successors[order[next]]) {
            if (--missing[successor] == 0) order.push_back(successor);
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
