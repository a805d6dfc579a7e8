// SPDX-License-Identifier: MIT
#include "common/simt/check/core/operation_order.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "common/simt/check/core/settings.hpp"

namespace simt::check {
namespace {

void join(StreamClock& clock, uint64_t stream, uint64_t sequence) {
    const auto found = std::lower_bound(clock.begin(), clock.end(), std::pair(stream, uint64_t{0}));
    if (found == clock.end() || found->first != stream) {
        clock.insert(found, {stream, sequence});
    } else {
        found->second = std::max(found->second, sequence);
    }
}

uint64_t last_in(const StreamClock& clock, uint64_t stream) {
    const auto found = std::lower_bound(clock.begin(), clock.end(), std::pair(stream, uint64_t{0}));
    return found == clock.end() || found->first != stream ? 0 : found->second;
}

constexpr uint64_t host_stream = 0;  // those of the device have other numbers

struct HostClock {
    std::mutex mutex;
    StreamClock clock;       // what the host has waited for
    StreamClock submitted;   // the last operation of each stream
    OrderPointer operation;  // the host's accesses until it next submits or waits; null: none yet
    uint64_t operations = 0;
    uint64_t running = 0;                // operations that have been submitted and have not ended
    std::atomic<bool> is_behind{false};  // the host has not waited for everything submitted
};

HostClock& host_clock() {
    static HostClock& clock = *new HostClock;
    return clock;
}

// Call it with the mutex held.
const OrderPointer& operation_of(HostClock& host) {
    if (!host.operation) {
        auto operation = std::make_shared<OperationOrder>();
        operation->stream = host_stream;
        operation->sequence = ++host.operations;
        operation->after = host.clock;
        host.operation = std::move(operation);
        join(host.clock, host_stream, host.operations);
    }
    return host.operation;
}

// A stream's operation may start others on the way. (Never destroyed: when the program has returned from main(), that
// thread runs what is left in the streams, after the end of its own variables.)
std::vector<OrderPointer>& current_operations() {
    static thread_local auto& orders = *new std::vector<OrderPointer>{nullptr};
    return orders;
}

}  // namespace

void join(StreamClock& clock, const OrderPointer& operation) {
    if (!operation) return;
    for (const auto& [stream, sequence] : operation->after) join(clock, stream, sequence);
    join(clock, operation->stream, operation->sequence);
}

uint64_t OperationOrder::last_before(uint64_t other_stream) const { return last_in(after, other_stream); }

// For two operations of the host, or two of the same grid or graph.
bool OperationOrder::comes_after_beside(const OperationOrder& other) const {
    if (is_in_tail && !other.is_in_tail) return true;
    if (other.is_in_tail && !is_in_tail) return false;
    if (stream == other.stream && sequence == other.sequence) return true;
    return last_before(other.stream) >= other.sequence;
}

bool OperationOrder::comes_after(const OperationOrder& other) const {
    const OperationOrder *later = this, *earlier = &other, *child = this;
    for (; earlier->depth > later->depth; earlier = earlier->parent.get()) {}
    for (; later->depth > earlier->depth; later = later->parent.get()) child = later;
    if (later == earlier) return depth <= other.depth || child->is_in_tail;
    for (; later->parent != earlier->parent; later = later->parent.get(), earlier = earlier->parent.get()) {}
    return later->comes_after_beside(*earlier);
}

bool OperationOrder::is_put_with(const OperationOrder& other) const {
    const OperationOrder &one = of_host(), &another = other.of_host();
    return one.stream == another.stream && one.sequence == another.sequence;
}

bool OperationOrder::is_put_after(const OperationOrder& other) const {
    const OperationOrder &later = of_host(), &earlier = other.of_host();
    if (later.stream == earlier.stream) return later.sequence > earlier.sequence;
    return later.last_before(earlier.stream) >= earlier.sequence;
}

const OperationOrder& OperationOrder::of_host() const { return parent ? parent->of_host() : *this; }

bool orders_operations() { return settings().racecheck; }

ClientNote order_operation(uint64_t stream, uint64_t sequence, const ClientNote& previous,
                           const std::vector<ClientNote>& after) {
    auto order = std::make_shared<OperationOrder>();
    order->stream = stream;
    order->sequence = sequence;
    {
        HostClock& host = host_clock();
        const std::lock_guard lock(host.mutex);
        order->after = host.clock;
        join(host.submitted, stream, sequence);
        host.operation = nullptr;
        host.is_behind = true;
        ++host.running;
    }
    join(order->after, order_of(previous));
    for (const ClientNote& operation : after) join(order->after, order_of(operation));
    return order;
}

ClientNote order_graph_node(uint64_t number, const std::vector<ClientNote>& after) {
    auto order = std::make_shared<OperationOrder>();
    order->stream = number;
    order->sequence = 1;
    order->is_graph_node = true;
    order->parent = current_operation();
    order->depth = order->parent ? order->parent->depth + 1 : 0;
    for (const ClientNote& node : after) join(order->after, order_of(node));
    return order;
}

// (A node of a graph counts as the whole graph.)
void host_waited_for(const OrderPointer& operation) {
    if (!operation) return;
    if (operation->parent) return host_waited_for(operation->parent);
    HostClock& host = host_clock();
    const std::lock_guard lock(host.mutex);
    join(host.clock, operation);
    host.operation = nullptr;
    host.is_behind = std::any_of(host.submitted.begin(), host.submitted.end(),
                                 [&](const auto& last) { return last_in(host.clock, last.first) < last.second; });
}

void if_host_knows_all(const std::function<void()>& action) {
    HostClock& host = host_clock();
    const std::lock_guard lock(host.mutex);
    if (host.running == 0 && !host.is_behind) action();
}

OrderPointer host_operation() {
    if (current_operation())
        return current_operation();  // a host function, in its place among the operations of its stream
    HostClock& host = host_clock();
    if (!host.is_behind) return nullptr;
    const std::lock_guard lock(host.mutex);
    return operation_of(host);
}

OrderPointer next_host_operation() {
    HostClock& host = host_clock();
    if (current_operation() || !host.is_behind) return nullptr;
    const std::lock_guard lock(host.mutex);
    host.operation = nullptr;
    return operation_of(host);
}

void host_may_have_synchronized() {
    HostClock& host = host_clock();
    if (!host.is_behind) return;
    const std::lock_guard lock(host.mutex);
    for (const auto& [stream, sequence] : host.submitted) join(host.clock, stream, sequence);
    host.operation = nullptr;
    host.is_behind = false;
}

const OrderPointer& current_operation() { return current_operations().back(); }

void begin_operation(OrderPointer order) { current_operations().push_back(std::move(order)); }

void end_operation() {
    const OrderPointer ended = std::move(current_operations().back());
    current_operations().pop_back();
    if (!ended || ended->parent) return;
    HostClock& host = host_clock();
    const std::lock_guard lock(host.mutex);
    --host.running;
}

}  // namespace simt::check
