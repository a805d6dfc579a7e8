// Operations that the lanes of a kernel start: launches, copies and fills in streams of their grid.
#pragma once

#include <memory>
#include <vector>

#include "common/simt/check/core/operation_order.hpp"
#include "common/simt/check/race/knowledge.hpp"
#include "common/simt/check/race/shadow.hpp"

namespace simt::check {

// The order of an operation that the running lane starts; null if its kernel is not checked.
ClientNote operation_of_lane(const LaneOperation& operation, const std::vector<ClientNote>& after);

// What the lane that started the operation knew of accesses; null for operations of the host.
std::shared_ptr<const LogRanges> known_at_start(const OrderPointer& order);

// Whether it knew all accesses of this record.
bool was_known_at_start(const OrderPointer& order, const ShadowRecord& record);

}  // namespace simt::check
