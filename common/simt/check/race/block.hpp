// racecheck of one block: are two accesses to the same bytes, one of them a store, ordered?
//
// Every access looks up what the shadow memory knows of its word. An earlier access is ordered before it if
//   - the same lane made it, or it is of an operation that streams, events or the host order before this launch;
//   - block barriers or meetings of warps lie between (LaneClocks), or grid barriers (each begins a new numbering);
//   - the lane has learned of it through synchronization variables (Knowledge): a lane publishes there, by an atomic
//     operation or a volatile store, what it had known at its last fence, or what it knows if the operation releases.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "common/simt/check/core/block_watch.hpp"
#include "common/simt/check/race/knowledge.hpp"
#include "common/simt/check/race/lane_clocks.hpp"
#include "common/simt/check/race/launch.hpp"
#include "common/simt/check/race/memory.hpp"
#include "common/simt/check/race/place.hpp"
#include "common/simt/check/race/shadow.hpp"

namespace simt::checking {

class RaceCheck {
public:
    explicit RaceCheck(BlockWatch& watch);

    void begin_block();
    void access(const Access& access);
    // The same of a plain access to whole words, aligned.
    template <Space space, unsigned bytes, bool is_write>
    void word_access(uintptr_t address, unsigned lane, const void* pc);
    void arrive(watching::Wait kind, unsigned mask, unsigned, Site);
    void fence(watching::Reach reach);
    void begin_atomic(const Access& access);
    void end_atomic(uintptr_t address, bool has_written);
    // The lane begins to use a synchronization object: only what is ordered without its help may have initialised it.
    void use(uintptr_t object, const void* pc);
    // An asynchronous copy of the running lane owns its target from its start until it is waited for.
    void copy_started(uintptr_t target, size_t bytes, const void* pc);
    void copy_finished(uintptr_t target, size_t bytes);
    void meeting_completed(unsigned warp, unsigned lanes);
    void block_barrier_completed();
    void grid_barrier_completed();
    void lane_ended(unsigned) { settle(); }
    void block_ended();
    // The worker leaves the block, maybe for good and from the middle of anything.
    void leave();

private:
    // The access that is being checked, as far as the records hold it, and where it is.
    struct Current {
        ShadowRecord record;
        unsigned lane;
        bool is_write;
        bool is_shared;
        AccessKind kind;
        uintptr_t address;  // of the whole access
        uint32_t bytes;
        bool finishes_copy = false;
        bool is_narrow_load = false;  // an atomic load, for the threads of the block only
    };
    // What the last fences of a lane cover, for all threads and for those of the block.
    struct Fenced {
        Knowledge device, block;
    };
    // A store that may have stored what was there already: told apart at the lane's next event.
    struct Doubtful {
        uintptr_t address;
        uint32_t bytes;
        unsigned char before[16];
        RaceKey key;
        Severity severity;
    };
    struct Counted {
        uint64_t count = 0;
        Severity severity = Severity::info;
    };

    ShadowRecord record_of(unsigned lane, const void* pc, AccessKind kind) const {
        return {owner_, 1u << lane % 32, place_of(pc), clocks_.clock(lane), lane / 32, 15, kind};
    }

    // ---- the fast path: plain accesses to whole words that barriers order, as far as a few comparisons of dates show
    template <Space space>
    bool is_of_earlier_block(uint64_t date) const;
    template <Space space>
    bool store_is_usual(const ShadowRecord& store, const ShadowRecord& stamp) const;
    template <Space space>
    bool use_is_usual(const ShadowRecord& use, const ShadowRecord& stamp) const;
    template <Space space>
    bool read_is_usual(ShadowCell& cell, const ShadowRecord& stamp, const void* pc);
    template <Space space>
    bool write_is_usual(ShadowCell& cell, const ShadowRecord& stamp, const void* pc);

    // ---- the same accesses after some more thought
    template <Space space, unsigned bytes, bool is_write>
    void unusual_word_access(uintptr_t address, unsigned lane, const void* pc);
    bool read_is_fine(ShadowCell& cell, const ShadowRecord& mine, bool is_shared);
    bool write_is_fine(ShadowCell& cell, const ShadowRecord& mine, bool is_shared);
    bool is_settled(const ShadowRecord& earlier, const ShadowRecord& mine, bool is_shared) const;

