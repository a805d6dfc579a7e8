// SPDX-License-Identifier: MIT
#include "common/simt/check/sync/sync_check.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <utility>

#include "common/simt/check/core/block_check.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/exec/resident_block.hpp"

namespace simt::check {
namespace {

bool same_place(const Site& one, const Site& other) {
    return one.line == other.line && one.file && other.file && std::strcmp(one.file, other.file) == 0;
}

bool is_in_warp(check::Wait kind) {
    using check::Wait;
    return kind == Wait::warp_barrier || kind == Wait::shuffle || kind == Wait::vote || kind == Wait::match ||
           kind == Wait::matrix;
}

// Findings that every shuffle in a loop may repeat.
enum Repeated { not_in_own_mask, other_function, shuffle_source };

std::string text_of(const Site& site) {
    const std::string path = site.file ? site.file : "?";
    return path.substr(path.rfind('/') + 1) + ":" + std::to_string(site.line);
}

}  // namespace

void SyncCheck::begin_block() {
    lanes_.assign(check_.lane_count(), Lane());
    repeated_.begin_block(check_.launch().serial, check_.block_index());
}

void SyncCheck::arrive(check::Wait kind, unsigned mask, unsigned source, Site site) {
    const unsigned rank = check_.running_lane();
    Lane& lane = lanes_[rank];
    lane.kind = kind;
    lane.mask = mask;
    lane.source = source;
    lane.site = site;
    lane.returns_early = false;
    if (is_in_warp(kind) && !(mask >> rank % 32 & 1)) {
        const Place place{nullptr, site.file, site.line};
        repeated_.report(not_in_own_mask, place, rank, [&] {
            return finding("Barrier error detected. Invalid arguments", rank, place,
                           {"The thread is not in its own mask"});
        });
    }
}

void SyncCheck::meeting_completed(unsigned warp, unsigned group) {
    const unsigned first = warp * 32 + static_cast<unsigned>(std::countr_zero(group));
    for (unsigned left = group; left; left &= left - 1) {
        const unsigned rank = warp * 32 + static_cast<unsigned>(std::countr_zero(left));
        const Lane& lane = lanes_[rank];
        check_named(rank, group);
        if (lane.kind == check::Wait::shuffle) check_shuffle(rank, group);
        if (lane.kind == lanes_[first].kind) continue;
        const Place place{nullptr, lane.site.file, lane.site.line};
        repeated_.report(other_function, place, rank, [&] {
            return finding(
                "Barrier error detected. Divergent thread(s) in warp", rank, place,
                {"Another thread of its mask is in a different warp function at " + text_of(lanes_[first].site)});
        });
        break;
    }
}

// Checks the lanes that this one names but that have left the kernel: those that were here with another mask, and those
// that reached the end without passing this place.
void SyncCheck::check_named(unsigned rank, unsigned group) {
    const Lane& lane = lanes_[rank];
    const unsigned first = rank - rank % 32;
    for (unsigned missing = lane.mask & ~group; missing; missing &= missing - 1) {
        const unsigned other = first + static_cast<unsigned>(std::countr_zero(missing));
        if (other >= lanes_.size()) break;  // a short warp
        Lane& named = lanes_[other];
        if (!named.has_ended || named.is_dropped) continue;
        const bool was_here = named.kind == lane.kind && same_place(named.site, lane.site);
        const bool has_other_mask = was_here && !(named.mask >> rank % 32 & 1);
        if (has_returned_early(named) && !has_other_mask) continue;
        report_divergence(rank, lane.site, true,
                          "Its mask names lane " + std::to_string(other % 32) + ", which " +
                              (has_other_mask ? "was here with a mask that does not name it"
                                              : "has left the kernel without coming here"));
        named.is_dropped = true;  // reported once
    }
}

// The value of a lane that does not take part is undefined. Yet in a reduction that halves the distance, the upper
// lanes read past the end and nobody uses the result. So only a lane nearer to the first lane than to its source
// counts.
void SyncCheck::check_shuffle(unsigned rank, unsigned group) {
    const Lane& lane = lanes_[rank];
    const unsigned own = rank % 32, source = lane.source;
    if (source >= 32 || group >> source & 1) return;
    if (source > own && source - own <= own) return;
    const unsigned source_rank = rank - own + source;
    const char* why = "has left the kernel";
    if (!(lane.mask >> source & 1)) {
        why = "is not in the mask";
    } else if (source_rank >= lanes_.size()) {
        why = "is beyond the last thread of the block";
    } else if (lanes_[source_rank].is_dropped) {
        return;
    }
    const Place place{nullptr, lane.site.file, lane.site.line};
    repeated_.report(shuffle_source, place, rank, [&] {
        return finding("Barrier error detected. Invalid arguments", rank, place,
                       {"The shuffle reads from lane " + std::to_string(source) + ", which " + why});
    });
}

void SyncCheck::barrier_completed() {
    const auto reference = std::find_if(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return !lane.has_ended; });
    if (reference == lanes_.end()) return;
    const Site barrier = reference->site;
    for (unsigned first = 0; first < lanes_.size(); first += 32) {
        const unsigned end = std::min<unsigned>(first + 32, static_cast<unsigned>(lanes_.size()));
        const Lane* in_warp = nullptr;  // the first of the warp still in the kernel
        for (unsigned rank = first; rank < end; ++rank) {
            if (!lanes_[rank].has_ended && !in_warp) in_warp = &lanes_[rank];
        }
        for (unsigned rank = first; rank < end; ++rank) {
            Lane& lane = lanes_[rank];
            if (lane.has_ended) {
                if (lane.is_dropped || (has_returned_early(lane) && !went_past(lane, barrier))) continue;
                count_divergence(rank, barrier, {}, in_warp != nullptr);
                lane.is_dropped = true;  // reported once
            } else if (!same_place(lane.site, barrier)) {
                count_divergence(rank, lane.site, barrier, !same_place(lane.site, in_warp->site));
            }
        }
    }
    for (Lane& lane : lanes_) {
        if (lane.has_ended) continue;
        lane.barrier = lane.site;
        lane.last_access = nullptr;
        lane.returns_early = false;
    }
}

