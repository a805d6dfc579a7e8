// SPDX-License-Identifier: MIT
// Decides which recorded accesses happened before a lane's current access. An earlier access did if
//   - the same lane made it, or streams, events or the host order its operation before this launch;
//   - block barriers or meetings of warps lie between (LaneClocks), or grid barriers (each begins a new numbering);
//   - the lane, or a launch before this one, has learned of it through synchronization variables (Publication).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/race/lane_clocks.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/race/publication.hpp"
#include "common/simt/check/race/shadow.hpp"

namespace simt::check {

/// Whether the accesses of a record happened before the current access.
struct Ordering {
    bool is_ordered = true;
    bool are_others_ordered = true;  ///< those of other blocks, if the record stands for several
    PossibleFlag if_flag;            ///< they are ordered only if this variable is a flag; no address: in any case

    bool is_certain() const { return is_ordered && are_others_ordered && !if_flag.address; }
};

class HappensBefore {
public:
    /// Barriers, meetings and fences advance them. They also hold the block's number.
    LaneClocks& clocks() { return clocks_; }
    const LaneClocks& clocks() const { return clocks_; }
    /// What the lanes have learned of each other through synchronization variables.
    Publication& published() { return published_; }

    void begin_block(std::shared_ptr<RaceLaunch> launch, uint64_t block_index, unsigned lanes);
    /// After a grid barrier, and when dates run out: the block gets another number, after all its earlier accesses.
    void begin_numbering(unsigned lanes);

    /// Whether the block belongs to an operation that comes before this launch.
    bool is_of_earlier_operation(uint32_t owner) const { return owner < ordered_below_; }
    bool is_of_this_launch(uint32_t owner) const { return owner - first_block_ < block_count_; }
    /// Whether no access can race with this record anymore.
    bool is_obsolete(const ShadowRecord& earlier, bool is_shared) const;
    Ordering order_of(const ShadowRecord& earlier, const CheckedAccess& current) const;

    /// The same for the filter: plain accesses to whole words, whose records equal `stamp` except for the place.
    bool is_of_earlier_block(uint64_t date, bool is_shared) const;
    bool is_store_ordered(uint64_t date, const ShadowRecord& store, const ShadowRecord& stamp, bool is_shared) const;
    bool is_use_ordered(const ShadowRecord& use, const ShadowRecord& stamp, bool is_shared) const;

private:
    void take_numbers();
    bool is_launch_known(const ShadowRecord& earlier, unsigned lane, PossibleFlag& if_flag) const;

    LaneClocks clocks_;
    uint64_t ordered_dates_below_ = 0;            // dates of shadow records of earlier operations
    uint32_t ordered_below_ = 0;                  // the same for numbers of blocks
    uint32_t first_block_ = 0, block_count_ = 0;  // the numbers of this launch's blocks
    unsigned generation_ = 0;                     // numberings that the block has had in this launch
    uint64_t block_index_ = 0;
    std::shared_ptr<RaceLaunch> launch_;
    Publication published_{clocks_};
};

/// The same, found out when it is first asked for: it may take a search of everything that the lane has learned.
class OrderOnDemand {
public:
    OrderOnDemand(const HappensBefore& order, const ShadowRecord& earlier, const CheckedAccess& current)
        : order_(order), earlier_(earlier), current_(current) {}
    const Ordering& operator()() {
        if (!known_) known_ = order_.order_of(earlier_, current_);
        return *known_;
    }

private:
    const HappensBefore& order_;
    const ShadowRecord& earlier_;
    const CheckedAccess& current_;
    std::optional<Ordering> known_;
};

/// Other blocks' accesses to shared memory do not concern this block.
[[gnu::always_inline]] inline bool HappensBefore::is_of_earlier_block(uint64_t date, bool is_shared) const {
    const uint64_t owner = date & ShadowRecord::owner_mask;
    return is_shared ? owner != clocks_.first_date() : owner < ordered_dates_below_;
}

[[gnu::always_inline]] inline bool HappensBefore::is_store_ordered(uint64_t date, const ShadowRecord& store,
                                                                   const ShadowRecord& stamp, bool is_shared) const {
    if (clocks_.is_before_barrier(date)) return true;
    if (is_shared ? is_of_earlier_block(date, is_shared) : date < ordered_dates_below_) return true;
    if (date == stamp.date()) return ShadowRecord::load_own(store).lanes() == stamp.lanes();
    return clocks_.is_before_meeting(date, stamp.warp());
}

[[gnu::always_inline]] inline bool HappensBefore::is_use_ordered(const ShadowRecord& use, const ShadowRecord& stamp,
                                                                 bool is_shared) const {
    const uint64_t date = use.date();
    if (clocks_.is_before_barrier(date & ~ShadowRecord::several_warps)) return true;
    if (is_of_earlier_block(date, is_shared)) return true;
    if (date == stamp.date()) return use.lanes() == stamp.lanes();
    return clocks_.is_before_meeting(date, stamp.warp());
}

}  // namespace simt::check
