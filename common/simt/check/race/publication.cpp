// SPDX-License-Identifier: MIT
#include "common/simt/check/race/publication.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace simt::check {

void Publication::begin_block(unsigned lanes, const OrderPointer& launch,
                              const std::shared_ptr<const LogRanges>& known) {
    launch_ = launch;
    learned_.resize(lanes);
    unfenced_.resize(lanes);
    shared_logs_.clear();
    begin_anew(known);
}

void Publication::begin_anew(const std::shared_ptr<const LogRanges>& known) {
    std::fill(learned_.begin(), learned_.end(), known);
    std::fill(unfenced_.begin(), unfenced_.end(), nullptr);
    fenced_.clear();
    has_learned_ = known != nullptr;
    fenced_since_barrier_ = false;
    fenced_warps_ = 0;
}

// ---- synchronization variables

void Publication::lock(uintptr_t address, Space space) {
    if (space == Space::shared) return;
    held_ = &memory_.sync_variables.stripe(address);
    held_->lock();
}

void Publication::unlock() {
    if (held_) std::exchange(held_, nullptr)->unlock();
}

void Publication::learn_of_atomic(const Access& access) {
    if (access.kind == check::AtomicKind::store) return;
    // A lock taken by compare-and-swap orders later accesses only if a fence follows it.
    const bool waits_for_fence =
        access.kind == check::AtomicKind::compare_and_swap && access.order == check::Order::relaxed;
    if (const auto log = log_of(access.address, access.space)) {
        learn_from(log, access.lane, access.reach, waits_for_fence ? unfenced_ : learned_);
    }
}

void Publication::publish_by_atomic(const Access& access) {
    if (access.kind == check::AtomicKind::load) return;
    const unsigned lane = access.lane;
    const bool releases = access.order == check::Order::release || access.order == check::Order::acquire_release;
    const bool replaces = access.kind == check::AtomicKind::store;
    const auto log =
        releases || has_fenced(lane) ? new_log_of(access.address, access.space) : log_of(access.address, access.space);
    if (log && releases) {
        log->publish(knowledge_of(lane), access.reach, replaces);
        clocks_.advance(lane);
    } else if (log) {
        publish_fenced(*log, lane, access.reach, replaces);
    }
}

void Publication::learn_of_volatile(uintptr_t address, Space space, unsigned lane, const PossibleFlag& if_flag) {
    const std::unique_lock<SyncVariables::Stripe> lock = locked(address, space);
    if (const auto log = log_of(address, space)) learn_from(log, lane, check::Reach::device, learned_, if_flag);
}

void Publication::publish_by_volatile(const Access& access) {
    const std::unique_lock<SyncVariables::Stripe> lock = locked(access.address, access.space);
    const auto log =
        has_fenced(access.lane) ? new_log_of(access.address, access.space) : log_of(access.address, access.space);
    if (log) publish_fenced(*log, access.lane, check::Reach::device, true);
}

std::shared_ptr<const LogRanges> Publication::publish_to_operation(unsigned lane) {
    const auto log = std::make_shared<SyncLog>();
    log->publish(knowledge_of(lane), check::Reach::device, true);
    clocks_.advance(lane);
    auto ranges = std::make_shared<LogRanges>();
    add_range(*ranges, log->range(log, clocks_.owner(), nullptr, check::Reach::device));
    return ranges;
}

std::unique_lock<SyncVariables::Stripe> Publication::locked(uintptr_t address, Space space) {
    if (space == Space::shared) return {};
    return std::unique_lock(memory_.sync_variables.stripe(address));
}

std::shared_ptr<SyncLog> Publication::log_of(uintptr_t address, Space space) {
    if (space != Space::shared) return memory_.sync_variables.stripe(address).find(address);
    const auto found = shared_logs_.find(address);
    return found == shared_logs_.end() ? nullptr : found->second;
}

std::shared_ptr<SyncLog> Publication::new_log_of(uintptr_t address, Space space) {
    if (space != Space::shared) return memory_.sync_variables.stripe(address).at(address);
    auto& log = shared_logs_[address];
    if (!log) log = std::make_shared<SyncLog>();
    return log;
}

// ---- what lanes know

std::shared_ptr<const LogRanges> Publication::learned() const {
    std::shared_ptr<const LogRanges> all;
    if (!has_learned_) return all;
    for (unsigned lane = 0; lane < learned_.size(); ++lane) all = joined(all, learned(lane));
    return all;
}

Knowledge Publication::knowledge_of(unsigned lane) const {
    Knowledge all;
    all.owner = clocks_.owner();
    all.launch = launch_;
    all.lane = lane;
    all.clock = clocks_.clock(lane) + 1;
    all.block_base = clocks_.block_base();
    all.warp_base = clocks_.warp_base(lane / 32);
    if (clocks_.has_partly_met(lane / 32)) {
        all.warp_row = std::make_shared<const std::array<uint32_t, 32>>(clocks_.row(lane));
    }
    all.learned = learned_[lane];
    return all;
}

void Publication::fence(unsigned lane, check::Reach reach) {
    if (reach == check::Reach::block) {
        learn_within_block(lane);
    } else {
        learn_what_was_unfenced(lane, 1);
    }
    if (fenced_.empty()) fenced_.resize(learned_.size());
    const Knowledge now = knowledge_of(lane);
    if (reach != check::Reach::block) fenced_[lane].device = now;
    fenced_[lane].block = now;
    clocks_.advance(lane);
    fenced_since_barrier_ = true;
    fenced_warps_ |= 1u << lane / 32;
}

