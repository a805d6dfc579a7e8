// SPDX-License-Identifier: MIT
// Ends the process when a plant hangs: a kernel that waits forever cannot be ended in any other way.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "common/cli/session.hpp"
#include "common/io/text.hpp"

namespace BACKEND {

// The simulator explains a hang, so it should end it before the watchdog does. It reads this before its first launch,
// and so before run() begins. A value set by the user stays.
inline const bool simulator_is_first = setenv("SIMCC_TIMEOUT", "5", false) == 0;

// How the watchdog's message begins, which shows that a report is of a run that hung.
constexpr const char* ended_by_watchdog = "ended by the watchdog after ";

// A run has this long from construction. Then it ends as by a CUDA error, without destructors, which would hang as
// well.
class Watchdog {
public:
    static constexpr std::chrono::seconds patience{9};

    Watchdog(const Session& session, const std::string& name)
        : thread_([this, &session, name] {
              std::unique_lock lock(mutex_);
              if (ended_.wait_for(lock, patience, [this] { return done_; })) return;
              session.complain(text("{}: {}{} seconds: it hangs", name, ended_by_watchdog, patience.count()));
              std::quick_exit(static_cast<int>(Exit::cuda_error));
          }) {}

    ~Watchdog() {
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        ended_.notify_one();
        thread_.join();
    }

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool done_ = false;
    std::thread thread_;  // the last member: it uses the others
};

}  // namespace BACKEND
