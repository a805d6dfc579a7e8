// SPDX-License-Identifier: MIT
#include "common/simt/check/race/history.hpp"

#include <algorithm>
#include <utility>

namespace simt::check {
namespace {

// The most places per word, and the most histories, that are remembered.
constexpr size_t most_places = 16, most_histories = 1 << 20;

void add(std::vector<PastAccess>& accesses, const PastAccess& one) {
    const auto same = std::find_if(accesses.begin(), accesses.end(), [&one](const PastAccess& other) {
        return other.place == one.place && other.kind == one.kind;
    });
    if (same == accesses.end() && accesses.size() == most_places) return;
    if (same != accesses.end() && same->block == one.block) return;
    PastAccess added = one;
    if (same != accesses.end()) {
        added.block = PastAccess::by_several;
        accesses.erase(same);
    }
    accesses.insert(std::upper_bound(accesses.begin(), accesses.end(), added), added);
}

// The record now belongs to the block that makes the access.
void change_block(History& history, const PastAccess& now) {
    std::vector<PastAccess> earlier = std::exchange(history.own, {});
    for (const PastAccess& one : std::exchange(history.of_others, {})) add(earlier, one);
    for (PastAccess one : earlier) {
        if (one.block != PastAccess::by_several) one.block -= now.block;
        add(one.block == 0 ? history.own : history.of_others, one);
    }
    add(history.own, {now.place, now.kind, 0});
}

bool are_all_plain(const std::vector<PastAccess>& accesses) {
    return std::all_of(accesses.begin(), accesses.end(),
                       [](const PastAccess& one) { return one.kind == AccessKind::plain; });
}

// Whether a record's place and flags alone say the same.
bool is_plain(const History& history, const PastAccess& latest) {
    const auto is_latest = [&latest](const PastAccess& one) {
        return one.place == latest.place && one.kind == latest.kind;
    };
    return history.own.size() == 1 && is_latest(history.own.front()) &&
           (history.of_others.empty() || (history.of_others.size() == 1 && is_latest(history.of_others.front())));
}

}  // namespace

Histories& Histories::instance() {
    static Histories& histories = *new Histories;
    return histories;
}

History Histories::of(const ShadowRecord& record) const {
    const uint64_t place = record.place();
    if (is_history(place)) {
        const std::lock_guard lock(mutex_);
        return *histories_[place & (mixed - 1)];
    }
    History history{place, {{place, record.kind()}}, {}};
    if (record.has(ShadowRecord::several_blocks)) {
        history.of_others = {{place, record.kind(), PastAccess::by_several}};
    }
    return history;
}

uint64_t Histories::after(const ShadowRecord& record, const PastAccess& now, Step step) {
    History history = of(record);
    PastAccess latest = now;
    switch (step) {
        case Step::joins:
            add(history.own, now);
            latest = {history.latest, record.kind()};
            break;
        case Step::follows: add(history.own, now); break;
        case Step::of_other_block: change_block(history, now); break;
        case Step::beside:
            add(history.of_others, now);
            latest = {history.latest, record.kind()};
            break;
    }
    history.latest = latest.place;
    if (is_plain(history, latest)) return latest.place;
    const std::lock_guard lock(mutex_);
    if (const auto known = numbers_.find(history); known != numbers_.end()) return known->second;
    if (histories_.size() == most_histories) return latest.place;
    const bool is_mixed = !are_all_plain(history.own) || !are_all_plain(history.of_others);
    const uint64_t number = is_number | (is_mixed ? mixed : 0) | histories_.size();
    histories_.push_back(&numbers_.emplace(std::move(history), number).first->first);
    return number;
}

}  // namespace simt::check
