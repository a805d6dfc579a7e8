// SPDX-License-Identifier: MIT
// The state machine of racecheck. A word, or a byte of a word that lanes share, has a cell: its last store and its uses
// since. transition() says what an access makes of a cell, and how it is ordered against what the cell held. What is
// not ordered may be a race.
//
// Several workers may use a cell at the same time. Each replaces the record that it has seen, or looks again; after
// replacing one record, it looks at the other. So the result is as if one access had come after the other.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "common/simt/check/race/filter.hpp"

namespace simt::check {

// ---- the rest of the filter: a read after a meeting of the warp, or beside reads of other warps or blocks. Returns the
// record of uses; an empty one if the state machine must decide.

ShadowRecord RaceCheck::after_others(ShadowRecord use, ShadowRecord mine, bool is_shared) const {
    const LaneClocks& clocks = order_.clocks();
    const uint64_t blocks = use.date() & ShadowRecord::several_blocks, date = use.date() ^ blocks;
    const bool is_own = use.owner() == mine.owner();
    const bool is_over =
        clocks.is_before_barrier(date & ~ShadowRecord::several_warps) || clocks.is_before_meeting(date, mine.warp());
    if (!is_over && (!is_only_read(use) || (is_own && use.warp() == mine.warp()))) return {};
    uint64_t place = mine.place();
    if (!use.is_plain_word()) return {};
    if (!is_shared && !knows_place(use, place, is_own ? Step::follows : Step::of_other_block)) return {};
    mine = mine.with_place(place).with(is_own ? blocks : ShadowRecord::several_blocks);
    return is_own && !is_over ? mine.with_warp_of(use) : mine;
}

// ---- the state machine. In global memory, records keep all places that other blocks may race with.

// If both uses cannot be kept, plain reads matter most, since they conflict with every store. Dates are rounded down,
// which can hide a race but never invents one.
[[gnu::always_inline]] inline ShadowRecord RaceCheck::use_after_use(const ShadowRecord& earlier, OrderOnDemand& order,
                                                                    const CheckedAccess& current) {
    const ShadowRecord& mine = current.record;
    const bool is_forgotten =
        current.is_shared ? order_.is_obsolete(earlier, true) : order_.is_of_earlier_operation(earlier.owner());
    if (is_forgotten) return mine;
    const auto next = [&](const ShadowRecord& record, Step step) {
        return with_history(record, earlier, current, step);
    };
    const bool stays = earlier.kind() != AccessKind::volatile_access && current.kind == AccessKind::volatile_access;
    if (earlier.owner() != mine.owner()) {
        if (!order_.is_of_this_launch(earlier.owner()) || order().is_ordered) return stays ? earlier : mine;
        if (stays) return next(earlier.with(ShadowRecord::several_blocks), Step::beside);
        return next(mine.with(ShadowRecord::several_blocks), Step::of_other_block);
    }
    if (stays) return next(earlier, Step::joins);
    const ShadowRecord follower = mine.with(earlier.flags() & ShadowRecord::several_blocks);
    if (earlier.clock() < order_.clocks().block_base() || earlier.kind() != mine.kind()) {
        return next(follower, Step::follows);
    }
    if (earlier.has(ShadowRecord::several_warps)) return next(earlier.with_warp_of(mine), Step::joins);
    const uint32_t lanes = earlier.lanes() | mine.lanes();
    if (earlier.warp() == mine.warp() && earlier.clock() == mine.clock()) {
        if (earlier.is_plain_word()) return next(earlier.with_lanes(lanes), Step::joins);
        return next(follower.with_lanes(lanes), Step::follows);
    }
    if (order().is_ordered) return next(follower, Step::follows);
    if (earlier.warp() != mine.warp()) return next(follower.with_warp_of(earlier), Step::follows);
    return next(follower.with_lanes(lanes).with_clock(std::min(earlier.clock(), mine.clock())), Step::follows);
}

[[gnu::always_inline]] inline RaceCheck::Transition RaceCheck::transition(const ShadowCell& cell,
                                                                          const CheckedAccess& current) {
    Transition next{cell, {order_, cell.store, current}, {order_, cell.use, current}};
    if (!current.only_stores()) {
        next.cell.use = use_after_use(cell.use, next.of_use, current);
        return next;
    }
    const ShadowRecord& mine = current.record;
    const uint32_t earlier = cell.store.owner(), user = cell.use.owner();
    next.cell = {mine, {}};
    if (current.is_shared) return next;
    if (earlier == mine.owner()) {
        const uint64_t blocks = cell.store.flags() & ShadowRecord::several_blocks;
        next.cell.store = with_history(mine.with(blocks), cell.store, current, Step::follows);
    } else if (order_.is_of_this_launch(earlier) && !next.of_store().is_ordered) {
        next.cell.store =
            with_history(mine.with(ShadowRecord::several_blocks), cell.store, current, Step::of_other_block);
    }
    // The block's own uses may yet race with other blocks.
    if (user == mine.owner() || !next.of_use().is_ordered) next.cell.use = cell.use;
    return next;
}

// `seen`: what the cell held when the caller looked. If it holds something else by now, does nothing and returns false.
bool RaceCheck::check_cell(ShadowCell& cell, ShadowCell seen, const CheckedAccess& current) {
    const bool is_shared = current.is_shared;
    for (bool has_stored = false;; seen.use = ShadowRecord::load(cell.use)) {
        Transition next = transition(seen, current);
        if (current.only_stores() && !has_stored) {
            has_stored = replace(cell.store, seen.store, next.cell.store, is_shared);
            if (!has_stored) return false;
        }
        if (!replace(cell.use, seen.use, next.cell.use, is_shared)) {
            if (has_stored) continue;
            return false;
        }
        const ShadowRecord newer = has_stored ? seen.store : ShadowRecord::load(cell.store);
        if (newer.has(ShadowRecord::split) && !is_shared) return false;
        if (newer.date() != seen.store.date()) {
            OrderOnDemand order(order_, newer, current);
            report_races(newer, true, order, current);
        }
        report_races(seen.store, true, next.of_store, current);
        report_races(seen.use, false, next.of_use, current);
        return true;
    }
}

// ---- what is not ordered

// A volatile access orders nothing, but flags are written that way.
RaceCheck::Verdict RaceCheck::verdict_on(const ShadowRecord& earlier, bool is_store, const CheckedAccess& current) {
    const bool is_one_plain = earlier.kind() == AccessKind::plain || current.kind == AccessKind::plain;
    if (is_store) return is_one_plain ? Verdict::race : Verdict::race_unless_flag;
    if (is_one_plain) return current.is_write || is_atomic(earlier.kind()) ? Verdict::race : Verdict::fine;
    if (is_atomic(earlier.kind()) && current.is_too_narrow_for(earlier)) return Verdict::race;
    return current.only_stores() ? Verdict::race_unless_flag : Verdict::fine;
}

void RaceCheck::report_races(const ShadowRecord& earlier, bool is_store, OrderOnDemand& order_of,
                             const CheckedAccess& current) {
    if (!(earlier.bytes() & current.record.bytes())) return;
    const bool is_fine = verdict_on(earlier, is_store, current) == Verdict::fine;
    if ((is_fine && !Histories::is_mixed(earlier.place())) || order_of().is_certain()) return;
    if (!Histories::is_history(earlier.place())) return report_race(earlier, is_store, current, order_of().if_flag);
    const Ordering& order = order_of();
    const History history = Histories::instance().of(earlier);
    const auto report_all = [&](const ShadowRecord& record, const std::vector<PastAccess>& accesses) {
        for (const PastAccess& access : accesses) {
            ShadowRecord one = record.with_place(access.place).with_kind(access.kind);
            if (access.block != PastAccess::by_several) {
                one = one.with_owner(record.owner() + access.block).without(ShadowRecord::several_blocks);
                if (&accesses == &history.of_others && one.owner() == current.record.owner()) continue;
            }
            report_race(one, is_store, current);
        }
    };
    const ShadowRecord latest = earlier.with_place(history.latest).without(ShadowRecord::several_blocks);
    if (!order.is_ordered) {
        // A lane that has learned nothing knows no access of another block. Otherwise it may know the earlier ones.
        const bool all_race = latest.owner() != current.record.owner() && !published_.has_learned(current.lane);
        report_all(latest, all_race ? history.own : std::vector<PastAccess>{{history.latest, latest.kind()}});
    } else if (order.if_flag.address) {
        report_race(latest, is_store, current, order.if_flag);
    }
    if (!order.are_others_ordered) report_all(earlier, history.of_others);
}

void RaceCheck::report_race(const ShadowRecord& earlier, bool earlier_is_store, const CheckedAccess& current,
                            PossibleFlag unless_flag) {
    const Verdict verdict = verdict_on(earlier, earlier_is_store, current);
    if (verdict == Verdict::fine) return;
    if (verdict == Verdict::race_unless_flag) {
        if (unless_flag.address) return;
        // The first of the bytes that both touch.
        const auto skipped = static_cast<unsigned>(std::countr_zero(earlier.bytes() & current.record.bytes()));
        unless_flag = flag_at(current.word + skipped, current.is_shared);
    }
    reporter_.report_race(earlier, earlier_is_store, current, unless_flag);
    if (reporter_.has_doubts()) has_deferred_ = true;
}

}  // namespace simt::check
