// SPDX-License-Identifier: MIT
// racecheck of one block: are two accesses to the same bytes, one of them a store, ordered?
//
// Every access looks up its word in the shadow memory. HappensBefore decides whether an earlier access is ordered
// before it, Publication tracks what lanes learn through flags, locks and tickets, and RaceReporter turns two unordered
// accesses into a finding.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/checker.hpp"
#include "common/simt/check/race/happens_before.hpp"
#include "common/simt/check/race/history.hpp"
#include "common/simt/check/race/lane_clocks.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/race/memory.hpp"
#include "common/simt/check/race/place.hpp"
#include "common/simt/check/race/publication.hpp"
#include "common/simt/check/race/reporter.hpp"
#include "common/simt/check/race/shadow.hpp"

namespace simt::check {

class RaceCheck final : public Checker {
public:
    explicit RaceCheck(BlockCheck& check);

    void begin_block() override;
    void access(const Access& access);
    /// The same for a plain, aligned access to whole words.
    template <Space space, unsigned bytes, bool is_write>
    void word_access(uintptr_t address, unsigned lane, const void* pc);
    void arrive(check::Wait kind, unsigned mask, unsigned, Site) override;
    void fence(check::Reach reach) override;
    void begin_atomic(const Access& access);
    void end_atomic(uintptr_t address, bool has_written);
    /// The lane begins to use a synchronization object, which does not order its own initialization.
    void use(uintptr_t object, const void* pc);
    void copy_started(uintptr_t target, size_t bytes, const void* pc) override;
    void copy_finished(uintptr_t target, size_t bytes) override;
    void meeting_completed(unsigned warp, unsigned lanes) override;
    void block_barrier_completed() override;
    void grid_barrier_completed() override;
    void lane_ended(unsigned) override { settle(); }
    void lane_dropped(unsigned) override { leave(); }
    void block_ended() override;
    void leave() override;
    /// The lane starts an operation of its grid, which comes after everything the lane knows now. Returns that.
    std::shared_ptr<const LogRanges> publish_to_operation(unsigned lane);
    const OrderPointer& launch_order() const { return launch_->order(); }

private:
    ShadowRecord record_of(unsigned lane, const void* pc, AccessKind kind) const {
        const LaneClocks& clocks = order_.clocks();
        return {clocks.owner(), 1u << lane % 32, place_of(pc), clocks.clock(lane), lane / 32, 15, kind};
    }

    // Stores the record if the cell still holds the one that was seen.
    bool replace(ShadowRecord& cell, const ShadowRecord& seen, const ShadowRecord& record, bool is_shared);
    // The record, with what is known of the accesses before the current one. Shared memory has no histories: within a
    // block, barriers decide what comes first.
    ShadowRecord with_history(const ShadowRecord& record, const ShadowRecord& earlier, const CheckedAccess& current,
                              Step step) {
        const ShadowRecord& now = current.record;
        if (current.is_shared || (earlier.place() == now.place() && earlier.kind() == now.kind())) return record;
        // (The history must not claim more bytes than the earlier access used.)
        if (record.bytes() & ~earlier.bytes()) return record;
        return record.with_place(
            histories_.after(earlier, {now.place(), now.kind(), now.owner() - earlier.owner()}, step));
    }

    // ---- the filter, for plain accesses to whole words. Returns false for those that the state machine must decide.
    bool passes(ShadowCell* cells, unsigned count, unsigned lane, const void* pc, bool is_shared, bool is_write);
    bool read_passes(ShadowCell& cell, const ShadowRecord& stamp, const void* pc, bool is_shared);
    bool write_passes(ShadowCell& cell, const ShadowRecord& stamp, const void* pc, bool is_shared);
    bool knows_place(const ShadowRecord& record, uint64_t& place, Step step) const;
    bool is_only_read(const ShadowRecord& use) const;
    ShadowRecord after_others(ShadowRecord use, ShadowRecord mine, bool is_shared) const;
    template <Space space, unsigned bytes, bool is_write>
    void unusual_word_access(uintptr_t address, unsigned lane, const void* pc);

    // ---- any access
    void unusual_access(const Access& access);
    void check_foreign(const Access& access);
    void check(const Access& access, AccessKind kind);
    void check_word(ShadowMap& words, uintptr_t address, unsigned bytes, CheckedAccess& current);
    void check_bytes(ShadowCell& word, ShadowCell* cells, unsigned bytes, CheckedAccess& current);
    bool is_split(const ShadowRecord& store, bool is_shared) const;
    void split(ShadowCell& word, ShadowCell* cells, bool is_shared);
    ShadowMap* words_of(Space space, uintptr_t address);
    ShadowMap& bytes_of(const ShadowMap& words);

    // ---- one cell
    // What it holds after an access, and how the access is ordered against what it held.
    struct Transition {
        ShadowCell cell;
        OrderOnDemand of_store, of_use;
    };
    Transition transition(const ShadowCell& cell, const CheckedAccess& current);
    ShadowRecord use_after_use(const ShadowRecord& earlier, OrderOnDemand& order, const CheckedAccess& current);
    bool check_cell(ShadowCell& cell, ShadowCell seen, const CheckedAccess& current);
    // What two unordered accesses are.
    enum class Verdict { fine, race_unless_flag, race };
    static Verdict verdict_on(const ShadowRecord& earlier, bool is_store, const CheckedAccess& current);
    void report_races(const ShadowRecord& earlier, bool is_store, OrderOnDemand& order, const CheckedAccess& current);
    void report_race(const ShadowRecord& earlier, bool earlier_is_store, const CheckedAccess& current,
                     PossibleFlag unless_flag = {});

    // ---- synchronization
    void note_trying_read(const Access& access, ShadowMap& words);
    void synchronize_by_volatile(const Access& access);
    void note_flag(const Access& access);
    PossibleFlag flag_at(uintptr_t address, bool is_shared) const {
        return {address, is_shared ? check_.block_index() + 1 : 0};
    }
    void renew_numbers_if_exhausted();

    // Does what was deferred to the lane's next event.
    void settle() {
        if (__builtin_expect(has_deferred_, 0)) settle_deferred();
    }
    void settle_deferred();

    BlockCheck& check_;
    bool has_deferred_ = false;  // something is deferred to the lane's next event
    bool is_at_grid_barrier_ = false;
    bool is_alone_ = false;  // no other worker runs blocks
    HappensBefore order_;
    HistoryCache histories_;
    ShadowMap shared_, shared_bytes_;
    RaceMemory& memory_;
    Publication& published_;  // of order_
    RaceReporter reporter_;
    std::shared_ptr<RaceLaunch> launch_;
    std::vector<uint32_t> named_;  // by lane: the mask of its last meeting
    Access atomic_ = {};           // the current operation

    std::unordered_set<uintptr_t> flags_;  // addresses that lanes of this block have polled
    uintptr_t polled_ = 0;                 // the volatile variable that a lane has just read
    PossibleFlag polled_if_flag_;
    Space polled_space_ = Space::other;
    unsigned polling_lane_ = 0;
};

}  // namespace simt::check
