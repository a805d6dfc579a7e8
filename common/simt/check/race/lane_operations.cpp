// SPDX-License-Identifier: MIT
#include "common/simt/check/race/lane_operations.hpp"

#include "common/simt/check/race/block.hpp"

namespace simt::check {

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
