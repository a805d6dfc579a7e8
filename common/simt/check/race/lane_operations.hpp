// SPDX-License-Identifier: MIT
// Operations that the lanes of a kernel start: launches, copies and fills in streams of their grid.
#pragma once

#include <memory>

#include "common/simt/check/core/operation_order.hpp"
#include "common/simt/check/race/knowledge.hpp"
#include "common/simt/check/race/shadow.hpp"

namespace simt::check {

// The accesses that are known when the operation starts, besides those of operations before it: known to the lane that
// started it, or learned through variables by the kernels before it. May be null.
std::shared_ptr<const LogRanges> known_at_start(const OrderPointer& order);

// Whether `known` includes all accesses of this record, or of another operation.
bool is_known(const std::shared_ptr<const LogRanges>& known, const ShadowRecord& record);
bool is_known(const std::shared_ptr<const LogRanges>& known, const OperationOrder& other);

}  // namespace simt::check
