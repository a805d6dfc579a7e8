// SPDX-License-Identifier: MIT
// What a shadow record knows beyond its latest access: the other places where its block, and other blocks of the
// launch, have accessed the word. Which of two accesses comes first is chance, so a race between the earlier one and a
// third access must be found, too.
//
// A record has no room for that: with more than one place, it holds the number of a history instead of a place. All
// words share the histories. There are few, since all blocks run the same code.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "common/simt/check/race/shadow.hpp"

namespace simt::check {

struct PastAccess {
    static constexpr uint32_t by_several = uint32_t{1} << 31;

    uint64_t place = 0;
    AccessKind kind = AccessKind::plain;
    /// The block that made it, relative to the record's block, so that neighboring blocks everywhere have the same
    /// histories; or by_several.
    uint32_t block = 0;
    auto operator<=>(const PastAccess& other) const = default;
};

struct History {
    uint64_t latest = 0;                ///< the place of the record's access
    std::vector<PastAccess> own;        ///< by the record's block, including the latest; ascending
    std::vector<PastAccess> of_others;  ///< by other blocks of the launch; ascending
    auto operator<=>(const History& other) const = default;
};

/// How an access follows the one that a record holds.
enum class Step {
    joins,           ///< the same block makes it, but the record's place stays
    follows,         ///< the same block makes it
    of_other_block,  ///< another block makes it and takes over the record
    beside,          ///< another block makes it, but the record stays the first block's
};

/// All histories. Thread-safe.
class Histories {
public:
    static Histories& instance();

    static bool is_history(uint64_t place) { return place & is_number; }
    /// Whether it is a history with accesses that are not plain.
    static bool is_mixed(uint64_t place) { return is_history(place) && place & mixed; }
    /// The places of a record.
    History of(const ShadowRecord& record) const;
    /// The place that the record holds after the access `now`.
    uint64_t after(const ShadowRecord& record, const PastAccess& now, Step step);

private:
    static constexpr uint64_t is_number = uint64_t{1} << (ShadowRecord::place_bits - 1), mixed = is_number >> 1;

    mutable std::mutex mutex_;
    std::map<History, uint64_t> numbers_;
    std::deque<const History*> histories_;  // by number
};

inline uint64_t latest_place(const ShadowRecord& record) {
    const uint64_t place = record.place();
    return Histories::is_history(place) ? Histories::instance().of(record).latest : place;
}

/// One thread's cache of the answers of Histories::after.
class HistoryCache {
public:
    uint64_t after(const ShadowRecord& record, const PastAccess& now, Step step) {
        if (record.place() == now.place && record.kind() == now.kind) return now.place;
        const uint64_t question = question_of(record, now, step);
        Answer& answer = answers_[slot_of(question)];
        if (answer.question != question || answer.block != now.block) {
            answer = {question, Histories::instance().after(record, now, step), now.block};
        }
        return answer.place;
    }
    /// The same for a plain access to the whole word, by this block relative to the record's; 0 if the cache does not
    /// know it, or if the history may tell of a race. (Not inline: every hook would contain it.)
    [[gnu::noinline]] uint64_t known_after(ShadowRecord record, uint64_t place, Step step, uint32_t block) const {
        if (record.bytes() != 15 || Histories::is_mixed(record.place())) return 0;
        const uint64_t question = question_of(record, {place, AccessKind::plain}, step);
        const Answer& answer = answers_[slot_of(question)];
        return answer.question == question && answer.block == block ? answer.place : 0;
    }

private:
    static constexpr unsigned cache_bits = 8;
    struct Answer {
        uint64_t question = 0;
        uint64_t place = 0;
        uint32_t block = 0;
    };

    [[gnu::always_inline]] static uint64_t question_of(const ShadowRecord& record, const PastAccess& now, Step step) {
        const uint64_t how = static_cast<uint64_t>(record.kind()) << 5 | static_cast<uint64_t>(now.kind) << 3 |
                             static_cast<uint64_t>(step) << 1 | (record.has(ShadowRecord::several_blocks) ? 1 : 0);
        return (record.place() << ShadowRecord::place_bits | now.place) << 7 | how;
    }
    static size_t slot_of(uint64_t question) { return question * 0x9e3779b97f4a7c15 >> (64 - cache_bits); }

    std::array<Answer, 1 << cache_bits> answers_ = {};
};

}  // namespace simt::check
