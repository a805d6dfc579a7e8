// The flow of every benchmark: verify each variant, then time it, then print its row.
#pragma once

#include <functional>
#include <memory>
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
    // Enqueues the timed work. For a variant that needs the host: does the work.
    std::function<LaunchShape(cudaStream_t)> launch;
    // Runs and times the work itself, in nanoseconds, where more than one stream does it: then `launch`, which runs it
    // for the verification, has waited for it, and no cache is flushed. May be empty.
    std::function<double()> time;
    const char* timer = nullptr;  // what `time` measures with, if not the Stopwatch's timer
    bool flushes = false;         // `time` flushes caches as the options say, as a GangStopwatch does
    // Of the devices that `time` uses, where they are not the first alone: how far their clocks went during the last
    // time(), and whether they are held down. May be empty.
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

    // All cases of one problem. With --profile only the verified launch runs. Otherwise prints a block of the table, on
    // the checked simulator from that one launch. Wrong results are reported, get no row, and make the exit code 1.
    // Returns the rows.
    std::vector<Measurement> run(std::vector<Case>& cases);
    // The same without a block, for what follows from the times; never beside a peer.
    std::vector<Measurement> time(std::vector<Case>& cases);
    // Prints a block of what was not measured.
    void print_predicted(const std::vector<Measurement>& rows);

private:
    // The launch that is verified.
    struct FirstLaunch {
        LaunchShape shape;
        double time_ns = 0;  // by the host's clock, up to its end
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
    ClockMonitor clocks_;  // the first, since it holds NVML open for those that ask it briefly
    Report report_;
    Stopwatch stopwatch_;
};

}  // namespace BACKEND
