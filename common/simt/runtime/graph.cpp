// SPDX-License-Identifier: MIT
// make: room -O1 (the host calls this room once per launch or copy, and no lane calls it)
#include "common/simt/runtime/graph.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "common/simt/runtime/device.hpp"

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
        for (auto& body : node->bodies) body = body->clone();
    }
    copy->conditions = conditions;
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

cudaError_t account_for_memory(const Graph& graph, bool frees_earlier) {
    std::set<const void*> freed;
    for (const auto& node : graph.nodes) {
        if (node->operation.type == cudaGraphNodeTypeMemFree) freed.insert(node->operation.memory->pointer);
    }
    for (const auto& node : graph.nodes) {
        if (node->operation.type != cudaGraphNodeTypeMemAlloc) continue;
        const auto& memory = node->operation.memory;
        if (freed.erase(memory->pointer) == 0 && !keep_graph_memory(memory) && !frees_earlier)
            return cudaErrorInvalidValue;
    }
    for (const void* pointer : freed) drop_graph_memory(pointer);
    return cudaSuccess;
}

namespace {

Work work_of(const Graph& graph, const std::set<const GraphNode*>& disabled);

/// Runs the bodies of a conditional node as its value says.
Work conditional_work(const GraphNode& node) {
    std::vector<Work> bodies;
    for (const auto& body : node.bodies) bodies.push_back(work_of(*body, {}));
    return [condition = node.condition, type = node.condition_type, bodies = std::move(bodies)] {
        const auto value = [&] { return __atomic_load_n(&condition->value, __ATOMIC_ACQUIRE); };
        int error = 0;
        switch (type) {
            case cudaGraphCondTypeIf: {
                const size_t body = value() ? 0 : 1;
                return body < bodies.size() ? bodies[body]() : 0;
            }
            case cudaGraphCondTypeWhile:
                while (error == 0 && value()) error = bodies[0]();
                return error;
            default: return value() < bodies.size() ? bodies[value()]() : 0;
        }
    };
}

Work work_of_node(const GraphNode& node) {
    if (node.condition) return conditional_work(node);
    return node.child ? work_of(*node.child, {}) : node.operation.work;
}

void collect_conditions(const Graph& graph, std::vector<std::shared_ptr<Condition>>& conditions) {
    conditions.insert(conditions.end(), graph.conditions.begin(), graph.conditions.end());
    for (const auto& node : graph.nodes) {
        if (node->child) collect_conditions(*node->child, conditions);
        for (const auto& body : node->bodies) collect_conditions(*body, conditions);
    }
}

Work work_of(const Graph& graph, const std::set<const GraphNode*>& disabled) {
    struct Step {
        Work work;                  // null: nothing to do
        std::vector<size_t> after;  // the steps of the node's dependencies
    };
    std::vector<Step> steps;
    std::map<const GraphNode*, size_t> step_of;
    for (const GraphNode* node : graph.topological_order()) {
        Step step;
        if (!disabled.count(node)) step.work = work_of_node(*node);
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

}  // namespace

Work launch_work(const Graph& graph, const std::set<const GraphNode*>& disabled) {
    std::vector<std::shared_ptr<Condition>> conditions;
    collect_conditions(graph, conditions);
    Work work = work_of(graph, disabled);
    if (conditions.empty()) return work;
    return [conditions = std::move(conditions), work = std::move(work)] {
        for (const auto& condition : conditions) {
            if (condition->has_initial) condition->value = condition->initial;
        }
        return work();
    };
}

// ---- streams that record their work

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

// ---- streams that run it, or record it

cudaError_t dispatch(Stream& stream, Operation operation, Start start) {
    if (const auto capture = stream.capture()) {
        if (!is_waited_for(start)) return record(stream, std::move(operation));
        const std::lock_guard lock(capture->mutex);
        capture->invalidated = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    if (!operation.work) return cudaSuccess;
    const Ticket ticket = stream.device().enqueue(stream, std::move(operation.work), {}, start);
    if (!is_waited_for(start)) return cudaSuccess;
    if (start == Start::by_waiting) ticket.host_waits();
    else ticket.wait();
    return static_cast<cudaError_t>(stream.device().broken());
}

}  // namespace simt
