// SPDX-License-Identifier: MIT
#include "common/simt/exec/worker_pool.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "common/simt/exec/fault.hpp"
#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/spin.hpp"

namespace simt {

// ---- a worker

namespace {

// When a worker runs out of work, it returns the stacks of all but this many lanes to the system. A lane that has run
// occupies a page or two.
constexpr unsigned spare_lanes_kept = 16384;

unsigned lanes_of(const RunningLaunch& launch) {
    const Extent& block = launch.launch.block;
    return block.x * block.y * block.z;
}

}  // namespace

void Worker::start() {
    thread_ = start_thread([this] { main(); });
}

void Worker::main() {
    use_fault_stack();
    window_.emplace();
    unsigned fruitless_rounds = 0;
    for (;;) {
        if (RunningLaunch* launch = pool_.join_launch(suspended_.empty())) {
            joined_.push_back(launch);
            launch->progress[index_].is_inside = true;
            run_unclaimed_blocks(*launch);
            fruitless_rounds = 0;
        }
        // Only suspended blocks are left. If they wait for other workers or the host, this thread sleeps instead of
        // spinning. If their values change, it looks again soon.
        const Outcome outcome = resume_suspended_blocks();
        fruitless_rounds = outcome == Outcome::stepped ? 0 : outcome == Outcome::changed ? 1 : fruitless_rounds + 1;
        leave_finished_launches();
        if (fruitless_rounds > 100) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        } else if (fruitless_rounds > 0) {
            std::this_thread::yield();
        }
        if (suspended_.empty()) trim_spare_blocks();
    }
}

void Worker::run_unclaimed_blocks(RunningLaunch& launch) {
    for (;;) {
        const uint64_t first = launch.next_block.fetch_add(launch.blocks_per_claim);
        if (first >= launch.block_count) break;
        const uint64_t last = std::min(launch.block_count, first + launch.blocks_per_claim);
        for (uint64_t index = first; index < last && !launch.failed(); ++index) {
            run_new_block(launch, index);
            // Every claimed block must start eventually, since others may wait for it. But each suspended block gets a
            // turn first, so that few blocks are resident at once.
            resume_suspended_blocks();
        }
    }
}

void Worker::leave_finished_launches() {
    std::erase_if(joined_, [&](RunningLaunch* launch) {
        if (has_suspended_blocks_of(*launch)) return false;
        launch->progress[index_].is_inside = false;
        pool_.leave_launch(*launch);
        return true;
    });
}

void Worker::run_new_block(RunningLaunch& launch, uint64_t index) {
    Block block = block_with_room_for(lanes_of(launch));
    if (!block) {
        char what[256];
        std::snprintf(what, sizeof what, "kernel %.80s: no address space is left for the stacks of block %llu",
                      launch.launch.name, static_cast<unsigned long long>(index));
        end_program(what, "raise the limit (ulimit -v), or set SIMCC_THREADS to fewer threads");
    }
    block->begin(launch, launch.observer ? launch.observer->block_at(index, launch.block_count) : index, index_,
                 launch.progress[index_]);
    launch.progress[index_].advance();
    run(std::move(block));
}

Worker::Outcome Worker::resume_suspended_blocks() {
    Outcome outcome = Outcome::waited;
    for (size_t turns = suspended_.size(); turns > 0; --turns) {
        Block block = std::move(suspended_.front());
        suspended_.pop_front();
        RunningLaunch& launch = block->running_launch();
        if (launch.failed()) {
            retire(std::move(block));
        } else if (block->is_at_grid_barrier() && launch.grid_barrier.missing() > 0) {
            end_deadlocked(*block);
            retire(std::move(block));
        } else if (block->is_at_grid_barrier()) {
            suspended_.push_back(std::move(block));
        } else {
            const Progress& progress = launch.progress[index_];
            const uint64_t steps_before = progress.steps, changes_before = progress.changes;
            run(std::move(block));
            if (progress.changes != changes_before) outcome = std::max(outcome, Outcome::changed);
            if (progress.steps != steps_before) outcome = Outcome::stepped;
        }
    }
    for (RunningLaunch* launch : joined_) Progress::increase(launch->progress[index_].rounds);
    return outcome;
}

