// SPDX-License-Identifier: MIT
// racecheck of one execution of a launch, and the history of earlier ones: it decides which recorded accesses are
// ordered before this execution.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/simt/check/core/checker.hpp"
#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/core/operation_order.hpp"
#include "common/simt/check/race/knowledge.hpp"
#include "common/simt/check/race/shadow.hpp"

namespace simt::check {

/// The blocks of one execution have consecutive numbers, and get new ones after each grid barrier.
struct BlockNumbers {
    uint32_t first = 0, count = 0;
    uint64_t execution = 0;  ///< executions are numbered in the order in which they began
    OrderPointer order;
    std::string kernel;
    Extent grid = {1, 1, 1}, block = {1, 1, 1};

    bool contains(uint32_t owner) const { return owner - first < count; }
};

/// Races differ by their two places and what was done there. Accesses that are a race unless some variable is a flag
// (their own, or one that would order them) are also kept by that variable until the launch ends: only then is it known
/// which variables were polled.
struct RaceKey {
    uint64_t places = 0, kinds = 0;
    PossibleFlag unless_flag;  ///< no address: a race in any case
    auto operator<=>(const RaceKey& other) const = default;
};

/// A race between two places: the accesses that represent it, and how often it was seen.
struct Race {
    Severity severity = Severity::info;
    uint64_t count = 0;
    Clash clash;
    std::array<uint64_t, 4> threads = {};  ///< block and thread of both sides, numbered through the grid and the block

    /// The most severe race, then the first threads', represents all, in whatever order blocks report them.
    bool speaks_for(const Race& other) const {
        return severity != other.severity ? severity < other.severity : threads < other.threads;
    }
};

/// The place of the plain read if the two are a plain read and an atomic operation on the same 2, 4 or 8 aligned bytes;
/// otherwise 0.
uint64_t tried_read(const Clash& clash);

/// The title of a race with a copy or fill. Chance decides whether the kernel's reads or stores are seen first.
constexpr const char* race_with_operation = "Race reported between a kernel and an operation of another stream";
constexpr const char* race_with_host = "Race reported between a kernel and the host";

/// On every GPU so far, a thread that polls a word that a copy or fill stores to sees the old or the new value.
constexpr const char* flag_of_copy =
    "No rule of CUDA makes a copy an atomic operation: let the host store to the flag, in mapped or managed memory";

// (A warning's severity is printed before its title anyway.)
inline std::string title_of_race(const char* title, Severity severity) {
    return severity == Severity::error ? std::string("Error: ") + title : title;
}

/// Memory that kernels must not touch now because something else uses it.
struct ForeignRange {
    uintptr_t begin = 0;
    size_t bytes = 0;
    bool is_write = true;  ///< the other access; a read only conflicts with writes
    Tool tool = Tool::racecheck;
    std::string what;  ///< "The copy in another stream is not ordered against the kernel"
    const char* title = race_with_operation;
    const void* host_pc = nullptr;  ///< the host's place, if the host makes the access
    OrderPointer order = nullptr;   ///< of the other access; null: the kernel's threads cannot learn of its end

    /// Whether a volatile or atomic load of these bytes never sees a torn value.
    bool is_flag(const Access& access) const {
        return tool == Tool::racecheck && !host_pc && is_write && !access.is_write &&
               (access.is_volatile || access.is_atomic) && access.bytes <= 8 && access.address % access.bytes == 0 &&
               access.address >= begin && access.address + access.bytes <= begin + bytes;
    }
    bool goes_on_with(const ForeignRange& next) const {
        return title == next.title && is_write == next.is_write && order == next.order && begin + bytes == next.begin;
    }
};

class RaceLaunch {
public:
    RaceLaunch(const LaunchCheck& launch, const OrderPointer& order);

    /// The number of the launch's first block after `generation` grid barriers.
    uint32_t first_block(unsigned generation);
    uint32_t block_count() const { return block_count_; }
    /// Blocks with smaller numbers than this belong to operations that come before this one.
    uint32_t ordered_below() const { return ordered_below_; }
    bool comes_after_block(uint32_t owner, uint32_t own_first) const;

    /// What all its threads know of other launches at its beginning, and after each grid barrier; may be null.
    std::shared_ptr<const LogRanges> known();
    /// Adds what a thread has learned. Keeps only what concerns launches that this one does not come after.
    void add_learned(const std::shared_ptr<const LogRanges>& learned);
    /// What launches that come after this one know from it; may be null.
    std::shared_ptr<const LogRanges> known_at_end();

