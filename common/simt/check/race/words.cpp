// SPDX-License-Identifier: MIT
// racecheck of plain accesses to whole words that the fast path cannot decide: those that barriers and meetings order,
// and reads beside reads. RaceCheck::check handles everything else.
#include <cstdint>
#include <optional>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/race/block.hpp"
#include "common/simt/check/race/usual.hpp"
#include "common/simt/exec/running_launch.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {

void RaceCheck::access(const Access& access) {
    settle();
    ShadowMap* const words = words_of(access.space, access.address);
    if (!words) return;
    check_foreign(access);
    if (access.is_volatile || ((access.address | access.bytes) & 3) || access.bytes > 16) {
        check(access, access.is_volatile ? AccessKind::volatile_access : AccessKind::plain);
        return;
    }
    const bool is_shared = access.space == Space::shared;
    const ShadowRecord mine = record_of(access.lane, access.pc, AccessKind::plain);
    ShadowCell* cell = words->word(access.address);
    for (ShadowCell* const end = cell + access.bytes / 4; cell != end; ++cell) {
        const bool is_fine =
            access.is_write ? write_is_fine(*cell, mine, is_shared) : read_is_fine(*cell, mine, is_shared);
        if (!is_fine) return check(access, AccessKind::plain);
    }
}

// A thread that uses memory too early or too late is stopped, like one that memcheck catches: whether the memory is
// there at that moment is a matter of chance.
void RaceCheck::check_foreign(const Access& access) {
    if (!launch_->has_foreign_ranges() || access.space == Space::shared) return;
    bool is_invalid = false;
    {
        const Uninterrupted section;
        const auto range =
            launch_->foreign_range(access.address, access.bytes, access.is_write, [&](const OperationOrder& other) {
                PossibleFlag if_flag;
                return published_.is_known(access.lane, other, if_flag);
            });
        if (!range) return;
        reporter_.report_foreign(*range, access, order_.clocks().owner());
        is_invalid = range->tool == Tool::memcheck;
    }
    if (is_invalid && settings().memcheck) check_.drop_running_lane(error_launch_failure);
}

ShadowMap* RaceCheck::words_of(Space space, uintptr_t address) {
    if (space == Space::shared) return &shared_;
    if (space == Space::global) return &memory_.device;
    return memory_.variables.contains(address) ? &memory_.variables : nullptr;
}

bool RaceCheck::replace(ShadowRecord& cell, const ShadowRecord& seen, const ShadowRecord& record, bool is_shared) {
    return is_shared ? replace<Space::shared>(cell, seen, record) : replace<Space::global>(cell, seen, record);
}

inline std::optional<ShadowRecord> RaceCheck::use_after_read(const ShadowRecord& use, const ShadowRecord& mine,
                                                             bool is_shared) {
    const bool is_own = use.owner() == order_.clocks().owner();
    if (!is_own && (is_shared || order_.is_of_earlier_operation(use.owner()))) return mine;
    // Other blocks of this launch have read it, too: the record is of the last reader.
    const uint64_t blocks = is_own ? use.flags() & ShadowRecord::several_blocks : ShadowRecord::several_blocks;
    if (use.kind() != AccessKind::plain || (blocks && published_.has_learned())) return std::nullopt;
    if (!is_own && !order_.is_of_this_launch(use.owner())) return std::nullopt;
    const auto next = [&](const ShadowRecord& record, Step step) {
        return with_history(record, use, mine, step, is_shared);
    };
    if (!is_own) return next(mine.with(blocks), Step::of_other_block);
    if (use.clock() < order_.clocks().block_base()) return next(mine.with(blocks), Step::follows);
    // Since the last barrier, by this warp or others.
    if (!use.is_plain_word()) return std::nullopt;
    if (use.has(ShadowRecord::several_warps)) return next(use.with_warp_of(mine), Step::joins);
    if (use.warp() != mine.warp()) {
        if (published_.has_learned()) return std::nullopt;
        return next(mine.with(blocks).with_warp_of(use), Step::follows);
    }
    if (use.clock() == mine.clock()) return next(use.with_lanes(use.lanes() | mine.lanes()), Step::joins);
    if (use.lanes() == mine.lanes() || use.clock() < order_.clocks().warp_base(mine.warp())) {
        return next(mine.with(blocks), Step::follows);
    }
    return std::nullopt;
}

bool RaceCheck::read_is_fine(ShadowCell& cell, const ShadowRecord& mine, bool is_shared) {
    const ShadowRecord store = ShadowRecord::load(cell.store);
    if (store.flags() || !order_.is_settled(store, mine, is_shared)) return false;
    const ShadowRecord use = ShadowRecord::load(cell.use);
    if (!is_shared && tells_all_of_read(use, mine.place())) return true;
    const auto next = use_after_read(use, mine, is_shared);
    if (!next || !replace(cell.use, use, *next, is_shared)) return false;
    return is_shared || ShadowRecord::load_date(cell.store) == store.date();
}

bool RaceCheck::write_is_fine(ShadowCell& cell, const ShadowRecord& mine, bool is_shared) {
    const ShadowRecord store = ShadowRecord::load(cell.store);
    if (store.flags() || !order_.is_settled(store, mine, is_shared)) return false;
    const ShadowRecord use = ShadowRecord::load(cell.use);
    const bool is_own_use = use.owner() == order_.clocks().owner();
    if (!use.empty()) {
        if (is_own_use) {
            if (use.has(ShadowRecord::several_blocks)) return false;
            if (use.has(ShadowRecord::several_warps) && use.clock() >= order_.clocks().block_base()) return false;
        }
        if (!order_.is_settled(use, mine, is_shared)) return false;
    }
    const bool is_own_store = store.owner() == order_.clocks().owner();
    const ShadowRecord next = is_own_store ? with_history(mine, store, mine, Step::follows, is_shared) : mine;
    if (!replace(cell.store, store, next, is_shared)) return false;
    // The block's own uses may yet race with other blocks.
    const ShadowRecord kept = is_own_use && !is_shared ? use : ShadowRecord();
    return replace(cell.use, use, kept, is_shared);
}

}  // namespace simt::check
