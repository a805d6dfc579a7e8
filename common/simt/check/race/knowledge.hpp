// SPDX-License-Identifier: MIT
// What a lane knows of accesses that barriers do not order for it. It learns this from synchronization variables
// (locks, flags, tickets), in which other lanes publish what they know.
//
// Every such variable has a log of what was published there, oldest first. A lane that reads the variable learns
// everything in the log at that moment. That is one range of the log, however long, so learning is cheap even where
// thousands of blocks take tickets from one counter. The ranges are searched only when nothing else orders two
// accesses; the search then follows the ranges that the publishers knew.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/check/core/operation_order.hpp"
#include "common/simt/check/race/shadow.hpp"
#include "common/simt/include/simt/check.hpp"

namespace simt::check {

/// Shared memory has the same addresses in every block, so its variables also have a block, numbered from 1; else 0.
struct PossibleFlag {
    uintptr_t address = 0;  ///< 0: none
    uint64_t block = 0;
    auto operator<=>(const PossibleFlag& other) const = default;
};

class SyncLog;

/// What a lane of block `reader` has seen of a log. Entries of narrower reach count only within their block. The last
/// entry's publisher knew all entries from `since` on, so a range that begins there adds nothing to this one.
struct LogRange {
    std::shared_ptr<SyncLog> log;
    size_t begin = 0, end = 0, since = 0;
    uint32_t reader = 0;
    check::Reach reach = check::Reach::device;
    PossibleFlag if_flag = {};  ///< it was read without waiting, which counts only if this variable is a flag
};
using LogRanges = std::vector<LogRange>;

/// One access of a lane of a block, made when the lane's clock stood at `date`. If only the warp is recorded, the
/// access counts as known if it is for any of its lanes: a missed race is better than a false one.
struct DatedAccess {
    uint32_t owner;
    RecordedLane by;
    uint32_t date;
};

/// The accesses that a lane knew to have happened at some moment.
struct Knowledge {
    uint32_t owner = 0;   ///< the block; 0: nothing is known
    OrderPointer launch;  ///< of the block: everything before it is known, too
    unsigned lane = ~0u;  ///< all accesses of this lane before `clock`,
    uint32_t clock = 0;
    uint32_t block_base = 0;                                   ///< of every lane of the block before this,
    uint32_t warp_base = 0;                                    ///< of the lane's warp before this,
    std::shared_ptr<const std::array<uint32_t, 32>> warp_row;  ///< or lane by lane before these dates,
    std::shared_ptr<const std::vector<uint32_t>> lanes;        ///< of each lane of the block before these,
    std::shared_ptr<const LogRanges> learned;                  ///< and what these ranges hold

    bool empty() const { return owner == 0; }
    bool operator==(const Knowledge& other) const = default;
    /// Ignores `learned`.
    bool covers(const DatedAccess& access) const {
        if (access.owner != owner) return false;
        if (access.date < block_base) return true;
        if (access.by.lane / 32 == lane / 32 && access.date < warp_base) return true;
        if (!access.by.is_any_of_warp) return covers_lane(access.by.lane, access.date);
        for (unsigned i = 0; i < 32; ++i) {
            if (covers_lane(access.by.lane + i, access.date)) return true;
        }
        return false;
    }

private:
    bool covers_lane(unsigned of, uint32_t date) const {
        if (of == lane && date < clock) return true;
        if (lanes && of < lanes->size() && date < (*lanes)[of]) return true;
        return of / 32 == lane / 32 && warp_row && date < (*warp_row)[of % 32];
    }
};

/// What was published in one synchronization variable. Thread-safe.
class SyncLog {
public:
    /// `replaces`: the variable was stored to, not updated. Later readers then learn only this, unless the publisher
    /// knew the rest.
    void publish(const Knowledge& knowledge, check::Reach reach, bool replaces);
    /// The whole log, as a lane of block `reader` of this launch learns it.
    LogRange range(const std::shared_ptr<SyncLog>& self, uint32_t reader, const OrderPointer& launch,
                   check::Reach reach);

    bool tells_all_blocks_the_same() const { return !has_narrow_entries_.load(std::memory_order_relaxed); }

    /// Whether the access is covered by an entry of the range.
    bool covers(const LogRange& range, const DatedAccess& access);
    /// Whether an entry is of a launch that comes after the operation.
    bool covers(const LogRange& range, const OperationOrder& operation);
    /// Whether some entry is of a launch that is neither this one nor comes before it.
    bool tells_of_others(const LogRange& range, const OperationOrder& launch);
    /// Adds what the publishers of the range had learned.
    void add_learned(const LogRange& range, std::vector<std::shared_ptr<const LogRanges>>& further);

    /// The number of entries in all logs together.
    static size_t entries();

    SyncLog() = default;
    SyncLog(const SyncLog&) = delete;
    SyncLog& operator=(const SyncLog&) = delete;
    ~SyncLog();

private:
    struct Entry {
        Knowledge knowledge;
        check::Reach reach;
        size_t since;  // from here on all entries are of one lane, each with more knowledge
    };
    using Positions = std::vector<uint32_t>;  // ascending

    static bool counts(const Entry& entry, const LogRange& range);
    bool has_entry(const Positions& positions, const LogRange& range) const;
    size_t first_of_interest(const OrderPointer& launch);

    std::mutex mutex_;
    std::vector<Entry> entries_;
    std::unordered_map<uint32_t, Positions> of_owner_;
    std::vector<std::pair<OrderPointer, Positions>> of_launch_;
    Positions with_learned_;                       // of entries that had learned something
    size_t begin_ = 0;                             // earlier entries have been replaced
    std::atomic<bool> has_narrow_entries_{false};  // some are for the threads of one block only
    OrderPointer last_reader_;                     // a launch,
    size_t of_interest_ = 0;                       // and the first entry that is news to it
};

/// Whether the access is known through what was learned, directly or through what the publishers had learned in turn.
/// If that depends on a variable that may not be a flag, `if_flag` says which.
bool is_known_through(const LogRanges& learned, const DatedAccess& access, PossibleFlag& if_flag);
/// The same for everything that an operation has done.
bool is_known_through(const LogRanges& learned, const OperationOrder& operation, PossibleFlag& if_flag);

/// Adds a range to `ranges`: extends one of the same log that it continues, and drops those that it makes redundant.
void add_range(LogRanges& ranges, const LogRange& range);
bool has_range(const LogRanges& ranges, const LogRange& range);
std::shared_ptr<const LogRanges> joined(const std::shared_ptr<const LogRanges>& one,
                                        const std::shared_ptr<const LogRanges>& other);

// ---- operations that the lanes of a kernel start: launches, copies and fills in streams of their grid

/// The accesses that are known when the operation starts, besides those of operations before it: known to the lane that
/// started it, or learned through variables by the kernels before it. May be null.
std::shared_ptr<const LogRanges> known_at_start(const OrderPointer& order);

/// Whether `known` includes all accesses of this record, or of another operation.
bool is_known(const std::shared_ptr<const LogRanges>& known, const ShadowRecord& record);
bool is_known(const std::shared_ptr<const LogRanges>& known, const OperationOrder& other);

}  // namespace simt::check
