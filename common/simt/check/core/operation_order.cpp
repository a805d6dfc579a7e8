#include "common/simt/check/core/operation_order.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "common/simt/check/core/settings.hpp"

namespace simt::check {
namespace {

using StreamClock = std::vector<std::pair<uint64_t, uint64_t>>;

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

void join(StreamClock& clock, const OrderPointer& operation) {
    if (!operation) return;
    for (const auto& [stream, sequence] : operation->after) join(clock, stream, sequence);
    join(clock, operation->stream, operation->sequence);
}

constexpr uint64_t host_stream = 0;  // those of the device have other numbers

struct HostClock {
    std::mutex mutex;
    StreamClock clock;       // what the host has waited for
    StreamClock submitted;   // the last operation of each stream
    OrderPointer operation;  // what the host does until it next submits or waits; null: nothing yet
    uint64_t operations = 0;
    std::atomic<bool> is_behind{false};  // the host has not waited for everything submitted
};

HostClock& host_clock() {
    static HostClock& clock = *new HostClock;
    return clock;
}

OrderPointer& current_slot() {
    static thread_local OrderPointer order;
    return order;
}

}  // namespace

uint64_t OperationOrder::last_before(uint64_t other_stream) const { return last_in(after, other_stream); }

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
    }
    join(order->after, order_of(previous));
    for (const ClientNote& operation : after) join(order->after, order_of(operation));
    return order;
}

void host_waited_for(const OrderPointer& operation) {
    if (!operation) return;
    HostClock& host = host_clock();
    const std::lock_guard lock(host.mutex);
    join(host.clock, operation);
    host.operation = nullptr;
    host.is_behind = std::any_of(host.submitted.begin(), host.submitted.end(),
                                 [&](const auto& last) { return last_in(host.clock, last.first) < last.second; });
}

OrderPointer host_operation() {
    if (current_slot()) return current_slot();  // a host function, in its place among the operations of its stream
    HostClock& host = host_clock();
    if (!host.is_behind) return nullptr;
    const std::lock_guard lock(host.mutex);
    if (!host.operation) {
        host.operation = std::make_shared<OperationOrder>(OperationOrder{host_stream, ++host.operations, host.clock});
        join(host.clock, host_stream, host.operations);
    }
    return host.operation;
}

void host_may_have_synchronized() {
    HostClock& host = host_clock();
    if (!host.is_behind) return;
    const std::lock_guard lock(host.mutex);
    for (const auto& [stream, sequence] : host.submitted) join(host.clock, stream, sequence);
    host.operation = nullptr;
    host.is_behind = false;
}

const OrderPointer& current_operation() { return current_slot(); }

void begin_operation(OrderPointer order) { current_slot() = std::move(order); }

void end_operation() { current_slot().reset(); }

}  // namespace simt::check
