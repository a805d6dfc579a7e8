#include "common/simt/check/operation_order.hpp"

#include <algorithm>
#include <mutex>

#include "common/simt/check/settings.hpp"

namespace simt::checking {
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

void join(StreamClock& clock, const OrderPointer& operation) {
    if (!operation) return;
    for (const auto& [stream, sequence] : operation->after) join(clock, stream, sequence);
    join(clock, operation->stream, operation->sequence);
}

// What the host has waited for.
struct HostClock {
    std::mutex mutex;
    StreamClock clock;
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

uint64_t OperationOrder::last_before(uint64_t other_stream) const {
    const auto found = std::lower_bound(after.begin(), after.end(), std::pair(other_stream, uint64_t{0}));
    return found == after.end() || found->first != other_stream ? 0 : found->second;
}

bool orders_operations() { return settings().racecheck; }

OrderPointer order_operation(uint64_t stream, uint64_t sequence, const OrderPointer& previous,
                             const std::vector<OrderPointer>& after) {
    if (!orders_operations()) return nullptr;
    auto order = std::make_shared<OperationOrder>();
    order->stream = stream;
    order->sequence = sequence;
    {
        const std::lock_guard lock(host_clock().mutex);
        order->after = host_clock().clock;
    }
    join(order->after, previous);
    for (const OrderPointer& operation : after) join(order->after, operation);
    return order;
}

void host_waited_for(const OrderPointer& operation) {
    if (!operation) return;
    const std::lock_guard lock(host_clock().mutex);
    join(host_clock().clock, operation);
}

const OrderPointer& current_operation() { return current_slot(); }

CurrentOperation::CurrentOperation(OrderPointer order) { current_slot() = std::move(order); }
CurrentOperation::~CurrentOperation() { current_slot().reset(); }

}  // namespace simt::checking
