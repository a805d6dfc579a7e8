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

bool HappensBefore::is_settled(const ShadowRecord& earlier, const ShadowRecord& mine, bool is_shared) const {
    if (earlier.owner() != clocks_.owner()) return is_shared || is_of_earlier_operation(earlier.owner());
    if (earlier.clock() < clocks_.block_base()) return true;
    return earlier.warp() == mine.warp() &&
           (earlier.lanes() == mine.lanes() || earlier.clock() < clocks_.warp_base(mine.warp()));
}

// Only the last of the other blocks that have used the word is remembered. If the lane has learned nothing, the others
// cannot be ordered; otherwise they are assumed to be ordered if the last one is.
bool HappensBefore::is_ordered(const ShadowRecord& earlier, const CheckedAccess& current, PossibleFlag& if_flag) const {
    const auto is_known = [&](const RecordedLane& lane) {
        return published_.is_known(current.lane, DatedAccess{earlier.owner(), lane, earlier.clock()}, if_flag);
    };
    if (earlier.owner() != clocks_.owner()) {
        if (current.is_shared || is_of_earlier_operation(earlier.owner())) return true;
        if (launch_->comes_after_block(earlier.owner(), first_block_)) return true;
        return earlier.all_of(earlier.lanes(), is_known) || is_launch_known(earlier, current.lane, if_flag);
    }
    if (earlier.has(ShadowRecord::several_blocks) && !published_.has_learned(current.lane)) return false;
    if (earlier.clock() < clocks_.block_base()) return true;
    const uint32_t others = earlier.lanes() & ~earlier.bit_of(current.lane);
    const unsigned own_warp = current.lane / 32;
    if (earlier.is_of_warps() || earlier.warp() != own_warp) return earlier.all_of(others, is_known);
    if (earlier.clock() < clocks_.warp_base(own_warp)) return true;
    return earlier.all_of(others, [&](const RecordedLane& other) {
        return clocks_.knows_of_warp(current.lane, other.lane, earlier.clock()) || is_known(other);
    });
}

// Whether the lane has learned from a launch that comes after the record's.
bool HappensBefore::is_launch_known(const ShadowRecord& earlier, unsigned lane, PossibleFlag& if_flag) const {
    if (!published_.has_learned(lane) || is_of_this_launch(earlier.owner())) return false;
    const OrderPointer other = LaunchHistory::numbers_of(earlier.owner()).order;
    return other && published_.is_known(lane, *other, if_flag);
}

bool HappensBefore::are_others_ordered(const ShadowRecord& earlier, const CheckedAccess& current) const {
    if (!earlier.has(ShadowRecord::several_blocks) || current.is_shared) return true;
    if (published_.has_learned(current.lane) || is_of_earlier_operation(earlier.owner())) return true;
    return earlier.owner() != clocks_.owner() && launch_->comes_after_block(earlier.owner(), first_block_);
}

}  // namespace simt::check
