// SPDX-License-Identifier: MIT
#include "common/simt/check/race/knowledge.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/simt/check/race/block.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {
namespace {

std::atomic<size_t> all_entries{0};

}  // namespace

void SyncLog::publish(const Knowledge& knowledge, check::Reach reach, bool replaces) {
    const std::lock_guard lock(mutex_);
    if (replaces) {
        const LogRanges* const learned = knowledge.learned.get();
        const bool knew_the_rest =
            begin_ == entries_.size() ||
            (learned && std::any_of(learned->begin(), learned->end(), [this](const LogRange& range) {
                 return range.log.get() == this && std::min(range.begin, range.since) <= begin_ &&
                        range.end == entries_.size();
             }));
        if (!knew_the_rest) begin_ = entries_.size();
    }
    if (knowledge.empty()) return;
    if (!entries_.empty() && begin_ < entries_.size()) {
        const Entry& last = entries_.back();
        if (last.knowledge == knowledge && last.reach == reach) return;  // nothing new
    }
    const auto position = static_cast<uint32_t>(entries_.size());
    of_owner_[knowledge.owner].push_back(position);
    if (knowledge.launch) {
        // Usually the same launch publishes again.
        const auto known = std::find_if(of_launch_.rbegin(), of_launch_.rend(),
                                        [&knowledge](const auto& one) { return one.first == knowledge.launch; });
        if (known != of_launch_.rend()) {
            known->second.push_back(position);
        } else {
            of_launch_.push_back({knowledge.launch, {position}});
            last_reader_ = nullptr;
        }
    }
    if (knowledge.learned && !knowledge.learned->empty()) with_learned_.push_back(position);
    // What lanes share after a barrier belongs to no single lane.
    const bool continues = position > 0 && entries_.back().reach == reach && knowledge.lane != ~0u &&
                           entries_.back().knowledge.lane == knowledge.lane &&
                           entries_.back().knowledge.owner == knowledge.owner;
    const size_t since = continues ? entries_.back().since : position;
    if (reach == check::Reach::block) has_narrow_entries_.store(true, std::memory_order_relaxed);
    entries_.push_back({knowledge, reach, since});
    ++all_entries;
}

SyncLog::~SyncLog() { all_entries -= entries_.size(); }

size_t SyncLog::entries() { return all_entries; }

// What launches before the reader's own have published is known to it anyway.
size_t SyncLog::first_of_interest(const OrderPointer& launch) {
    if (!launch) return 0;
    if (last_reader_ == launch) return of_interest_;
    last_reader_ = launch;
    of_interest_ = entries_.size();
    for (const auto& [publisher, positions] : of_launch_) {
        if (!launch->is_put_after(*publisher)) of_interest_ = std::min<size_t>(of_interest_, positions.front());
    }
    return of_interest_;
}

LogRange SyncLog::range(const std::shared_ptr<SyncLog>& self, uint32_t reader, const OrderPointer& launch,
                        check::Reach reach) {
    const std::lock_guard lock(mutex_);
    const size_t end = entries_.size(), begin = std::max(begin_, first_of_interest(launch));
    if (begin >= end) return {self, end, end, end, reader, reach};
    const size_t since = entries_.back().since;
    return {self, since <= begin ? end - 1 : begin, end, since, reader, reach};
}

bool SyncLog::counts(const Entry& entry, const LogRange& range) {
    if (entry.knowledge.owner == range.reader) return true;
    return entry.reach != check::Reach::block && range.reach != check::Reach::block;
}

bool SyncLog::covers(const LogRange& range, const DatedAccess& access) {
    const std::lock_guard lock(mutex_);
    const auto found = of_owner_.find(access.owner);
    if (found == of_owner_.end()) return false;
    const auto& positions = found->second;
    // The newest entries know the most.
    for (auto at = std::lower_bound(positions.begin(), positions.end(), range.end); at != positions.begin();) {
        --at;
        if (*at < range.begin) break;
        if (counts(entries_[*at], range) && entries_[*at].knowledge.covers(access)) return true;
    }
    return false;
}

bool SyncLog::has_entry(const Positions& positions, const LogRange& range) const {
    const auto begin = std::lower_bound(positions.begin(), positions.end(), range.begin);
    return std::any_of(begin, std::lower_bound(begin, positions.end(), range.end),
                       [&](uint32_t position) { return counts(entries_[position], range); });
}

bool SyncLog::covers(const LogRange& range, const OperationOrder& operation) {
    const std::lock_guard lock(mutex_);
    return std::any_of(of_launch_.begin(), of_launch_.end(), [&](const auto& one) {
        return one.first->is_put_after(operation) && has_entry(one.second, range);
    });
}

bool SyncLog::tells_of_others(const LogRange& range, const OperationOrder& launch) {
    const std::lock_guard lock(mutex_);
    return std::any_of(of_launch_.begin(), of_launch_.end(), [&](const auto& one) {
        return !launch.is_put_after(*one.first) && !launch.is_put_with(*one.first) && has_entry(one.second, range);
    });
}

void SyncLog::add_learned(const LogRange& range, std::vector<std::shared_ptr<const LogRanges>>& further) {
    const std::lock_guard lock(mutex_);
    // The newest have learned most of what the others have, so little is left to search.
    for (auto at = std::lower_bound(with_learned_.begin(), with_learned_.end(), range.end);
         at != with_learned_.begin();) {
        --at;
        if (*at < range.begin) break;
        const Entry& entry = entries_[*at];
        if (counts(entry, range)) further.push_back(entry.knowledge.learned);
    }
}

