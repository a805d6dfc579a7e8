// SPDX-License-Identifier: MIT
// The threads that run device code, and the launches that they work on.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/running_launch.hpp"
#include "common/simt/exec/shared_window.hpp"

namespace simt {

class Worker;

class WorkerPool {
public:
    /// The pool of this process. Its threads start with the first launch and live as long as the process.
    static WorkerPool& instance();

    unsigned worker_count() const { return worker_count_; }

    /// A launch that only waits for this many seconds is ended, and so is one whose workers run for work_per_wait times
    /// as long without a step (launch_watch.hpp); 0: never.
    double timeout() const { return timeout_; }
    static constexpr double work_per_wait = 10;

    /// Whether a launch has begun and not ended.
    bool is_running();

    /// Runs all blocks of a launch; returns when they have ended. Any number of threads may call it.
    void run(RunningLaunch& launch);

    /// Starts launches that nobody awaits, ahead of all others.
    void start(const std::vector<RunningLaunch*>& launches);

    /// For workers. Joins a launch that has unclaimed blocks. If there is none, waits for one if `wait`, else returns
    /// null.
    RunningLaunch* join_launch(bool wait);

    /// The worker leaves the launch, which has no unclaimed blocks left.
    void leave_launch(RunningLaunch& launch);

private:
    WorkerPool();

    void start_workers();
    void run_watchdog();
    bool end_stuck_launches(LaunchWatch::Duration elapsed);
    void look_at_launches(LaunchWatch::Duration elapsed);
    void end_if_stuck(RunningLaunch& launch) const;
    void tell_progress(LaunchWatch::Duration elapsed);
    void add_and_wake(const std::vector<RunningLaunch*>& launches);
    RunningLaunch* find_unclaimed_work();

    const unsigned worker_count_;
    const double timeout_;
    double silence_;                // seconds of kernels until a line says how far the run is; 0: none will
    LaunchWatch::Duration ran_{0};  // how long kernels have run until then
    std::vector<std::unique_ptr<Worker>> workers_;
    std::mutex mutex_;
    std::condition_variable work_came_, launch_ended_, watchdog_needed_;
    std::vector<RunningLaunch*> launches_;
    unsigned idle_workers_ = 0;     // that sleep
    bool is_looking_ = false;       // one more is idle, and does not sleep yet
    bool watchdog_sleeps_ = false;  // until a launch comes
    std::atomic<uint64_t> launches_came_{0};
};

// ---- a thread that runs blocks: new ones, and in turn suspended ones, which wait for other blocks

class Worker {
public:
    Worker(WorkerPool& pool, unsigned index) : pool_(pool), index_(index) {}

    void start();
    pthread_t thread() { return thread_.native_handle(); }

private:
    using Block = std::unique_ptr<ResidentBlock>;

    void main();
    void run_unclaimed_blocks(RunningLaunch& launch);
    void run_new_block(RunningLaunch& launch, uint64_t index);
    // What the suspended blocks have done in their turns: the most that any of them did.
    enum class Outcome { waited, changed, stepped };
    Outcome resume_suspended_blocks();
    void leave_finished_launches();
    void run(Block block);
    void end_deadlocked(ResidentBlock& block);
    void report_long_run(const ResidentBlock& block) const;
    void retire(Block block);
    void trim_spare_blocks();
    bool has_suspended_blocks_of(const RunningLaunch& launch) const;
    Block block_with_room_for(unsigned lanes);

    WorkerPool& pool_;
    const unsigned index_;
    std::thread thread_;
    std::optional<SharedWindow> window_;
    std::vector<RunningLaunch*> joined_;
    std::deque<Block> suspended_;
    std::vector<Block> spare_;
    ResidentBlock* window_owner_ = nullptr;  // the suspended block whose shared memory is still in place
};

}  // namespace simt
