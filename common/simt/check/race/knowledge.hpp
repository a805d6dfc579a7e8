// What a lane knows of accesses that barriers do not order for it: what other lanes had published in synchronization
// variables (locks, flags, tickets) when it looked at them.
//
// Every such variable has a log of what was published there, oldest first. Who reads the variable learns all that its
// log holds at that moment: that is a range of the log, however long it is, so learning costs next to nothing even
// where thousands of blocks take tickets from one counter. Only when two accesses meet that nothing else orders, the
// ranges are searched, and from there the ranges that those had known who published.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "common/simt/include/simt/check.hpp"

namespace simt::check {

class SyncLog;

// What a lane of block `reader` has seen of a log. Entries of narrower reach count only within their block. The last
// entry's publisher knew what the entries from `since` on hold, so a range that begins there adds nothing to this one.
struct LogRange {
    std::shared_ptr<SyncLog> log;
    size_t begin = 0, end = 0, since = 0;
    uint32_t reader = 0;
    check::Reach reach = check::Reach::device;
};
using LogRanges = std::vector<LogRange>;

// One access: by this lane of this block when the lane's clock stood at `date`.
struct DatedAccess {
    uint32_t owner;
    unsigned lane;
    uint32_t date;
};

// The accesses that a lane knew to have happened, at some moment.
struct Knowledge {
    uint32_t owner = 0;       // the block that this is about; 0: nothing is known
    unsigned lane = ~0u;      // of this lane all before `clock`,
    uint32_t clock = 0;
    uint32_t block_base = 0;  // of every lane of the block all before this,
    uint32_t warp_base = 0;   // of the lane's warp all before this,
    std::shared_ptr<const std::array<uint32_t, 32>> warp_row;  // or lane by lane before these dates,
    std::shared_ptr<const std::vector<uint32_t>> lanes;        // of each lane of the block before these,
    std::shared_ptr<const LogRanges> learned;                  // and what these ranges hold

    bool empty() const { return owner == 0; }
    bool operator==(const Knowledge& other) const = default;
    // Without what was learned.
    bool covers(const DatedAccess& access) const {
        if (access.owner != owner) return false;
        if (access.date < block_base || (access.lane == lane && access.date < clock)) return true;
        if (lanes && access.lane < lanes->size() && access.date < (*lanes)[access.lane]) return true;
        if (access.lane / 32 != lane / 32) return false;
        return access.date < warp_base || (warp_row && access.date < (*warp_row)[access.lane % 32]);
    }
};

// What was published in one synchronization variable. Any thread.
class SyncLog {
public:
    // `replaces`: the variable was stored to, not updated: who reads it from now on learns only this, unless the
    // publisher knew the rest.
    void publish(const Knowledge& knowledge, check::Reach reach, bool replaces);
    // The whole of it, as a lane of block `reader` learns it.
    LogRange range(const std::shared_ptr<SyncLog>& self, uint32_t reader, check::Reach reach);

    // Whether the access is covered by an entry of the range. If not, adds what the entries had learned to `further`.
    bool covers(const LogRange& range, const DatedAccess& access,
                std::vector<std::shared_ptr<const LogRanges>>& further);

private:
    struct Entry {
        Knowledge knowledge;
        check::Reach reach;
        size_t since;  // from here on all entries are of the same lane, which has only learned more from one to the next
    };
    static bool counts(const Entry& entry, const LogRange& range);

    std::mutex mutex_;
    std::vector<Entry> entries_;
    std::unordered_map<uint32_t, std::vector<uint32_t>> of_owner_;  // positions, ascending
    std::vector<uint32_t> with_learned_;                            // positions of entries that had learned something
    size_t begin_ = 0;                                              // what was before has been replaced
};

// Whether the access is known through what was learned, directly or through what the publishers had learned in turn.
bool is_known_through(const LogRanges& learned, const DatedAccess& access);

// `ranges` with this one: extended where it continues a range of the same log, without those that it makes needless.
void add_range(LogRanges& ranges, const LogRange& range);
bool has_range(const LogRanges& ranges, const LogRange& range);
std::shared_ptr<const LogRanges> joined(const std::shared_ptr<const LogRanges>& one,
                                        const std::shared_ptr<const LogRanges>& other);

}  // namespace simt::check
