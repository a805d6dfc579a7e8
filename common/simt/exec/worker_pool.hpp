// SPDX-License-Identifier: MIT
// The threads that run device code, and the launches that they work on.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "common/simt/exec/running_launch.hpp"

namespace simt {

class Worker;

class WorkerPool {
public:
    // The pool of this process. Its threads start with the first launch and live as long as the process.
    static WorkerPool& instance();

    unsigned worker_count() const { return worker_count_; }

    // A launch that only waits for this many seconds is ended, and so is one whose workers run for work_per_wait times
    // as long without a step (launch_watch.hpp); 0: never.
    double timeout() const { return timeout_; }
    static constexpr double work_per_wait = 10;

    // Whether a launch has begun and not ended.
    bool is_running();

    // Runs all blocks of a launch; returns when they have ended. Any number of threads may call it.
    void run(RunningLaunch& launch);

    // Starts launches that nobody awaits, ahead of all others.
    void start(const std::vector<RunningLaunch*>& launches);

    // For workers. Joins a launch that has unclaimed blocks. If there is none, waits for one if `wait`, else returns
    // null.
    RunningLaunch* join_launch(bool wait);

    // The worker leaves the launch, which has no unclaimed blocks left.
    void leave_launch(RunningLaunch& launch);

private:
    WorkerPool();

    void start_workers();
    void run_watchdog();
    bool end_stuck_launches(LaunchWatch::Duration elapsed);
    void look_at_launches(LaunchWatch::Duration elapsed);
    void end_if_stuck(RunningLaunch& launch) const;
    RunningLaunch* find_unclaimed_work();

    const unsigned worker_count_;
    const double timeout_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::mutex mutex_;
    std::condition_variable work_came_, launch_ended_, watchdog_needed_;
    std::vector<RunningLaunch*> launches_;
    unsigned idle_workers_ = 0;
};

}  // namespace simt