    // ---- any access
    void check(const Access& access, AccessKind kind);
    void check_word(ShadowMap& words, uintptr_t address, unsigned bytes, Current& current);
    void check_cell(ShadowCell& cell, const Current& current);
    ShadowCell* split(ShadowMap& words, uintptr_t address, ShadowCell& cell);
    ShadowMap* words_of(Space space, uintptr_t address);
    ShadowMap& bytes_of(const ShadowMap& words);
    bool is_obsolete(const ShadowRecord& earlier, const Current& current) const;
    bool is_ordered(const ShadowRecord& earlier, const Current& current) const;
    bool is_known(unsigned lane, const DatedAccess& access) const;
    bool is_too_narrow(const ShadowRecord& earlier, const Current& current) const;
    bool clash_with_store(const ShadowRecord& earlier, const Current& current);
    bool clash_with_use(const ShadowRecord& earlier, const Current& current);
    ShadowRecord merged(const ShadowRecord& earlier, const Current& current) const;

    // ---- what lanes know
    Knowledge knowledge_of(unsigned lane) const;
    bool has_fenced(unsigned lane) const {
        return !fenced_.empty() && !(fenced_[lane].device.empty() && fenced_[lane].block.empty());
    }
    std::unique_lock<SyncVariables::Stripe> locked(uintptr_t address, Space space);
    std::shared_ptr<SyncLog> log_of(uintptr_t address, Space space);
    std::shared_ptr<SyncLog> new_log_of(uintptr_t address, Space space);
    void publish_fenced(SyncLog& log, unsigned lane, watching::Reach reach, bool replaces);
    void learn_from(const std::shared_ptr<SyncLog>& log, unsigned lane, watching::Reach reach,
                    std::vector<std::shared_ptr<const LogRanges>>& by_lane);
    void note_trying_read(const Access& access, const ShadowMap& words);
    void learn_what_was_unfenced(unsigned first, uint32_t lanes);
    void learn_within_block(unsigned lane);
    bool is_flag(const Current& current, bool earlier_is_store);
    PolledVariables& polled_variables_of(Space space);
    void share_what_was_learned(unsigned first, uint32_t lanes);
    void share_fences(const std::vector<unsigned>& lanes);
    void synchronize_by_volatile(const Access& access);
    void learn_of_volatile(uintptr_t address, Space space, unsigned lane);
    void take_numbers();
    void renew_numbers_if_exhausted();

    // ---- findings
    static uint64_t tried_read(const ShadowRecord& earlier, bool earlier_is_store, const Current& current);
    void report_race(const ShadowRecord& earlier, bool earlier_is_store, const Current& current);
    void note(const RaceKey& key, Severity severity, const ShadowRecord& earlier, bool earlier_is_store,
              const Current& current);
    void check_foreign(const Access& access);
    void settle() {
        if (__builtin_expect(has_deferred_, 0)) settle_deferred();
    }
    void settle_deferred();

    BlockWatch& watch_;
    uint32_t owner_ = 0;            // this block's number
    uint32_t ordered_below_ = 0;    // numbers of blocks of earlier operations
    uint64_t ordered_dates_below_ = 0;  // the same for dates of shadow records
    uint32_t first_block_ = 0, block_count_ = 0;  // the numbers of this launch's blocks
    bool has_deferred_ = false;     // something waits for the lane's next event
    bool has_learned_ = false;      // some lane knows more than barriers told it
    bool has_foreign_ = false;
    LaneClocks clocks_;
    ShadowMap shared_, shared_bytes_;
    RaceMemory& memory_;
    std::shared_ptr<RaceLaunch> launch_;
    unsigned generation_ = 0;       // grid barriers that the block has passed

    PolledVariables shared_polled_;
    std::vector<std::shared_ptr<const LogRanges>> unfenced_;                 // by lane: what its next fence lets it learn
    std::vector<std::shared_ptr<const LogRanges>> learned_;  // by lane
    std::vector<Fenced> fenced_;                             // by lane; empty before the first fence
    std::vector<uint32_t> named_;                            // by lane: the mask of its last meeting
    bool fenced_since_barrier_ = false;
    uint32_t fenced_warps_ = 0;                              // those with fences since they met
    std::map<uintptr_t, std::shared_ptr<SyncLog>> shared_logs_;
    SyncVariables::Stripe* held_ = nullptr;                  // during an atomic operation
    Access atomic_ = {};                                     // the one that is under way

    uintptr_t polled_ = 0;  // the volatile variable that a lane has just read
    Space polled_space_ = Space::other;
    unsigned polling_lane_ = 0;
    std::vector<Doubtful> doubtful_;
    std::map<RaceKey, Counted> counted_;
    std::set<uint64_t> trying_reads_;  // places of plain reads that are followed by an atomic operation
};

}  // namespace simt::checking
