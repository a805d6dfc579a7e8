// The order of operations on the device: kernels, copies and whatever else is submitted to streams.
//
// Operations of one stream run in order; events, the default stream and the host order those of different streams. Each
// operation has a vector clock over the streams, which says how far it comes after each of them. The clock follows from
// what the program asked for when it submitted the operation, not from how the run happened to go. What one host thread
// has waited for counts for all host threads, since the order among them is not visible here.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/simt/runtime/events.hpp"

namespace simt::check {

struct OperationOrder {
    uint64_t stream = 0;
    uint64_t sequence = 0;                             // 1 for the stream's first
    std::vector<std::pair<uint64_t, uint64_t>> after;  // by stream, the last operation before this one

    uint64_t last_before(uint64_t other_stream) const;
    // The parts of one operation, which are the nodes of a graph, come in order.
    bool comes_after(const OperationOrder& other) const {
        return (stream == other.stream && sequence == other.sequence) || last_before(other.stream) >= other.sequence;
    }
};
using OrderPointer = std::shared_ptr<const OperationOrder>;

// The runtime keeps the order as a note with each operation.
inline OrderPointer order_of(const ClientNote& operation) {
    return std::static_pointer_cast<const OperationOrder>(operation);
}

// Whether the order is needed.
bool orders_operations();

// An operation is submitted to a stream after `previous` (null: it is the first) and after the others.
ClientNote order_operation(uint64_t stream, uint64_t sequence, const ClientNote& previous,
                           const std::vector<ClientNote>& after);

// The host has seen the end of this operation: what it submits from now on comes after it.
void host_waited_for(const OrderPointer& operation);

// The calling host thread's own accesses, as an operation: it comes after all that the host has waited for, and before
// all that is submitted from now on. Null if the host has waited for everything.
OrderPointer host_operation();

// The host may have read from memory how far the device has come: that counts as having waited for everything.
void host_may_have_synchronized();

// The operation that the calling thread carries out; null if there is none.
const OrderPointer& current_operation();

void begin_operation(OrderPointer order);
void end_operation();

}  // namespace simt::check