namespace {

// Searches what was learned, and what the publishers had learned in turn.
template <typename Wanted>
class Search {
public:
    Search(const Wanted& wanted, bool counts_doubtful) : wanted_(wanted), counts_doubtful_(counts_doubtful) {}

    bool finds_in(const LogRanges& learned) {
        if (enter(learned, {})) return true;
        for (size_t next = 0;; ++next) {
            if (interruption.is_pending) return true;  // the launch has been given up: the answer no longer matters
            for (const LogRange& range : entered_) {
                further_.clear();
                range.log->add_learned(range, further_);
                for (auto& ranges : further_) pending_.emplace_back(std::move(ranges), range.if_flag);
            }
            entered_.clear();
            if (next == pending_.size()) return false;
            const auto [ranges, if_flag] = pending_[next];
            if (enter(*ranges, if_flag)) return true;
        }
    }
    bool has_met_doubtful() const { return has_met_doubtful_; }
    // The doubtful variable that led to the access.
    const PossibleFlag& if_flag() const { return if_flag_; }

private:
    bool enter(const LogRanges& ranges, const PossibleFlag& if_flag) {
        for (LogRange range : ranges) {
            has_met_doubtful_ |= range.if_flag.address != 0;
            if (range.if_flag.address && !counts_doubtful_) continue;
            if (if_flag.address) range.if_flag = if_flag;
            if (is_seen(range)) continue;
            seen_[range.log.get()].push_back(range);
            if (range.log->covers(range, wanted_)) {
                if_flag_ = range.if_flag;
                return true;
            }
            entered_.push_back(std::move(range));
        }
        return false;
    }

    bool is_seen(const LogRange& range) {
        const LogRanges& earlier = seen_[range.log.get()];
        return std::any_of(earlier.begin(), earlier.end(), [&range](const LogRange& other) {
            return other.begin <= range.begin && other.end >= range.end && other.reach >= range.reach &&
                   (other.reader == range.reader || range.log->tells_all_blocks_the_same());
        });
    }

    const Wanted& wanted_;
    const bool counts_doubtful_;
    bool has_met_doubtful_ = false;
    PossibleFlag if_flag_;
    std::map<const SyncLog*, LogRanges> seen_;
    std::vector<LogRange> entered_;  // what their publishers had learned is yet to be searched
    std::vector<std::shared_ptr<const LogRanges>> further_;
    std::vector<std::pair<std::shared_ptr<const LogRanges>, PossibleFlag>> pending_;
};

template <typename Wanted>
bool finds(const LogRanges& learned, const Wanted& wanted, PossibleFlag& if_flag) {
    Search search(wanted, false);
    if (search.finds_in(learned)) return true;
    if (!search.has_met_doubtful()) return false;
    Search doubtful(wanted, true);
    if (!doubtful.finds_in(learned)) return false;
    if_flag = doubtful.if_flag();
    return true;
}

}  // namespace

bool is_known_through(const LogRanges& learned, const DatedAccess& access, PossibleFlag& if_flag) {
    return finds(learned, access, if_flag);
}

bool is_known_through(const LogRanges& learned, const OperationOrder& operation, PossibleFlag& if_flag) {
    return finds(learned, operation, if_flag);
}

void add_range(LogRanges& ranges, const LogRange& range) {
    if (range.begin == range.end || has_range(ranges, range)) return;
    LogRange whole = range;
    std::erase_if(ranges, [&whole](const LogRange& own) {
        if (own.log != whole.log || own.reader != whole.reader || own.reach != whole.reach) return false;
        if (own.if_flag != whole.if_flag) return false;
        if (own.end <= whole.end && own.begin >= whole.since) return true;
        if (whole.begin > own.end || own.begin > whole.end) return false;
        if (own.end > whole.end) whole.since = own.since;
        whole.begin = std::min(own.begin, whole.begin);
        whole.end = std::max(own.end, whole.end);
        return true;
    });
    ranges.push_back(std::move(whole));
}

bool has_range(const LogRanges& ranges, const LogRange& range) {
    return std::any_of(ranges.begin(), ranges.end(), [&range](const LogRange& own) {
        return own.log == range.log && own.reader == range.reader && own.reach == range.reach &&
               own.if_flag == range.if_flag && own.end >= range.end &&
               (own.begin <= range.begin || (own.end == range.end && own.since <= range.begin));
    });
}

std::shared_ptr<const LogRanges> joined(const std::shared_ptr<const LogRanges>& one,
                                        const std::shared_ptr<const LogRanges>& other) {
    if (!one || one == other) return other;
    if (!other) return one;
    const auto is_known = [&one](const LogRange& range) { return has_range(*one, range); };
    if (std::all_of(other->begin(), other->end(), is_known)) return one;
    auto both = std::make_shared<LogRanges>(*one);
    for (const LogRange& range : *other) add_range(*both, range);
    return both;
}

std::shared_ptr<const LogRanges> known_at_start(const OrderPointer& order) {
    if (!order) return nullptr;
    if (order->parent && !order->is_graph_node) return std::static_pointer_cast<const LogRanges>(order->known);
    return LaunchHistory::instance().learned_before(order->of_host());
}

bool is_known(const std::shared_ptr<const LogRanges>& known, const ShadowRecord& record) {
    if (!known) return false;
    PossibleFlag if_flag;
    return record.all_of(record.lanes(), [&](const RecordedLane& lane) {
        return is_known_through(*known, {record.owner(), lane, record.clock()}, if_flag);
    });
}

bool is_known(const std::shared_ptr<const LogRanges>& known, const OperationOrder& other) {
    PossibleFlag if_flag;
    return known && is_known_through(*known, other, if_flag);
}

}  // namespace simt::check
