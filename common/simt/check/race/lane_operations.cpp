// SPDX-License-Identifier: MIT
#include "common/simt/check/race/lane_operations.hpp"

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/race/block.hpp"

namespace simt::check {

ClientNote operation_of_lane(const LaneOperation& operation, const std::vector<ClientNote>& after) {
    RaceCheck* const races = current_check ? current_check->races() : nullptr;
    if (!races) return nullptr;
    auto order = std::make_shared<OperationOrder>();
    order->stream = operation.stream;
    order->sequence = operation.number;
    order->is_in_tail = operation.is_in_tail;
    order->parent = races->launch_order();
    order->depth = order->parent ? order->parent->depth + 1 : 0;
    order->known = races->publish_to_operation(current_check->running_lane());
    for (const ClientNote& operation_before : after) join(order->after, order_of(operation_before));
    return order;
}

std::shared_ptr<const LogRanges> known_at_start(const OrderPointer& order) {
    if (!order) return nullptr;
    if (order->parent && !order->is_graph_node) return std::static_pointer_cast<const LogRanges>(order->known);
    return LaunchHistory::instance().learned_before(order->of_host());
}

bool is_known(const std::shared_ptr<const LogRanges>& known, const ShadowRecord& record) {
    if (!known) return false;
    PossibleFlag if_flag;
    return record.all_of(record.lanes(), [&](const RecordedLane& lane) {
        return is_known_through(*known, {record.owner(), lane, record.clock()}, if_flag);
    });
}

bool is_known(const std::shared_ptr<const LogRanges>& known, const OperationOrder& other) {
    PossibleFlag if_flag;
    return known && is_known_through(*known, other, if_flag);
}

}  // namespace simt::check
