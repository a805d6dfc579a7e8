// SPDX-License-Identifier: MIT
#include "common/simt/check/race/lane_clocks.hpp"

#include <algorithm>
#include <bit>

namespace simt::check {

void LaneClocks::begin(unsigned lanes) {
    stamps_.resize(lanes);
    time_ = 0;
    set_owner(owner_);
    block_barrier();
}

void LaneClocks::set_owner(uint32_t owner) {
    owner_ = owner;
    for (unsigned lane = 0; lane < stamps_.size(); ++lane) {
        stamps_[lane] = {owner, 1u << lane % 32, 0, clock(lane), lane / 32, 15, AccessKind::plain};
    }
    date_barrier();
}

void LaneClocks::date_barrier() {
    first_date_ = ShadowRecord::first_date(owner_);
    dates_before_barrier_ = uint64_t{block_base_} << ShadowRecord::clock_shift;
    barrier_date_ = first_date_ + dates_before_barrier_;
    dates_since_barrier_ = ShadowRecord::first_date(1) - dates_before_barrier_;
}

void LaneClocks::block_barrier() {
    block_base_ = ++time_;
    date_barrier();
    partly_met_ = 0;
    warp_bases_.fill(time_);
    for (size_t lane = 0; lane < stamps_.size(); ++lane) set_clock(lane, time_);
}

void LaneClocks::meeting(unsigned warp, uint32_t lanes, uint32_t every_lane) {
    ++time_;
    const unsigned first = warp * 32;
    if (lanes == every_lane) {
        warp_bases_[warp] = time_;
        partly_met_ &= ~(1u << warp);
        const size_t end = std::min<size_t>(first + 32, stamps_.size());
        for (size_t lane = first; lane < end; ++lane) set_clock(lane, time_);
        return;
    }
    if (!matrices_[warp]) matrices_[warp] = std::make_unique<WarpMatrix>();
    WarpMatrix& matrix = *matrices_[warp];
    if (!has_partly_met(warp)) {
        for (auto& row : matrix) row.fill(warp_bases_[warp]);
        partly_met_ |= 1u << warp;
    }
    std::array<uint32_t, 32> joined = {};
    for (uint32_t left = lanes; left; left &= left - 1) {
        const auto& row = matrix[static_cast<unsigned>(std::countr_zero(left))];
        for (unsigned i = 0; i < 32; ++i) joined[i] = std::max(joined[i], row[i]);
    }
    for (uint32_t left = lanes; left; left &= left - 1) joined[static_cast<unsigned>(std::countr_zero(left))] = time_;
    for (uint32_t left = lanes; left; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        matrix[lane] = joined;
        set_clock(first + lane, time_);
    }
}

}  // namespace simt::check