    const OrderPointer& order() const { return order_; }
    uint64_t execution() const { return execution_; }

    void add(const RaceKey& key, const Race& race);
    /// An added race was seen this many more times, with at least this severity.
    void count(const RaceKey& key, uint64_t times, Severity severity);
    /// A lane has polled this byte of the shared memory of a block.
    void add_shared_flag(const PossibleFlag& flag);
    /// A plain read at this place only decides whether, or with what value, to try an atomic operation on the same
    /// address. The operation then reads the value itself.
    void add_trying_read(uint64_t place);
    void report_races();

    /// Whether something else may use the launch's memory. (Checked at each access, since that may begin at any time.)
    bool has_foreign_ranges() const { return has_foreign_.load(std::memory_order_acquire); }
    void add_foreign(ForeignRange range);
    /// `is_known`: whether the thread knows that the operation with this order has ended.
    template <typename IsKnown>
    std::optional<ForeignRange> foreign_range(uintptr_t address, size_t bytes, bool is_write, IsKnown is_known);

private:
    bool is_flag(const PossibleFlag& flag) const;
    void forget_races_of_flags();

    const LaunchCheck& launch_;
    const OrderPointer order_;  // the execution's own, which its child launches refer to
    const uint32_t block_count_;
    uint64_t execution_ = 0;
    uint32_t ordered_below_ = 0;
    std::mutex mutex_;  // guards what follows
    std::vector<uint32_t> first_blocks_;
    std::map<RaceKey, Race> races_;
    std::set<PossibleFlag> shared_flags_;
    std::set<uint64_t> trying_reads_;
    std::shared_ptr<const LogRanges> known_;
    std::vector<ForeignRange> foreign_;
    std::atomic<bool> has_foreign_{false};
};

template <typename IsKnown>
std::optional<ForeignRange> RaceLaunch::foreign_range(uintptr_t address, size_t bytes, bool is_write,
                                                      IsKnown is_known) {
    const std::lock_guard lock(mutex_);
    for (const ForeignRange& range : foreign_) {
        const bool overlaps = address < range.begin + range.bytes && range.begin < address + bytes;
        if (!overlaps || !(is_write || range.is_write)) continue;
        if (!range.order || !is_known(*range.order)) return range;
    }
    return std::nullopt;
}

/// All launches so far, the latest of each stream in detail. Thread-safe.
class LaunchHistory {
public:
    static LaunchHistory& instance();

    /// Numbers for the blocks of an execution. A process runs out of numbers after 4 billion blocks; then everything is
    /// forgotten, which a line on standard error says.
    uint32_t take_numbers(BlockNumbers numbers);
    uint64_t next_execution();
    /// All numbers below this belong to operations that come before `order`.
    uint32_t ordered_below(const OrderPointer& order) const;
    std::optional<BlockNumbers> find(uint32_t owner) const;
    /// The same in instance(); defaults for a block that has been forgotten.
    static BlockNumbers numbers_of(uint32_t owner);
    /// The executions that are not ordered before this operation.
    std::vector<BlockNumbers> unordered_with(const OrderPointer& order) const;

    /// What the launches before this operation have learned about others; may be null.
    std::shared_ptr<const LogRanges> learned_before(const OperationOrder& order) const;

    void began(RaceLaunch& launch);
    void ended(RaceLaunch& launch);
    /// Everything submitted from now on comes after all launches so far.
    void forget_learned();
    /// Announces the range to the running launches that are not ordered before or after the operation.
    void warn_running(const OrderPointer& order, const ForeignRange& range);

private:
    mutable std::mutex mutex_;
    std::deque<BlockNumbers> numbers_;  // ascending
    uint32_t next_ = 1;
    uint64_t executions_ = 0;
    // For each stream, the launches by the host and by its graphs.
    struct LaunchOfHost {
        uint64_t sequence;  // of the operation in its stream
        uint32_t first;     // number
        OrderPointer order;
    };
    std::map<uint64_t, std::deque<LaunchOfHost>> of_stream_;
    // For each stream, what launches up to the one with this sequence have learned; ascending.
    std::map<uint64_t, std::vector<std::pair<uint64_t, std::shared_ptr<const LogRanges>>>> learned_;
    std::vector<RaceLaunch*> running_;
};

}  // namespace simt::check
