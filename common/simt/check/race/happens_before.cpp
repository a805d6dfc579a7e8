// SPDX-License-Identifier: MIT
#include "common/simt/check/race/happens_before.hpp"

#include <utility>

namespace simt::check {

void HappensBefore::begin_block(std::shared_ptr<RaceLaunch> launch, uint64_t block_index, unsigned lanes) {
    launch_ = std::move(launch);
    block_index_ = block_index;
    generation_ = 0;
    take_numbers();
    clocks_.begin(lanes);
}

void HappensBefore::begin_numbering(unsigned lanes) {
    ++generation_;
    take_numbers();
    clocks_.begin(lanes);
}

void HappensBefore::take_numbers() {
    first_block_ = launch_->first_block(generation_);
    block_count_ = launch_->block_count();
    clocks_.set_owner(first_block_ + static_cast<uint32_t>(block_index_ % block_count_));
    // After a grid barrier no earlier access of this launch needs comparing, unless other launches came between.
    const bool is_alone = first_block_ == launch_->ordered_below() + generation_ * block_count_;
    ordered_below_ = is_alone ? first_block_ : launch_->ordered_below();
    ordered_dates_below_ = ShadowRecord::first_date(ordered_below_);
}

bool HappensBefore::is_obsolete(const ShadowRecord& earlier, bool is_shared) const {
    if (earlier.owner() != clocks_.owner()) return is_shared || is_of_earlier_operation(earlier.owner());
    return earlier.clock() < clocks_.block_base() && !earlier.has(ShadowRecord::several_blocks) &&
           !earlier.has(ShadowRecord::split);
}

// Only the last of the other blocks that have used the word is remembered. If the lane has learned nothing, the others
// cannot be ordered; otherwise they are assumed to be ordered if the last one is.
Ordering HappensBefore::order_of(const ShadowRecord& earlier, const CheckedAccess& current) const {
    Ordering order;
    const unsigned lane = current.lane, warp = lane / 32;
    const auto is_known = [&](const RecordedLane& other) {
        return published_.is_known(lane, DatedAccess{earlier.owner(), other, earlier.clock()}, order.if_flag);
    };
    const bool is_own = earlier.owner() == clocks_.owner();
    if (!is_own) {
        if (current.is_shared || is_of_earlier_operation(earlier.owner())) return order;
        const bool is_of_other_launch = !is_of_this_launch(earlier.owner());
        order.is_ordered = (is_of_other_launch && launch_->comes_after_block(earlier.owner(), first_block_)) ||
                           earlier.all_of(earlier.lanes(), is_known) || is_launch_known(earlier, lane, order.if_flag);
    } else if (earlier.has(ShadowRecord::pending) && !earlier.is_of_warps()) {
        order.is_ordered = false;
    } else if (earlier.clock() >= clocks_.block_base()) {
        const bool is_of_warp = earlier.warp() == warp && !earlier.is_of_warps();
        order.is_ordered = earlier.all_of(earlier.lanes() & ~earlier.bit_of(lane), [&](const RecordedLane& other) {
            return (is_of_warp && clocks_.knows_of_warp(lane, other.lane, earlier.clock())) || is_known(other);
        });
    }
    if (!order.is_ordered) order.if_flag = {};
    order.are_others_ordered =
        !earlier.has(ShadowRecord::several_blocks) || published_.has_learned(lane) || (!is_own && order.is_ordered);
    return order;
}

// Whether the lane has learned from a launch that comes after the record's.
bool HappensBefore::is_launch_known(const ShadowRecord& earlier, unsigned lane, PossibleFlag& if_flag) const {
    if (!published_.has_learned(lane) || is_of_this_launch(earlier.owner())) return false;
    const OrderPointer other = LaunchHistory::numbers_of(earlier.owner()).order;
    return other && published_.is_known(lane, *other, if_flag);
}

}  // namespace simt::check
