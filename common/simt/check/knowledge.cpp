#include "common/simt/check/knowledge.hpp"

#include <algorithm>
#include <map>

namespace simt::checking {

void SyncLog::publish(const Knowledge& knowledge, watching::Reach reach, bool replaces) {
    const std::lock_guard lock(mutex_);
    if (replaces) {
        const LogRanges* const learned = knowledge.learned.get();
        const bool knew_the_rest = begin_ == entries_.size() ||
            (learned && std::any_of(learned->begin(), learned->end(), [this](const LogRange& range) {
                return range.log.get() == this && range.begin <= begin_ && range.end == entries_.size();
            }));
        if (!knew_the_rest) begin_ = entries_.size();
    }
    if (knowledge.empty()) return;
    if (!entries_.empty() && begin_ < entries_.size()) {
        const Entry& last = entries_.back();
        if (last.knowledge.owner == knowledge.owner && last.knowledge.lane == knowledge.lane &&
            last.knowledge.clock == knowledge.clock && last.knowledge.block_base == knowledge.block_base &&
            last.knowledge.lanes == knowledge.lanes && last.knowledge.learned == knowledge.learned &&
            last.reach == reach) {
            return;  // the same once more
        }
    }
    const auto position = static_cast<uint32_t>(entries_.size());
    of_owner_[knowledge.owner].push_back(position);
    if (knowledge.learned && !knowledge.learned->empty()) with_learned_.push_back(position);
    entries_.push_back({knowledge, reach});
}

LogRange SyncLog::range(const std::shared_ptr<SyncLog>& self, uint32_t reader, watching::Reach reach) {
    const std::lock_guard lock(mutex_);
    return {self, begin_, entries_.size(), reader, reach};
}

bool SyncLog::counts(const Entry& entry, const LogRange& range) {
    if (entry.knowledge.owner == range.reader) return true;
    return entry.reach != watching::Reach::block && range.reach != watching::Reach::block;
}

bool SyncLog::covers(const LogRange& range, const DatedAccess& access,
                     std::vector<std::shared_ptr<const LogRanges>>& further) {
    const std::lock_guard lock(mutex_);
    if (const auto found = of_owner_.find(access.owner); found != of_owner_.end()) {
        const auto& positions = found->second;
        // The newest know most.
        for (auto at = std::lower_bound(positions.begin(), positions.end(), range.end); at != positions.begin();) {
            --at;
            if (*at < range.begin) break;
            if (counts(entries_[*at], range) && entries_[*at].knowledge.covers(access)) return true;
        }
    }
    for (auto at = std::lower_bound(with_learned_.begin(), with_learned_.end(), range.begin);
         at != with_learned_.end() && *at < range.end; ++at) {
        const Entry& entry = entries_[*at];
        if (counts(entry, range)) further.push_back(entry.knowledge.learned);
    }
    return false;
}

bool is_known_through(const LogRanges& learned, const DatedAccess& access) {
    std::map<const SyncLog*, LogRanges> seen;
    std::vector<std::shared_ptr<const LogRanges>> pending;
    const auto search = [&](const LogRanges& ranges) {
        for (const LogRange& range : ranges) {
            LogRanges& earlier = seen[range.log.get()];
            const bool is_seen = std::any_of(earlier.begin(), earlier.end(), [&](const LogRange& other) {
                return other.begin <= range.begin && other.end >= range.end && other.reach >= range.reach &&
                       (other.reader == range.reader);
            });
            if (is_seen) continue;
            earlier.push_back(range);
            if (range.log->covers(range, access, pending)) return true;
        }
        return false;
    };
    if (search(learned)) return true;
    for (size_t next = 0; next < pending.size(); ++next) {
        const auto ranges = pending[next];
        if (search(*ranges)) return true;
    }
    return false;
}

void add_range(LogRanges& ranges, const LogRange& range) {
    if (range.begin == range.end) return;
    for (LogRange& own : ranges) {
        if (own.log != range.log || own.reader != range.reader || own.reach != range.reach) continue;
        if (range.begin > own.end || own.begin > range.end) continue;
        own.begin = std::min(own.begin, range.begin);
        own.end = std::max(own.end, range.end);
        return;
    }
    ranges.push_back(range);
}

std::shared_ptr<const LogRanges> joined(const std::shared_ptr<const LogRanges>& one,
                                        const std::shared_ptr<const LogRanges>& other) {
    if (!one || one == other) return other;
    if (!other) return one;
    auto both = std::make_shared<LogRanges>(*one);
    for (const LogRange& range : *other) add_range(*both, range);
    return both;
}

}  // namespace simt::checking
