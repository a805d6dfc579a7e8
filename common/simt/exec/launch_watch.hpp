// SPDX-License-Identifier: MIT
// What the watchdog concludes from the progress of a launch's workers.
//
// Elapsed time alone proves nothing: a worker may have no processor, or the whole process may be stopped. So time
// counts only once all workers have gone around, giving each of their suspended blocks a turn. A launch is only waiting
// if in that time, in any launch, nothing happens except that lanes look again. What may happen is
//   a step      a lane or a block begins or ends, or passes a barrier without having waited in a loop;
//   a change    a lane takes a lock, leaves a loop in which it waited, or sees another value there;
//   work        a lane runs for a while without looking for anything.
// A kernel that ends has finitely many steps, but an endless loop may make changes and do work forever. So between two
// steps a worker may spend only so much processor time on them, counted in intervals in which every worker has run. A
// lock that goes to a thread for the first time since the last step restarts that time: there are only so many threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "common/simt/include/simt/warp_state.hpp"

namespace simt {

/// What a worker has done in a launch, on its own cache line. Only the watchdog reads it.
struct alignas(64) Progress {
    std::atomic<uint64_t> steps{0}, changes{0};
    std::atomic<uint64_t> looks{0};   // all lanes of a block that can run have looked again
    std::atomic<uint64_t> rounds{0};  // every suspended block has had a turn
    TurnsTaken turns_taken;           // lanes have made their first change since the last step
    std::atomic<bool> is_inside{false};

    void advance() { increase(steps); }

    // One writer: no read-modify-write instruction is needed.
    static void increase(std::atomic<uint64_t>& count) {
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
};

class LaunchWatch {
public:
    using Duration = std::chrono::nanoseconds;

    explicit LaunchWatch(unsigned workers) : sights_(workers) {}

    /// Looks at the progress of each worker, given the processor times that their threads have used so far. Returns
    /// whether anything has happened since the last look.
    bool look(const Progress* progress, const std::vector<Duration>& processor_times);
    /// Whether all workers in the launch have gone around since time was last counted.
    bool has_gone_round() const;
    /// To be called after each look. `elapsed`: the time since the last look; `is_quiet`: nothing has happened in any
    /// launch; `counts`: all launches have gone around.
    void pass(Duration elapsed, bool is_quiet, bool counts);

    /// How long the launch has been only waiting.
    Duration waited() const { return waited_; }
    /// The most processor time that counts for any worker since the launch's last step, or since a lane last made its
    /// first change after that.
    Duration worked() const { return worked_; }
    /// How many steps the launch had made at the last look.
    uint64_t steps() const { return steps_; }

private:
    // What was seen of a worker.
    struct Sight {
        bool is_inside = false;
        uint64_t changes = 0, looks = 0, rounds = 0;
        uint64_t counted_rounds = 0;  // when waiting time was last counted
        Duration at_last_look{0};     // its processor time
        Duration worked{0};           // the part of it that counts since the last step
        Duration at_last_count{0};    // its processor time and rounds when work was last counted
        uint64_t rounds_at_last_count = 0;
    };

    bool look_at(const Progress& progress, Duration processor_time, bool goes_on, Sight& seen);
    void count_work(const std::vector<Duration>& processor_times);

    uint64_t steps_ = 0, turns_taken_ = 0;
    std::vector<Sight> sights_;  // by worker
    Duration waited_{0}, worked_{0};
    Duration uncounted_{0};           // time since the workers last went around,
    bool uncounted_is_quiet_ = true;  // in which nothing has happened
};

}  // namespace simt