void SyncCheck::count_divergence(unsigned lane, Site barrier, Site others, bool in_warp) {
    const auto is_same = [&](const Divergence& known) {
        return known.in_warp == in_warp && known.barrier.line == barrier.line && known.barrier.file == barrier.file &&
               known.others.line == others.line && known.others.file == others.file;
    };
    auto known = std::find_if(divergences_.begin(), divergences_.end(), is_same);
    if (known == divergences_.end()) {
        known = divergences_.insert(known, {barrier, others, in_warp, lane, 0});
    }
    known->first = std::min(known->first, lane);
    ++known->times;
}

void SyncCheck::leave() {
    for (const Divergence& one : std::exchange(divergences_, {})) {
        report_divergence(one.first, one.barrier, one.in_warp,
                          one.others.file ? "Other threads of the block are at " + text_of(one.others)
                                          : "It has left the kernel without coming to this barrier",
                          one.times);
    }
}

void SyncCheck::early_return() {
    Lane& lane = lanes_[check_.running_lane()];
    lane.returns_early = true;
    lane.access_before_return = lane.last_access;
}

bool SyncCheck::has_returned_early(const Lane& lane) const {
    return lane.returns_early && lane.last_access == lane.access_before_return;
}

bool SyncCheck::went_past(const Lane& lane, Site barrier) const {
    if (same_place(lane.barrier, barrier)) return true;
    if (!lane.last_access) return false;
    const std::vector<Frame> frames = device_frames(symbol_of(lane.last_access));
    if (frames.empty()) return false;
    const std::string path = barrier.file ? barrier.file : "";
    const Frame& outermost = frames.back();
    return outermost.file == path.substr(path.rfind('/') + 1) && outermost.line > barrier.line;
}

void SyncCheck::report_divergence(unsigned lane, Site barrier, bool in_warp, std::string detail, uint64_t times) {
    report(std::string("Barrier error detected. Divergent thread(s) in ") + (in_warp ? "warp" : "block"), lane,
           {nullptr, barrier.file, barrier.line}, {std::move(detail)}, times);
}

