// SPDX-License-Identifier: MIT
#include "common/simt/exec/launch_watch.hpp"

#include <algorithm>

namespace simt {

namespace {

using namespace std::chrono_literals;

// A worker that has used this much processor time without a look is working: all lanes of a block look again far
// sooner.
constexpr LaunchWatch::Duration longest_look = 20ms;

// The watchdog looks more often than this, unless the process has been stopped meanwhile.
constexpr LaunchWatch::Duration longest_pause = 250ms;

// Stores the new value and returns whether it differs.
bool renew(uint64_t& seen, const std::atomic<uint64_t>& count) {
    const uint64_t before = seen;
    seen = count.load(std::memory_order_relaxed);
    return seen != before;
}

}  // namespace

bool LaunchWatch::look_at(const Progress& progress, Duration processor_time, bool goes_on, Sight& seen) {
    const bool was_inside = seen.is_inside;
    seen.is_inside = progress.is_inside.load(std::memory_order_relaxed);
    if (goes_on || !was_inside) {
        seen.worked = Duration{0};
        seen.at_last_count = processor_time;
    }
    const bool has_changed = renew(seen.changes, progress.changes);
    const bool has_looked = renew(seen.looks, progress.looks), has_gone_round = renew(seen.rounds, progress.rounds);
    if (has_looked || has_gone_round || !was_inside) seen.at_last_look = processor_time;
    if (!seen.is_inside) return has_changed || was_inside;
    if (goes_on || !was_inside) seen.rounds_at_last_count = seen.rounds;
    return has_changed || !was_inside || processor_time - seen.at_last_look > longest_look;
}

// Processor time counts once every worker in the launch has had some. A worker without a processor may be just about to
// make a step, while the others wait for it in vain as long as they have the processors.
void LaunchWatch::count_work(const std::vector<Duration>& processor_times) {
    bool all_have_run = true;
    for (size_t worker = 0; worker < sights_.size(); ++worker) {
        const Sight& seen = sights_[worker];
        all_have_run &= !seen.is_inside || seen.rounds != seen.rounds_at_last_count ||
                        processor_times[worker] - seen.at_last_count > longest_look;
    }
    worked_ = Duration{0};
    for (size_t worker = 0; worker < sights_.size(); ++worker) {
        Sight& seen = sights_[worker];
        if (!seen.is_inside) continue;
        if (all_have_run) {
            seen.worked += std::min(processor_times[worker] - seen.at_last_count, longest_pause);
            seen.at_last_count = processor_times[worker];
            seen.rounds_at_last_count = seen.rounds;
        }
        worked_ = std::max(worked_, seen.worked);
    }
}

bool LaunchWatch::look(const Progress* progress, const std::vector<Duration>& processor_times) {
    uint64_t steps = 0, turns_taken = 0;
    for (size_t worker = 0; worker < sights_.size(); ++worker) {
        steps += progress[worker].steps.load(std::memory_order_relaxed);
        turns_taken += __atomic_load_n(&progress[worker].turns_taken.count, __ATOMIC_RELAXED);
    }
    const bool goes_on = steps != steps_ || turns_taken != turns_taken_;
    steps_ = steps;
    turns_taken_ = turns_taken;
    bool has_happened = goes_on;
    for (size_t worker = 0; worker < sights_.size(); ++worker) {
        has_happened |= look_at(progress[worker], processor_times[worker], goes_on, sights_[worker]);
    }
    count_work(processor_times);
    return has_happened;
}

bool LaunchWatch::has_gone_round() const {
    return std::all_of(sights_.begin(), sights_.end(),
                       [](const Sight& seen) { return !seen.is_inside || seen.rounds != seen.counted_rounds; });
}

void LaunchWatch::pass(Duration elapsed, bool is_quiet, bool counts) {
    // Until a worker joins, the launch waits for other launches, and its time has not begun.
    if (std::none_of(sights_.begin(), sights_.end(), [](const Sight& seen) { return seen.is_inside; })) {
        waited_ = uncounted_ = Duration{0};
        return;
    }
    uncounted_ += std::min(elapsed, longest_pause);
    uncounted_is_quiet_ &= is_quiet;
    if (!uncounted_is_quiet_) waited_ = Duration{0};
    if (!counts) return;
    if (uncounted_is_quiet_) waited_ += uncounted_;
    uncounted_ = Duration{0};
    uncounted_is_quiet_ = true;
    for (Sight& seen : sights_) seen.counted_rounds = seen.rounds;
}

}  // namespace simt
