// SPDX-License-Identifier: MIT
#include "common/simt/exec/worker_pool.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "common/simt/exec/fault.hpp"
#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/shortage.hpp"
#include "common/simt/exec/worker.hpp"

namespace simt {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// How often the watchdog looks and tries to end a failed launch.
constexpr auto watchdog_interval = 100ms;
constexpr auto interrupt_interval = 2ms;

constexpr long most_workers = 1024;
constexpr double longest_timeout = 1e9;  // seconds

// The fraction of the timeout for which a warp in lockstep may wait while it keeps some of its lanes from going on.
constexpr double patience_with_lockstep = 0.1;

// A worker that has run this long without a step probably runs slow lanes.
constexpr auto long_work = 500ms;

// How much processor time the thread has used.
LaunchWatch::Duration processor_time(pthread_t thread) {
    clockid_t clock = CLOCK_MONOTONIC;  // the fallback: as if the thread ran all the time
    timespec time = {};
    if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) {
        clock_gettime(CLOCK_MONOTONIC, &time);
    }
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

WorkerPool& WorkerPool::instance() {
    // Never destroyed: its threads may still run when the process ends.
    static WorkerPool& pool = *new WorkerPool;
    return pool;
}

WorkerPool::WorkerPool()
    : worker_count_(static_cast<unsigned>(
          environment_number("SIMCC_THREADS", 1, most_workers, std::min(processor_count(), most_workers)))),
      timeout_(environment_seconds("SIMCC_TIMEOUT", longest_timeout, 10)) {}

void WorkerPool::start_workers() {
    install_fault_handlers();
    for (unsigned index = 0; index < worker_count_; ++index) {
        workers_.push_back(std::make_unique<Worker>(*this, index));
        workers_.back()->start();
    }
    start_thread([this] { run_watchdog(); }).detach();
}

bool WorkerPool::is_running() {
    const std::lock_guard lock(mutex_);
    return !launches_.empty();
}

void WorkerPool::run(RunningLaunch& launch) {
    std::unique_lock lock(mutex_);
    if (workers_.empty()) start_workers();
    launches_.push_back(&launch);
    const uint64_t useful = std::min<uint64_t>(idle_workers_, launch.block_count);
    for (uint64_t i = 0; i < useful; ++i) work_came_.notify_one();
    if (launches_.size() == 1) watchdog_needed_.notify_one();
    launch_ended_.wait(lock, [&] { return !launch.has_unclaimed_blocks() && launch.workers_inside == 0; });
    std::erase(launches_, &launch);
}

void WorkerPool::start(const std::vector<RunningLaunch*>& launches) {
    if (launches.empty()) return;
    const std::lock_guard lock(mutex_);
    launches_.insert(launches_.begin(), launches.begin(), launches.end());
    uint64_t blocks = 0;
    for (const RunningLaunch* launch : launches) blocks += launch->block_count;
    const uint64_t useful = std::min<uint64_t>(idle_workers_, blocks);
    for (uint64_t i = 0; i < useful; ++i) work_came_.notify_one();
    watchdog_needed_.notify_one();
}

RunningLaunch* WorkerPool::find_unclaimed_work() {
    const auto found = std::find_if(launches_.begin(), launches_.end(),
                                    [](RunningLaunch* launch) { return launch->has_unclaimed_blocks(); });
    return found == launches_.end() ? nullptr : *found;
}

RunningLaunch* WorkerPool::join_launch(bool wait) {
    std::unique_lock lock(mutex_);
    RunningLaunch* launch = find_unclaimed_work();
    if (wait) {
        ++idle_workers_;
        work_came_.wait(lock, [&] { return (launch = find_unclaimed_work()) != nullptr; });
        --idle_workers_;
    }
    if (launch) ++launch->workers_inside;
    return launch;
}

void WorkerPool::leave_launch(RunningLaunch& launch) {
    {
        const std::lock_guard lock(mutex_);
        if (--launch.workers_inside > 0) return;
        if (launch.is_awaited) return launch_ended_.notify_all();
        std::erase(launches_, &launch);
    }
    launch.owner->blocks_ended();
}

void WorkerPool::run_watchdog() {
    std::unique_lock lock(mutex_);
    auto last_look = Clock::now();
    for (;;) {
        watchdog_needed_.wait(lock, [&] { return !launches_.empty(); });
        const auto now = Clock::now();
        const bool ending = end_stuck_launches(now - std::exchange(last_look, now));
        watchdog_needed_.wait_for(lock, ending ? interrupt_interval : watchdog_interval, [] { return false; });
    }
}

// A launch may wait for any other: as long as something happens in one of them, or could happen if a worker had a
// processor, none of them is only waiting.
void WorkerPool::look_at_launches(LaunchWatch::Duration elapsed) {
    std::vector<LaunchWatch::Duration> processor_times;
    for (const auto& worker : workers_) processor_times.push_back(processor_time(worker->thread()));
    bool is_quiet = true, counts = true;
    for (RunningLaunch* launch : launches_) {
        is_quiet &= !launch->watch.look(launch->progress.get(), processor_times);
        const auto epoch = static_cast<unsigned short>(launch->watch.steps() + 1);
        __atomic_store_n(&launch->step_epoch, epoch, __ATOMIC_RELAXED);
        counts &= launch->watch.has_gone_round() && !launch->has_unclaimed_blocks();
        if (launch->watch.worked() > long_work) launch->has_long_lanes = true;
    }
    for (RunningLaunch* launch : launches_) {
        launch->watch.pass(elapsed, is_quiet, counts);
        if (launch->watch.waited() == LaunchWatch::Duration{0}) launch->holds_back_lanes = false;
    }
}

void WorkerPool::end_if_stuck(RunningLaunch& launch) const {
    using Seconds = std::chrono::duration<double>;
    if (timeout_ == 0 || launch.failed()) return;
    const double patience = launch.holds_back_lanes ? timeout_ * patience_with_lockstep : timeout_;
    if (Seconds(launch.watch.waited()).count() >= patience) {
        launch.fail(error_timeout);
    } else if (Seconds(launch.watch.worked()).count() >= timeout_ * work_per_wait) {
        launch.ran_too_long = true;
        launch.fail(error_timeout);
    }
}

// Returns whether a failed launch still occupies workers.
bool WorkerPool::end_stuck_launches(LaunchWatch::Duration elapsed) {
    bool ending = false;
    look_at_launches(elapsed);
    for (RunningLaunch* launch : launches_) {
        end_if_stuck(*launch);
        if (!launch->failed()) continue;
        ending = true;
        for (auto& worker : workers_) interrupt_failed_block(worker->thread());
    }
    return ending;
}

}  // namespace simt