void SyncCheck::lane_ended(unsigned lane) { lanes_[lane].has_ended = true; }

void SyncCheck::lane_dropped(unsigned lane) { lanes_[lane].is_dropped = true; }

bool SyncCheck::deadlocked(const std::string& waiting) {
    report_waiting("Barrier error detected. Threads wait for each other in different places", waiting);
    return true;
}

bool SyncCheck::timed_out(const std::string& waiting, bool in_lockstep) {
    if (in_lockstep) {
        report_waiting("Barrier error detected. Threads wait for others of their warp, which lockstep holds back",
                       waiting + "With the schedule 'independent', as on a GPU since Volta, they go on\n");
    } else {
        report_waiting("Barrier error detected. Threads wait for something that never happens", waiting);
    }
    return true;
}

// The place is preferably one where lanes of a warp wait for others that have not come. For a lane that does not wait,
// it is the place of its last access.
void SyncCheck::report_waiting(const char* title, const std::string& waiting) {
    if (check_.launch().error) return;  // others may wait for a dropped lane
    unsigned first = 0;
    const auto is_better = [this](unsigned one, unsigned other) {
        const auto rank = [this](unsigned index) {
            const Lane& lane = lanes_[index];
            if (lane.has_ended) return 3;
            if (is_running(index)) return 2;
            return is_in_warp(lane.kind) ? 0 : 1;
        };
        return rank(one) < rank(other);
    };
    for (unsigned lane = 1; lane < lanes_.size(); ++lane) {
        if (is_better(lane, first)) first = lane;
    }
    std::vector<std::string> details;
    std::istringstream lines(waiting);
    for (std::string line; std::getline(lines, line);) details.push_back(line.substr(line.find_first_not_of(' ')));
    const Lane& lane = lanes_[first];
    const Place wait = {nullptr, lane.site.file, lane.site.line}, last = {lane.last_access, nullptr, 0};
    report(title, first, is_running(first) ? last : wait, std::move(details));
}

const char* SyncCheck::function_of(unsigned lane) const {
    using check::Wait;
    switch (lanes_[lane].kind) {
        case Wait::warp_barrier: return "__syncwarp";
        case Wait::shuffle: return "shuffle";
        case Wait::vote: return "vote";
        case Wait::matrix: return "matrix operation";
        default: return "match or reduction";
    }
}

bool SyncCheck::polls_again(unsigned lane) const {
    return check_.is_polling(lane) && lanes_[lane].kind == check::Wait::poll;
}

bool SyncCheck::is_running(unsigned lane) const {
    return check_.block().is_running(check_.block().warp(lane / 32), lane % 32);
}

bool SyncCheck::misused(const char* message, const void* pc) {
    const std::string text = message;
    if (text.find("cuda::barrier") == std::string::npos && text.find("grid.sync") == std::string::npos) return false;
    const bool missing_init = text.find("init()") != std::string::npos;
    report(std::string("Barrier error detected. ") + (missing_init ? "Missing init" : "Invalid arguments"),
           check_.running_lane(), {pc, nullptr, 0}, {text});
    return true;
}

void SyncCheck::report(std::string title, unsigned lane, Place place, std::vector<std::string> details,
                       uint64_t times) {
    check::report(finding(std::move(title), lane, place, std::move(details), times));
}

Finding SyncCheck::finding(std::string title, unsigned lane, Place place, std::vector<std::string> details,
                           uint64_t times) const {
    const Context& context = check_.context(lane);
    const BlockIdentity& identity = check_.block().identity();
    Finding result;
    result.tool = Tool::synccheck;
    result.title = std::move(title);
    result.kernel = check_.launch().kernel;
    Side side;
    side.place = place;
    side.who.thread = {context.x, context.y, context.z};
    side.who.block = {identity.index_x, identity.index_y, identity.index_z};
    result.sides.push_back(std::move(side));
    result.details = std::move(details);
    result.times = times;
    result.backtrace = check_.launch().host_backtrace;
    result.backtrace_time = "at kernel launch time";
    return result;
}

}  // namespace simt::check
