// SPDX-License-Identifier: MIT
// The clocks of a block. They decide which accesses of other lanes happened before a lane's current access, as far as
// block barriers and meetings of a warp order them.
//
// The block has one time, which a barrier, a meeting or a fence advances. A lane's clock is the time of its last such
// event, and an access is dated with its lane's clock. It happened before lane l's current access if its date is
// smaller than what l knows of its lane: the time of the last block barrier; within the warp, the time of the last
// meeting of the whole warp; after meetings of only some lanes, a row of a 32 x 32 matrix, a vector clock per lane.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/check/race/shadow.hpp"

namespace simt::check {

class LaneClocks {
public:
    using WarpMatrix = std::array<std::array<uint32_t, 32>, 32>;

    void begin(unsigned lanes);
    /// Sets the block's number for shadow records from now on.
    void set_owner(uint32_t owner);

    /// The record of a plain whole-word access that the lane makes now, without its place.
    const ShadowRecord& stamp(unsigned lane) const { return stamps_[lane]; }
    uint32_t clock(unsigned lane) const { return stamps_[lane].clock(); }
    /// Accesses of any lane of the block, or of a warp for its own lanes, with an earlier date are ordered.
    uint32_t block_base() const { return block_base_; }
    uint32_t warp_base(unsigned warp) const { return warp_bases_[warp]; }
    uint32_t time() const { return time_; }
    uint32_t owner() const { return owner_; }
    /// The same for the dates of shadow records of this block: before its last barrier, or since. A date with a flag is
    /// never before.
    bool is_before_barrier(uint64_t date) const { return date - first_date_ < dates_before_barrier_; }
    bool is_since_barrier(uint64_t date) const { return date - barrier_date_ < dates_since_barrier_; }
    /// The same for an access of this warp before the last meeting of the whole warp.
    bool is_before_meeting(uint64_t date, unsigned warp) const {
        return std::rotr(date - (first_date_ | warp), ShadowRecord::clock_shift) < warp_bases_[warp];
    }
    uint64_t first_date() const { return first_date_; }

    void block_barrier();
    /// These lanes of the warp have met. The warp consists of `every_lane`.
    void meeting(unsigned warp, uint32_t lanes, uint32_t every_lane);
    /// Dates the lane's accesses from now on later than its earlier ones. Returns its clock.
    uint32_t advance(unsigned lane) {
        set_clock(lane, ++time_);
        return time_;
    }

    /// Whether accesses of `other`, in the same warp, with this date are ordered before the current access of `lane`.
    bool knows_of_warp(unsigned lane, unsigned other, uint32_t date) const {
        const unsigned warp = lane / 32;
        if (date < warp_bases_[warp]) return true;
        return has_partly_met(warp) && date < (*matrices_[warp])[lane % 32][other % 32];
    }
    bool has_partly_met(unsigned warp) const { return partly_met_ >> warp & 1; }
    const std::array<uint32_t, 32>& row(unsigned lane) const { return (*matrices_[lane / 32])[lane % 32]; }

private:
    void set_clock(size_t lane, uint32_t clock) { stamps_[lane] = stamps_[lane].with_clock(clock); }

    void date_barrier();

    uint64_t first_date_ = 0;                                      // of the block
    uint64_t barrier_date_ = 0;                                    // of its last barrier
    uint64_t dates_before_barrier_ = 0, dates_since_barrier_ = 0;  // how many there are
    uint32_t owner_ = 0;
    uint32_t time_ = 0, block_base_ = 0;
    uint32_t partly_met_ = 0;  // a bit per warp: since it last met as a whole
    std::array<uint32_t, 32> warp_bases_ = {};
    std::vector<ShadowRecord> stamps_;  // by lane
    std::array<std::unique_ptr<WarpMatrix>, 32> matrices_;
};

}  // namespace simt::check
