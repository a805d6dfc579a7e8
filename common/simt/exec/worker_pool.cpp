#include "common/simt/exec/worker_pool.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "common/simt/exec/fault.hpp"
#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/worker.hpp"

namespace simt {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// How often the watchdog looks and tries to end a failed launch.
constexpr auto watchdog_interval = 100ms;
constexpr auto interrupt_interval = 2ms;

constexpr long most_workers = 1024;

uint64_t steps_of(const RunningLaunch& launch) {
    uint64_t steps = 0;
    for (unsigned worker = 0; worker < launch.worker_count; ++worker) {
        steps += launch.progress[worker].steps.load(std::memory_order_relaxed);
    }
    return steps;
}

}  // namespace

WorkerPool& WorkerPool::instance() {
    // Never destroyed: its threads may still run when the process ends.
    static WorkerPool& pool = *new WorkerPool;
    return pool;
}

WorkerPool::WorkerPool()
    : worker_count_(static_cast<unsigned>(
          std::clamp(environment_number("SIMCC_THREADS", std::thread::hardware_concurrency()), 1L, most_workers))),
      timeout_(environment_number("SIMCC_TIMEOUT", 10)) {}

void WorkerPool::start_workers() {
    install_fault_handlers();
    for (unsigned index = 0; index < worker_count_; ++index) {
        workers_.push_back(std::make_unique<Worker>(*this, index));
        workers_.back()->start();
    }
    std::thread(&WorkerPool::run_watchdog, this).detach();
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
    std::lock_guard lock(mutex_);
    if (--launch.workers_inside == 0) launch_ended_.notify_all();
}

void WorkerPool::run_watchdog() {
    std::unique_lock lock(mutex_);
    for (;;) {
        watchdog_needed_.wait(lock, [&] { return !launches_.empty(); });
        const bool ending = end_stuck_launches();
        watchdog_needed_.wait_for(lock, ending ? interrupt_interval : watchdog_interval, [] { return false; });
    }
}

// Returns whether a failed launch still occupies workers.
bool WorkerPool::end_stuck_launches() {
    bool ending = false;
    const auto now = Clock::now();
    for (RunningLaunch* launch : launches_) {
        const uint64_t steps = steps_of(*launch);
        // A launch without a worker is still waiting for other launches: its time has not begun.
        if (steps != launch->last_steps || launch->workers_inside == 0) {
            launch->last_steps = steps;
            launch->last_progress = now;
        } else if (timeout_ > 0s && now - launch->last_progress >= timeout_) {
            launch->fail(error_timeout);
        }
        if (!launch->failed()) continue;
        ending = true;
        for (auto& worker : workers_) interrupt_failed_block(worker->thread());
    }
    return ending;
}

}  // namespace simt
