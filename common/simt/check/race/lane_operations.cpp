#include "common/simt/check/race/lane_operations.hpp"

#include <bit>

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
    return order ? std::static_pointer_cast<const LogRanges>(order->known) : nullptr;
}

bool was_known_at_start(const OrderPointer& order, const ShadowRecord& record) {
    const auto known = known_at_start(order);
    if (!known) return false;
    PossibleFlag if_flag;
    const bool several_warps = record.has(ShadowRecord::several_warps);
    for (uint32_t bits = record.lanes(); bits; bits &= bits - 1) {
        const auto bit = static_cast<unsigned>(std::countr_zero(bits));
        const unsigned lane = several_warps ? bit * 32 : record.warp() * 32 + bit;
        if (!is_known_through(*known, {record.owner(), lane, record.clock()}, if_flag)) return false;
    }
    return true;
}

}  // namespace simt::check