void Publication::publish_fenced(SyncLog& log, unsigned lane, check::Reach reach, bool replaces) {
    static const Fenced nothing;
    const Fenced& fenced = fenced_.empty() ? nothing : fenced_[lane];
    if (reach != check::Reach::block) {
        log.publish(fenced.device, check::Reach::device, replaces);
        if (fenced.block == fenced.device) return;
        replaces = false;
    }
    log.publish(fenced.block, check::Reach::block, replaces);
}

void Publication::learn_from(const std::shared_ptr<SyncLog>& log, unsigned lane, check::Reach reach,
                             RangesByLane& by_lane, const PossibleFlag& if_flag) {
    const auto counted_reach = reach == check::Reach::block ? reach : check::Reach::device;
    LogRange range = log->range(log, clocks_.owner(), launch_, counted_reach);
    const auto& known = by_lane[lane];
    if (known && has_range(*known, range)) return;
    range.if_flag = if_flag;
    // A spinning lane reads the same range again and again.
    if (range.begin == range.end || (known && has_range(*known, range))) return;
    auto ranges = by_lane[lane] ? std::make_shared<LogRanges>(*by_lane[lane]) : std::make_shared<LogRanges>();
    add_range(*ranges, range);
    by_lane[lane] = std::move(ranges);
    has_learned_ = true;
}

// These lanes have come to a fence, a meeting or a barrier.
void Publication::learn_what_was_unfenced(unsigned first, uint32_t lanes) {
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = first + static_cast<unsigned>(std::countr_zero(left));
        if (!unfenced_[lane]) continue;
        learned_[lane] = joined(learned_[lane], unfenced_[lane]);
        unfenced_[lane] = nullptr;
    }
}

// A fence for the block lets the lane learn what the block's own lanes published; the rest waits for a wider one.
void Publication::learn_within_block(unsigned lane) {
    if (!unfenced_[lane]) return;
    LogRanges own = *unfenced_[lane];
    for (LogRange& range : own) range.reach = check::Reach::block;
    learned_[lane] = joined(learned_[lane], std::make_shared<const LogRanges>(std::move(own)));
}

// ---- barriers and meetings

void Publication::share_what_was_learned(unsigned first, uint32_t lanes) {
    learn_what_was_unfenced(first, lanes);
    std::shared_ptr<const LogRanges> all;
    for (uint32_t left = lanes; left; left &= left - 1) {
        all = joined(all, learned_[first + static_cast<unsigned>(std::countr_zero(left))]);
    }
    if (!all) return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        learned_[first + static_cast<unsigned>(std::countr_zero(left))] = all;
    }
}

// When lanes have met, what one of them has fenced counts for all.
void Publication::share_fences(const std::vector<unsigned>& lanes) {
    const auto shared = [&](Knowledge Fenced::*part) {
        Knowledge all;
        auto dates = std::make_shared<std::vector<uint32_t>>(learned_.size(), 0);
        for (const unsigned lane : lanes) {
            const Knowledge& one = fenced_[lane].*part;
            if (one.empty()) continue;
            all.owner = clocks_.owner();
            all.launch = launch_;
            all.block_base = std::max(all.block_base, one.block_base);
            all.learned = joined(all.learned, one.learned);
            if (one.lanes) {
                for (size_t i = 0; i < dates->size(); ++i) (*dates)[i] = std::max((*dates)[i], (*one.lanes)[i]);
            }
            if (one.lane == ~0u) continue;
            const size_t first = one.lane / 32 * 32;
            for (size_t i = first; i < std::min(first + 32, dates->size()); ++i) {
                const uint32_t date = one.warp_row ? (*one.warp_row)[i - first] : one.warp_base;
                (*dates)[i] = std::max((*dates)[i], date);
            }
            (*dates)[one.lane] = std::max((*dates)[one.lane], one.clock);
        }
        all.lanes = std::move(dates);
        for (const unsigned lane : lanes) fenced_[lane].*part = all;
    };
    shared(&Fenced::device);
    shared(&Fenced::block);
}

void Publication::meeting_completed(unsigned warp, uint32_t lanes, uint32_t live) {
    if (has_learned_) share_what_was_learned(warp * 32, lanes);
    if (!(fenced_warps_ >> warp & 1)) return;
    std::vector<unsigned> ranks;
    for (uint32_t left = lanes; left; left &= left - 1) {
        ranks.push_back(warp * 32 + static_cast<unsigned>(std::countr_zero(left)));
    }
    share_fences(ranks);
    if (lanes == live) fenced_warps_ &= ~(1u << warp);
}

void Publication::block_barrier_completed() {
    if (has_learned_) {
        std::shared_ptr<const LogRanges> all;
        for (unsigned lane = 0; lane < learned_.size(); ++lane) learn_what_was_unfenced(lane, 1);
        for (const auto& one : learned_) all = joined(all, one);
        std::fill(learned_.begin(), learned_.end(), all);
    }
    if (!fenced_since_barrier_) return;
    std::vector<unsigned> ranks(learned_.size());
    for (unsigned lane = 0; lane < ranks.size(); ++lane) ranks[lane] = lane;
    share_fences(ranks);
    fenced_since_barrier_ = false;
    fenced_warps_ = 0;
}

}  // namespace simt::check
