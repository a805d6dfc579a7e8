// SPDX-License-Identifier: MIT
// racecheck of one cell of the shadow memory: who raced with an access, and what the cell holds afterwards.
//
// Several workers may use a cell at the same time. Each replaces the record that it has seen, or looks again; after
// replacing one record, it looks at the other. So the result is as if one access had come after the other.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/race/usual.hpp"

namespace simt::check {

// `store` and `use`: what the cell held when the caller looked. If it holds something else by now, does nothing and
// returns false.
bool RaceCheck::check_cell(ShadowCell& cell, const ShadowRecord& store, ShadowRecord use,
                           const CheckedAccess& current) {
    answer_count_ = 0;
    if (current.is_write && !is_atomic(current.kind)) {
        if (!replace(cell.store, store, store_after_store(store, current), current.is_shared)) return false;
        while (!replace(cell.use, use, use_after_store(use, current), current.is_shared)) {
            use = ShadowRecord::load(cell.use);
        }
    } else {
        if (!replace(cell.use, use, use_after_use(use, current), current.is_shared)) return false;
        const ShadowRecord newer = ShadowRecord::load(cell.store);
        if (newer.has(ShadowRecord::split) && !current.is_shared) return false;
        if (newer.date() != store.date()) compare(newer, true, current);
    }
    compare(store, true, current);
    compare(use, false, current);
    return true;
}

// The answer takes a search of everything the lane has learned, and is needed more than once.
RaceCheck::OrderAnswer RaceCheck::order_of(const ShadowRecord& earlier, const CheckedAccess& current) {
    for (unsigned i = 0; i < answer_count_; ++i) {
        const OrderAnswer& known = answers_[i];
        if (known.date == earlier.date() && known.lanes == earlier.lanes()) return known;
    }
    OrderAnswer answer{earlier.date(), earlier.lanes(), false, {}};
    answer.is_ordered = order_.is_ordered(earlier, current, answer.if_flag);
    if (answer_count_ < answers_.size()) answers_[answer_count_++] = answer;
    return answer;
}

// ---- what two unordered accesses are

// A volatile access orders nothing, but flags are written that way.
RaceCheck::Verdict RaceCheck::clash_with_store(const ShadowRecord& earlier, const CheckedAccess& current) {
    if (earlier.empty() || !(earlier.bytes() & current.record.bytes())) return Verdict::fine;
    if (earlier.kind() == AccessKind::plain || current.kind == AccessKind::plain) return Verdict::race;
    return Verdict::race_unless_flag;
}

RaceCheck::Verdict RaceCheck::clash_with_use(const ShadowRecord& earlier, const CheckedAccess& current) {
    if (earlier.empty() || !(earlier.bytes() & current.record.bytes())) return Verdict::fine;
    const bool only_stores = current.is_write && !is_atomic(current.kind);
    switch (earlier.kind()) {
        case AccessKind::plain: return current.is_write ? Verdict::race : Verdict::fine;
        case AccessKind::volatile_access:
            if (!only_stores) return Verdict::fine;
            return current.kind == AccessKind::plain ? Verdict::race : Verdict::race_unless_flag;
        case AccessKind::atomic:
        case AccessKind::block_atomic:
            if (current.kind == AccessKind::plain) return Verdict::race;
            if (current.is_too_narrow_for(earlier)) return Verdict::race;
            return only_stores ? Verdict::race_unless_flag : Verdict::fine;
    }
    return Verdict::fine;
}

void RaceCheck::compare(const ShadowRecord& earlier, bool is_store, const CheckedAccess& current) {
    if (earlier.empty() || !(earlier.bytes() & current.record.bytes())) return;
    if (is_store && earlier.has(ShadowRecord::pending) && earlier.owner() == order_.clocks().owner()) {
        return report_race(earlier, is_store, current, Verdict::race);
    }
    const auto verdict_on = [&](const ShadowRecord& one) {
        return is_store ? clash_with_store(one, current) : clash_with_use(one, current);
    };
    const auto report_if_doubtful = [&](const ShadowRecord& one, const OrderAnswer& order) {
        if (!order.if_flag.address || verdict_on(one) != Verdict::race) return;
        report_race(one, is_store, current, Verdict::race, order.if_flag);
    };
    if (!Histories::is_history(earlier.place())) {
        const Verdict verdict = verdict_on(earlier);
        if (verdict == Verdict::fine) return;
        const OrderAnswer order = order_of(earlier, current);
        if (!order.is_ordered) report_race(earlier, is_store, current, verdict);
        else report_if_doubtful(earlier, order);
        return;
    }
    const History history = Histories::instance().of(earlier);
    const auto report_all = [&](const ShadowRecord& record, const std::vector<PastAccess>& accesses) {
        for (const PastAccess& access : accesses) {
            ShadowRecord one = record.with_place(access.place).with_kind(access.kind);
            if (access.block != PastAccess::by_several) {
                one = one.with_owner(record.owner() + access.block).without(ShadowRecord::several_blocks);
                if (&accesses == &history.of_others && one.owner() == order_.clocks().owner()) continue;
            }
            if (const Verdict verdict = verdict_on(one); verdict != Verdict::fine) {
                report_race(one, is_store, current, verdict);
            }
        }
    };
    const ShadowRecord latest = earlier.with_place(history.latest).without(ShadowRecord::several_blocks);
    if (const OrderAnswer order = order_of(latest, current); order.is_ordered) {
        report_if_doubtful(latest, order);
    } else {
        // A lane that has learned nothing knows no access of another block. Otherwise it may know the earlier ones.
        const bool all_race = latest.owner() != order_.clocks().owner() && !published_.has_learned(current.lane);
        report_all(latest, all_race ? history.own : std::vector<PastAccess>{{history.latest, latest.kind()}});
    }
    if (!order_.are_others_ordered(earlier, current)) report_all(earlier, history.of_others);
}

// ---- what a cell holds after an access. In global memory, records keep all places that other blocks may race with.

ShadowRecord RaceCheck::store_after_store(const ShadowRecord& earlier, const CheckedAccess& current) {
    const ShadowRecord& mine = current.record;
    if (earlier.empty() || current.is_shared || order_.is_of_earlier_operation(earlier.owner())) return mine;
    if (earlier.owner() == order_.clocks().owner()) {
        const uint64_t blocks = earlier.flags() & ShadowRecord::several_blocks;
        return with_history(mine.with(blocks), earlier, mine, Step::follows, false);
    }
    if (!order_.is_of_this_launch(earlier.owner()) || is_ordered(earlier, current)) return mine;
    return with_history(mine.with(ShadowRecord::several_blocks), earlier, mine, Step::of_other_block, false);
}

ShadowRecord RaceCheck::use_after_store(const ShadowRecord& earlier, const CheckedAccess& current) {
    if (earlier.empty() || current.is_shared || order_.is_of_earlier_operation(earlier.owner())) return {};
    if (earlier.owner() == order_.clocks().owner()) return earlier;
    return is_ordered(earlier, current) ? ShadowRecord() : earlier;
}

// The record of uses after this one. If both cannot be kept, plain reads matter most, since they conflict with every
// store. Dates are rounded down, which can hide a race but never invents one.
ShadowRecord RaceCheck::use_after_use(const ShadowRecord& earlier, const CheckedAccess& current) {
    const ShadowRecord& mine = current.record;
    const bool is_forgotten =
        current.is_shared ? order_.is_obsolete(earlier, true) : order_.is_of_earlier_operation(earlier.owner());
    if (earlier.empty() || is_forgotten) return mine;
    const auto next = [&](const ShadowRecord& record, Step step) {
        return with_history(record, earlier, mine, step, current.is_shared);
    };
    const bool mine_matters = is_atomic(current.kind) || current.kind == AccessKind::plain;
    const bool earlier_matters = is_atomic(earlier.kind()) || earlier.kind() == AccessKind::plain;
    const bool stays = earlier_matters && !mine_matters;
    if (earlier.owner() != order_.clocks().owner()) {
        if (!order_.is_of_this_launch(earlier.owner()) || is_ordered(earlier, current)) {
            return stays ? earlier : mine;
        }
        if (stays) return next(earlier.with(ShadowRecord::several_blocks), Step::beside);
        return next(mine.with(ShadowRecord::several_blocks), Step::of_other_block);
    }
    const uint64_t blocks = earlier.flags() & ShadowRecord::several_blocks;
    if (stays) return next(earlier, Step::joins);
    if (earlier.clock() < order_.clocks().block_base() || earlier.kind() != current.kind) {
        return next(mine.with(blocks), Step::follows);
    }
    const unsigned own_warp = current.lane / 32;
    if (earlier.has(ShadowRecord::several_warps)) {
        return next(earlier.with_warp_of(mine), Step::joins);
    }
    if (earlier.warp() != own_warp) {
        if (is_own_ordered(earlier, current)) return next(mine.with(blocks), Step::follows);
        return next(mine.with(blocks).with_warp_of(earlier), Step::follows);
    }
    if (earlier.lanes() == mine.lanes()) return next(mine.with(blocks), Step::follows);
    if (earlier.clock() != mine.clock() && is_own_ordered(earlier, current)) {
        return next(mine.with(blocks), Step::follows);
    }
    const uint32_t clock = std::min(earlier.clock(), mine.clock());
    return next(mine.with(blocks).with_lanes(earlier.lanes() | mine.lanes()).with_clock(clock), Step::follows);
}

}  // namespace simt::check