void Worker::run(Block block) {
    const size_t dynamic_bytes = block->running_launch().launch.dynamic_shared_bytes;
    if (!window_->is_current()) window_.emplace();
    if (window_owner_ != block.get()) {
        if (window_owner_) {
            window_->save(window_owner_->saved_shared, window_owner_->running_launch().launch.dynamic_shared_bytes);
            window_owner_->shared_is_saved = true;
        }
        window_owner_ = nullptr;
        if (block->shared_is_saved) window_->restore(block->saved_shared, dynamic_bytes);
    }
    RunningLaunch& launch = block->running_launch();
    switch (block->run()) {
        case Pause::polling:
            if (block->holds_back_lanes()) launch.holds_back_lanes = true;
            [[fallthrough]];
        case Pause::at_grid:
            window_owner_ = block.get();
            suspended_.push_back(std::move(block));
            return;
        case Pause::deadlocked: end_deadlocked(*block); break;
        case Pause::ended:
            launch.progress[index_].advance();
            if (launch.launch.cooperative) launch.grid_barrier.block_ended();
            break;
        case Pause::failed:
            if (launch.ran_too_long && !launch.timeout_reported.exchange(true)) report_long_run(*block);
            break;
    }
    retire(std::move(block));
}

void Worker::report_long_run(const ResidentBlock& block) const {
    std::fprintf(
        stderr,
        "simcc: %s: the launch was ended after %g seconds of processor time in which no thread came to its end "
        "or to a barrier; SIMCC_TIMEOUT is a tenth of that, 0 sets no limit\n%s",
        block.describe_position().c_str(), pool_.timeout() * WorkerPool::work_per_wait,
        block.describe_waiting().c_str());
}

void Worker::end_deadlocked(ResidentBlock& block) {
    if (!block.observer() || !block.observer()->deadlocked()) {
        std::fprintf(stderr, "simcc: %s: deadlock, its threads wait for each other:\n%s",
                     block.describe_position().c_str(), block.describe_waiting().c_str());
    }
    block.running_launch().fail(error_launch_failure);
}

void Worker::retire(Block block) {
    RunningLaunch& launch = block->running_launch();
    const bool has_waited = launch.error == error_timeout && !launch.ran_too_long;
    // Other blocks may wait for one whose lanes are held back: that block knows why, and reports it.
    const bool knows_why = !launch.holds_back_lanes || block->holds_back_lanes();
    const bool timed_out = has_waited && knows_why && !launch.timeout_reported.exchange(true);
    const bool is_reported = timed_out && block->observer() && block->observer()->timed_out();
    if (timed_out && !is_reported && block->holds_back_lanes()) {
        std::fprintf(stderr,
                     "simcc: %s: deadlock, its threads wait for others of their warp, which lockstep holds back; with "
                     "SIMCC_SCHEDULE=independent, as on a GPU since Volta, they go on\n%s",
                     block->describe_position().c_str(), block->describe_waiting().c_str());
    } else if (timed_out && !is_reported) {
        std::fprintf(stderr,
                     "simcc: %s: no progress for SIMCC_TIMEOUT=%g seconds, the launch was ended: it waits for "
                     "something that never happens\n%s",
                     block->describe_position().c_str(), pool_.timeout(), block->describe_waiting().c_str());
    }
    if (window_owner_ == block.get()) window_owner_ = nullptr;
    spare_.push_back(std::move(block));
}

void Worker::trim_spare_blocks() {
    unsigned lanes = 0;
    size_t kept = 0;
    while (kept < spare_.size() && lanes <= spare_lanes_kept) lanes += spare_[kept++]->lane_capacity();
    spare_.resize(kept);
}

bool Worker::has_suspended_blocks_of(const RunningLaunch& launch) const {
    return std::any_of(suspended_.begin(), suspended_.end(),
                       [&](const Block& block) { return &block->running_launch() == &launch; });
}

Worker::Block Worker::block_with_room_for(unsigned lanes) {
    if (!spare_.empty() && spare_.back()->has_room_for(lanes)) {
        Block block = std::move(spare_.back());
        spare_.pop_back();
        return block;
    }
    if (!spare_.empty()) spare_.pop_back();  // too small: make room for a larger one
    auto block = std::make_unique<ResidentBlock>(lanes);
    return block->has_stacks() ? std::move(block) : nullptr;
}

