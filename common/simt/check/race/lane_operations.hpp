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

// What is known of accesses when the operation starts, besides those of what comes before it: by the lane that started
// it, or by the kernels before it, which have learned it through variables. May be null.
std::shared_ptr<const LogRanges> known_at_start(const OrderPointer& order);

// Whether all accesses of this record, or all those of another operation, are among it.
bool is_known(const std::shared_ptr<const LogRanges>& known, const ShadowRecord& record);
bool is_known(const std::shared_ptr<const LogRanges>& known, const OperationOrder& other);

}  // namespace simt::check
