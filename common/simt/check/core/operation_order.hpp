// SPDX-License-Identifier: MIT
// The order of operations on the device: kernels, copies and whatever else is submitted to streams.
//
// Operations of one stream run in order; events, the default stream and the host order those of different streams. Each
// operation has a vector clock over the streams, which says how far it comes after each of them. The clock follows from
// what the program asked for when it submitted the operation, not from how the run happened to go. What one host thread
// has waited for counts for all host threads, since the order among them is not visible here.
//
// The operations that a grid starts have clocks over the grid's own streams. They are part of the grid's operation:
// outside the grid they are ordered as it is. Each comes after those of the grid's accesses that the launching lane
// knew of; one in the tail launch stream comes after the whole grid. In the same way, the nodes of a graph are part of
// its launch, each as if in a stream of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/simt/runtime/events.hpp"

namespace simt::check {

struct OperationOrder;
using OrderPointer = std::shared_ptr<const OperationOrder>;

struct OperationOrder {
    uint64_t stream = 0;
    uint64_t sequence = 0;                             ///< 1: the stream's first
    std::vector<std::pair<uint64_t, uint64_t>> after;  ///< by stream, the last operation before this one
    /// For an operation started by a grid: the grid's order, the nesting depth, and what the launching lane knew
    /// (LogRanges). A node of a graph is part of an operation, too, but not of a grid's.
    OrderPointer parent;
    unsigned depth = 0;
    bool is_in_tail = false, is_graph_node = false;
    std::shared_ptr<const void> known;

    uint64_t last_before(uint64_t other_stream) const;
    bool comes_after(const OperationOrder& other) const;
    /// Whether both are part of the same host operation; whether this one's host operation is another one that comes
    /// after the other's.
    bool is_put_with(const OperationOrder& other) const;
    bool is_put_after(const OperationOrder& other) const;
    /// The host operation that this one is part of.
    const OperationOrder& of_host() const;

private:
    bool comes_after_beside(const OperationOrder& other) const;
};

/// The runtime keeps the order as a note with each operation.
inline OrderPointer order_of(const ClientNote& operation) {
    return std::static_pointer_cast<const OperationOrder>(operation);
}

/// Makes the clock come after this operation and everything that it comes after.
using StreamClock = std::vector<std::pair<uint64_t, uint64_t>>;
void join(StreamClock& clock, const OrderPointer& operation);

/// Whether the order is needed.
bool orders_operations();

/// An operation is submitted to a stream after `previous` (null: it is the first) and after the others.
ClientNote order_operation(uint64_t stream, uint64_t sequence, const ClientNote& previous,
                           const std::vector<ClientNote>& after);

/// The current operation, a graph launch, reaches the node with this number, which comes after the others.
ClientNote order_graph_node(uint64_t number, const std::vector<ClientNote>& after);

/// The host has seen the end of this operation: whatever it submits from now on comes after it.
void host_waited_for(const OrderPointer& operation);

/// The calling host thread's own accesses, as an operation: it comes after everything that the host has waited for, and
/// before everything submitted from now on. Null if the host has waited for everything.
OrderPointer host_operation();

/// If the host knows that everything it has submitted has ended, runs `action` before anything else is submitted.
void if_host_knows_all(const std::function<void()>& action);

/// The host may have read the device's progress from memory, which counts as having waited for everything.
void host_may_have_synchronized();

/// The host's next accesses, as an operation that comes after everything it has done so far. Null as above.
OrderPointer next_host_operation();

/// The operation that the calling thread carries out; null if there is none.
const OrderPointer& current_operation();

void begin_operation(OrderPointer order);
void end_operation();

}  // namespace simt::check
