// SPDX-License-Identifier: MIT
#include "common/simt/check/counters/branches.hpp"

#include <bit>

namespace simt::check {

void BranchTracker::entered(PlaceTally& block, uint32_t lanes) {
    depart(lanes & started_, block.place.code());
    const unsigned execution = std::countr_zero(~used_);
    executions_[execution] = {&block, lanes, 0};
    used_ |= 1u << execution;
    started_ |= lanes;
    for (uint32_t left = lanes; left; left &= left - 1) {
        execution_of_[std::countr_zero(left)] = static_cast<uint8_t>(execution);
    }
    ++block.requests;
    block.lanes += std::popcount(lanes);
}

void BranchTracker::left(uint32_t lanes) {
    constexpr uintptr_t outside = 1;  // no basic block has this address
    depart(lanes & started_, outside);
    started_ &= ~lanes;
}

void BranchTracker::depart(uint32_t lanes, uintptr_t next) {
    while (lanes) {
        const unsigned index = execution_of_[std::countr_zero(lanes)];
        Execution& execution = executions_[index];
        const uint32_t going = lanes & execution.staying;
        lanes &= ~going;
        execution.staying &= ~going;
        execution.block->went_to(next);
        ++execution.departed;
        if (execution.staying) continue;
        ++execution.block->departures;
        execution.block->uniform_departures += execution.departed == 1;
        used_ &= ~(1u << index);
    }
}

}  // namespace simt::check
