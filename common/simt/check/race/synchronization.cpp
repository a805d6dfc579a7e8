// What orders accesses for racecheck: atomic operations, volatile variables and fences, meetings and barriers.
#include <algorithm>
#include <bit>
#include <utility>

#include "common/simt/check/core/block_watch_inline.hpp"
#include "common/simt/exec/resident_block.hpp"

namespace simt::checking {

// ---- atomic operations

void RaceCheck::begin_atomic(const Access& access) {
    settle();
    ShadowMap* const words = words_of(access.space, access.address);
    if (!words) return;
    if (has_foreign_) check_foreign(access);
    atomic_ = access;
    if (access.space != Space::shared) {
        SyncVariables::Stripe& stripe = memory_.sync_variables.stripe(access.address);
        stripe.lock();
        held_ = &stripe;
    }
    note_trying_read(access, *words);
    const bool is_load = access.kind == watching::AtomicKind::load;
    if (access.kind != watching::AtomicKind::store) {
        // A lock that is taken by compare-and-swap orders what follows it only with a fence between.
        const bool waits_for_fence = access.kind == watching::AtomicKind::compare_and_swap &&
                                     access.order == watching::Order::relaxed;
        if (const auto log = log_of(access.address, access.space)) {
            learn_from(log, access.lane, access.reach, waits_for_fence ? unfenced_ : learned_);
        }
    }
    if (watch_.is_polling(access.lane)) polled_variables_of(access.space).insert(access.address);
    check(access, is_load                                           ? AccessKind::volatile_access
                  : access.reach == watching::Reach::block ? AccessKind::block_atomic
                                                           : AccessKind::atomic);
}

// The lane has read what it now updates, as a loop of compare-and-swap begins, or a test whether an update is worth it.
// In shared memory, where a barrier may be what is missing between the two, only compare-and-swap counts.
void RaceCheck::note_trying_read(const Access& access, const ShadowMap& words) {
    const bool compares = access.kind == watching::AtomicKind::compare_and_swap;
    if (!compares && (access.space == Space::shared || access.kind != watching::AtomicKind::update)) return;
    const ShadowRecord use = ShadowRecord::load(words.word(access.address)->use);
    if (use.empty() || use.kind() != AccessKind::plain) return;
    const bool by_this_lane = use.has(ShadowRecord::several_warps)
                                  ? use.lanes() >> access.lane / 32 & 1
                                  : use.warp() == access.lane / 32 && use.lanes() >> access.lane % 32 & 1;
    const bool by_this_block = use.owner() == owner_ || (compares && use.has(ShadowRecord::several_blocks));
    if (!by_this_lane || !by_this_block || !trying_reads_.insert(use.place()).second) return;
    launch_->add_trying_read(use.place());
}

void RaceCheck::end_atomic(uintptr_t, bool has_written) {
    if (atomic_.bytes == 0) return;
    const Access access = std::exchange(atomic_, Access());
    const unsigned lane = access.lane;
    const bool releases =
        access.order == watching::Order::release || access.order == watching::Order::acquire_release;
    const bool replaces = access.kind == watching::AtomicKind::store;
    if (has_written && access.kind != watching::AtomicKind::load) {
        const bool has_something = releases || has_fenced(lane);
        const auto log = has_something ? new_log_of(access.address, access.space)
                                       : log_of(access.address, access.space);
        if (log && releases) {
            log->publish(knowledge_of(lane), access.reach, replaces);
            clocks_.advance(lane);
        } else if (log) {
            publish_fenced(*log, lane, access.reach, replaces);
        }
    }
    if (held_) std::exchange(held_, nullptr)->unlock();
    renew_numbers_if_exhausted();
}

// ---- volatile variables

void RaceCheck::synchronize_by_volatile(const Access& access) {
    if (access.is_atomic) return;
    if (!access.is_write) {
        learn_of_volatile(access.address, access.space, access.lane);
        // The value may be stored after this moment and before it is read: look again when the lane has read it.
        polled_ = access.address;
        polled_space_ = access.space;
        polling_lane_ = access.lane;
        has_deferred_ = true;
        return;
    }
    const std::unique_lock<SyncVariables::Stripe> lock = locked(access.address, access.space);
    const auto log = has_fenced(access.lane) ? new_log_of(access.address, access.space)
                                             : log_of(access.address, access.space);
    if (log) publish_fenced(*log, access.lane, watching::Reach::device, true);
}

// Whether the access is to a flag, which lanes write and look at without being ordered: somebody has waited for it in a
// loop. Nor is it a mistake to look at what was written behind a fence, or to write behind a fence what others look at.
bool RaceCheck::is_flag(const Current& current, bool earlier_is_store) {
    const Space space = current.is_shared ? Space::shared : Space::global;
    if (watch_.is_polling(current.lane) || polled_variables_of(space).contains(current.address)) return true;
    if (!earlier_is_store) return has_fenced(current.lane);
    if (current.is_write) return false;
    const auto lock = held_ ? std::unique_lock<SyncVariables::Stripe>() : locked(current.address, space);
    return log_of(current.address, space) != nullptr;
}

PolledVariables& RaceCheck::polled_variables_of(Space space) {
    return space == Space::shared ? shared_polled_ : memory_.polled_variables;
}

void RaceCheck::learn_of_volatile(uintptr_t address, Space space, unsigned lane) {
    const std::unique_lock<SyncVariables::Stripe> lock = locked(address, space);
    if (const auto log = log_of(address, space)) learn_from(log, lane, watching::Reach::device, learned_);
}

// ---- the logs of synchronization variables; those of global memory with their stripe locked

std::unique_lock<SyncVariables::Stripe> RaceCheck::locked(uintptr_t address, Space space) {
    if (space == Space::shared) return {};
    return std::unique_lock(memory_.sync_variables.stripe(address));
}

std::shared_ptr<SyncLog> RaceCheck::log_of(uintptr_t address, Space space) {
    if (space != Space::shared) return memory_.sync_variables.stripe(address).find(address);
    const auto found = shared_logs_.find(address);
    return found == shared_logs_.end() ? nullptr : found->second;
}

std::shared_ptr<SyncLog> RaceCheck::new_log_of(uintptr_t address, Space space) {
    if (space != Space::shared) return memory_.sync_variables.stripe(address).at(address);
    auto& log = shared_logs_[address];
    if (!log) log = std::make_shared<SyncLog>();
    return log;
}

// ---- what lanes know

Knowledge RaceCheck::knowledge_of(unsigned lane) const {
    Knowledge all;
    all.owner = owner_;
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

void RaceCheck::fence(watching::Reach reach) {
    settle();
    const unsigned lane = watch_.running_lane();
    if (reach == watching::Reach::block) {
        learn_within_block(lane);
    } else {
        learn_what_was_unfenced(lane, 1);
    }
    if (fenced_.empty()) fenced_.resize(watch_.lane_count());
    const Knowledge now = knowledge_of(lane);
    if (reach != watching::Reach::block) fenced_[lane].device = now;
    fenced_[lane].block = now;
    clocks_.advance(lane);
    fenced_since_barrier_ = true;
    fenced_warps_ |= 1u << lane / 32;
    renew_numbers_if_exhausted();
}

void RaceCheck::publish_fenced(SyncLog& log, unsigned lane, watching::Reach reach, bool replaces) {
    static const Fenced nothing;
    const Fenced& fenced = fenced_.empty() ? nothing : fenced_[lane];
    if (reach != watching::Reach::block) {
        log.publish(fenced.device, watching::Reach::device, replaces);
        if (fenced.block == fenced.device) return;
        replaces = false;
    }
    log.publish(fenced.block, watching::Reach::block, replaces);
}

void RaceCheck::learn_from(const std::shared_ptr<SyncLog>& log, unsigned lane, watching::Reach reach,
                           std::vector<std::shared_ptr<const LogRanges>>& by_lane) {
    const LogRange range = log->range(log, owner_, reach == watching::Reach::block ? reach : watching::Reach::device);
    const auto& known = by_lane[lane];
    // Who spins looks at the same again and again.
    if (range.begin == range.end || (known && has_range(*known, range))) return;
    auto ranges = by_lane[lane] ? std::make_shared<LogRanges>(*by_lane[lane]) : std::make_shared<LogRanges>();
    add_range(*ranges, range);
    by_lane[lane] = std::move(ranges);
    has_learned_ = true;
}

// These lanes have come to a fence, a meeting or a barrier.
void RaceCheck::learn_what_was_unfenced(unsigned first, uint32_t lanes) {
    for (uint32_t left = lanes; left; left &= left - 1) {
        const unsigned lane = first + static_cast<unsigned>(std::countr_zero(left));
        if (!unfenced_[lane]) continue;
        learned_[lane] = joined(learned_[lane], unfenced_[lane]);
        unfenced_[lane] = nullptr;
    }
}

// A fence for the block lets the lane learn what the block's own lanes published; the rest waits for a wider one.
void RaceCheck::learn_within_block(unsigned lane) {
    if (!unfenced_[lane]) return;
    LogRanges own = *unfenced_[lane];
    for (LogRange& range : own) range.reach = watching::Reach::block;
    learned_[lane] = joined(learned_[lane], std::make_shared<const LogRanges>(std::move(own)));
}

void RaceCheck::use(uintptr_t object, const void* pc) {
    settle();
    constexpr uint32_t bytes = 8;
    Access access{object, bytes, watch_.running_lane(), watch_.space_of(object), false};
    access.is_atomic = true;
    access.pc = pc;
    check(access, AccessKind::atomic);
}

// ---- barriers and meetings

void RaceCheck::share_what_was_learned(unsigned first, uint32_t lanes) {
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

// What one of the lanes has fenced, all of them have when they have met.
void RaceCheck::share_fences(const std::vector<unsigned>& lanes) {
    const auto shared = [&](Knowledge Fenced::*part) {
        Knowledge all;
        auto dates = std::make_shared<std::vector<uint32_t>>(watch_.lane_count(), 0);
        for (const unsigned lane : lanes) {
            const Knowledge& one = fenced_[lane].*part;
            if (one.empty()) continue;
            all.owner = owner_;
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

void RaceCheck::meeting_completed(unsigned warp, unsigned lanes) {
    const uint32_t live = watch_.block().warp(warp).live;
    const unsigned count = std::min(watch_.lane_count() - warp * 32, 32u);
    const uint32_t every_lane = count == 32 ? ~0u : (1u << count) - 1;
    // Lanes that have left the kernel have met with those that name them.
    uint32_t named = ~live & every_lane;
    for (uint32_t left = lanes; left; left &= left - 1) {
        named &= named_[warp * 32 + static_cast<unsigned>(std::countr_zero(left))];
    }
    clocks_.meeting(warp, lanes | named, every_lane);
    if (has_learned_) share_what_was_learned(warp * 32, lanes);
    if (fenced_warps_ >> warp & 1) {
        std::vector<unsigned> ranks;
        for (uint32_t left = lanes; left; left &= left - 1) {
            ranks.push_back(warp * 32 + static_cast<unsigned>(std::countr_zero(left)));
        }
        share_fences(ranks);
        if (lanes == live) fenced_warps_ &= ~(1u << warp);
    }
    renew_numbers_if_exhausted();
}

void RaceCheck::block_barrier_completed() {
    clocks_.block_barrier();
    if (has_learned_) {
        std::shared_ptr<const LogRanges> all;
        for (unsigned lane = 0; lane < learned_.size(); ++lane) learn_what_was_unfenced(lane, 1);
        for (const auto& one : learned_) all = joined(all, one);
        std::fill(learned_.begin(), learned_.end(), all);
    }
    if (fenced_since_barrier_) {
        std::vector<unsigned> ranks(watch_.lane_count());
        for (unsigned lane = 0; lane < ranks.size(); ++lane) ranks[lane] = lane;
        share_fences(ranks);
        fenced_since_barrier_ = false;
        fenced_warps_ = 0;
    }
    renew_numbers_if_exhausted();
}

void RaceCheck::grid_barrier_completed() {
    ++generation_;
    take_numbers();
    clocks_.begin(watch_.lane_count());
    std::fill(learned_.begin(), learned_.end(), nullptr);
    std::fill(unfenced_.begin(), unfenced_.end(), nullptr);
    fenced_.clear();
    has_learned_ = fenced_since_barrier_ = false;
    fenced_warps_ = 0;
}

}  // namespace simt::checking