// ---- the pool

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
      timeout_(environment_seconds("SIMCC_TIMEOUT", longest_timeout, 10)),
      silence_(environment_seconds("SIMCC_PROGRESS", longest_timeout, isatty(STDERR_FILENO) ? 10 : 0)) {}

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
    std::unique_lock lock = locked_soon(mutex_);
    if (workers_.empty()) start_workers();
    add_and_wake({&launch});
    lock.unlock();
    spin_until([&] { return launch.has_ended(); });
    lock_soon(lock);
    launch_ended_.wait(lock, [&] { return launch.has_ended(); });
    std::erase(launches_, &launch);
}

void WorkerPool::start(const std::vector<RunningLaunch*>& launches) {
    if (launches.empty()) return;
    const std::lock_guard lock(mutex_);
    add_and_wake(launches);
}

// (The mutex must be locked. Launches that nobody waits for come first: a grid's own, which its end waits for.)
void WorkerPool::add_and_wake(const std::vector<RunningLaunch*>& launches) {
    launches_.insert(launches.front()->is_awaited ? launches_.end() : launches_.begin(), launches.begin(),
                     launches.end());
    ++launches_came_;
    uint64_t blocks = 0;
    for (const RunningLaunch* launch : launches) blocks += launch->block_count;
    const uint64_t useful = std::min<uint64_t>(idle_workers_, blocks - (is_looking_ && blocks > 0));
    for (uint64_t i = 0; i < useful; ++i) work_came_.notify_one();
    if (watchdog_sleeps_) watchdog_needed_.notify_one();
}

RunningLaunch* WorkerPool::find_unclaimed_work() {
    const auto found = std::find_if(launches_.begin(), launches_.end(),
                                    [](RunningLaunch* launch) { return launch->has_unclaimed_blocks(); });
    return found == launches_.end() ? nullptr : *found;
}

RunningLaunch* WorkerPool::join_launch(bool wait) {
    std::unique_lock lock = locked_soon(mutex_);
    RunningLaunch* launch = find_unclaimed_work();
    if (!launch && wait && !is_looking_) {  // one is enough for the next small launch
        is_looking_ = true;
        const uint64_t came = launches_came_;
        lock.unlock();
        spin_until([&] { return launches_came_ != came; });
        lock_soon(lock);
        is_looking_ = false;
        launch = find_unclaimed_work();
    }
    if (!launch && wait) {
        ++idle_workers_;
        work_came_.wait(lock, [&] { return (launch = find_unclaimed_work()) != nullptr; });
        --idle_workers_;
    }
    if (launch) ++launch->workers_inside;
    return launch;
}

void WorkerPool::leave_launch(RunningLaunch& launch) {
    {
        const std::unique_lock lock = locked_soon(mutex_);
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
        watchdog_sleeps_ = true;
        watchdog_needed_.wait(lock, [&] { return !launches_.empty(); });
        watchdog_sleeps_ = false;
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

// A long run says once how far it is: many programs have sizes that only a GPU ends soon.
void WorkerPool::tell_progress(LaunchWatch::Duration elapsed) {
    if (silence_ == 0 || launches_.empty()) return;
    ran_ += std::min<LaunchWatch::Duration>(elapsed, 10 * watchdog_interval);
    if (std::chrono::duration<double>(ran_).count() < silence_) return;
    const RunningLaunch& launch = *launches_.back();
    std::fprintf(stderr,
                 "simcc: after %g s of kernels, in launch %llu of this run, %s has begun %llu of its %llu blocks "
                 "(said once; SIMCC_PROGRESS=0 for never)\n",
                 silence_, static_cast<unsigned long long>(launches_came_), launch.launch.name,
                 static_cast<unsigned long long>(std::min<uint64_t>(launch.next_block, launch.block_count)),
                 static_cast<unsigned long long>(launch.block_count));
    silence_ = 0;
}

// Returns whether a failed launch still occupies workers.
bool WorkerPool::end_stuck_launches(LaunchWatch::Duration elapsed) {
    bool ending = false;
    look_at_launches(elapsed);
    tell_progress(elapsed);
    for (RunningLaunch* launch : launches_) {
        end_if_stuck(*launch);
        if (!launch->failed()) continue;
        ending = true;
        for (auto& worker : workers_) interrupt_failed_block(worker->thread());
    }
    return ending;
}

}  // namespace simt
