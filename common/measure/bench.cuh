// SPDX-License-Identifier: MIT
// The flow of every benchmark: verify each variant, then time it, then print its row.
#pragma once

#include <functional>
#include <vector>

#include "common/cuda/launch_shape.cuh"
#include "common/measure/nvml.hpp"
#include "common/measure/report.hpp"
#include "common/measure/timing.cuh"
#include "common/measure/verify.hpp"

namespace BACKEND {

// One variant, ready to run on one problem.
struct Case {
    const Variant* variant = nullptr;
    Problem problem;
    // Chooses between ways to launch by timing them, before the verification. May be empty.
    std::function<void(Stopwatch&)> tune;
    // Enqueues the timed work. For a host variant: does the work.
    std::function<LaunchShape(cudaStream_t)> launch;
    // For work that uses several streams: runs it and returns its time in nanoseconds. Then `launch`, which runs it for
    // the verification, has to wait for it, and Bench flushes no cache. May be empty.
    std::function<double()> time;
    const char* timer = nullptr;  // what `time` measures with, if not the Stopwatch's timer
    bool flushes = false;         // `time` flushes caches as the options say, like a GangStopwatch
    // For the devices that `time` uses, if not only the first: how far their clocks advanced during the last time(),
    // and whether they are throttled. May be empty.
    std::function<ClockReading()> elapsed;
    std::function<bool()> is_throttled;
    // Enqueued before every launch and not timed: restores an input that the kernel destroys. May be empty.
    Enqueue prepare;
    // Overwrites the output so that a kernel that writes nothing cannot pass.
    Enqueue poison;
    // Compares the output of the last launch, which has completed, with the reference.
    std::function<Verdict()> check;
    // The program's own columns, called after the timing with the median in nanoseconds. May be empty.
    std::function<std::vector<Cell>(double median_ns)> own_cells;
};

class Bench {
public:
    explicit Bench(Run& run);

    // Runs all cases of one problem and returns their rows. With --profile only the verified launch runs. Otherwise
    // prints a block of the table, which on the checked simulator is of that one launch. A wrong result is reported,
    // gets no row, and makes the exit code 1.
    std::vector<Measurement> run(std::vector<Case>& cases);
    // The same without printing a block, for callers that compute from the times; never with a peer.
    std::vector<Measurement> time(std::vector<Case>& cases);
    // Prints a block of predictions.
    void print_predicted(const std::vector<Measurement>& rows);

private:
    // The launch that is verified.
    struct FirstLaunch {
        LaunchShape shape;
        double time_ns = 0;  // host time until it has completed
        std::vector<simt::check::KernelCounters> kernels;
    };

    bool verify(Case& one, FirstLaunch& first);
    double sample(Case& one);
    struct Pair {
        double own_ns = 0, peer_ns = 0;
        ClockReading clock;
    };
    Pair sample_pair(Case& one, Case* peer, bool peer_first);
    Measurement describe(const Case& one, const LaunchShape& shape) const;
    Measurement measure(Case& one, const FirstLaunch& first, Case* peer);
    void collect(Case& one, Case* peer, Measurement& result);
    Team& team() const { return *run_.settings.team; }

    Run& run_;
    ClockMonitor clocks_;  // first, since it keeps NVML open for others that use it briefly
    Report report_;
    Stopwatch stopwatch_;
};

}  // namespace BACKEND
