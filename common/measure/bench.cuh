// SPDX-License-Identifier: MIT
// The flow of every benchmark: verify each variant, then time it, then print its row.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/cuda/launch_shape.cuh"
#include "common/measure/nvml.hpp"
#include "common/measure/report.hpp"
#include "common/measure/timing.cuh"
#include "common/measure/verify.hpp"

namespace BACKEND {

// One variant, ready to run on one problem, on the host or a device. See GangCase for several devices.
class Case {
public:
    Case(const Variant& variant_, const Problem& problem_) : variant(&variant_), problem(problem_) {}
    virtual ~Case() = default;
    Case(const Case&) = delete;
    Case& operator=(const Case&) = delete;

    // Chooses between ways to launch by timing them, before the verification.
    virtual void tune(Stopwatch&) {}
    // Overwrites the output so that a kernel that writes nothing cannot pass.
    virtual void poison(cudaStream_t) {}
    // Enqueued before every launch and not timed: restores an input that the kernel destroys.
    virtual void prepare(cudaStream_t) {}
    // Enqueues the timed work. For a host variant: does the work.
    virtual LaunchShape launch(cudaStream_t) = 0;
    // Compares the output of the last launch, which has completed, with the reference.
    virtual Verdict check() = 0;
    // The program's own columns, called after the timing with the median in nanoseconds.
    virtual std::vector<Cell> own_cells([[maybe_unused]] double median_ns) { return {}; }

    // Runs the work once and returns its time in nanoseconds.
    virtual double time(Stopwatch&);
    virtual const char* timer() const;  // what that measures with
    // Whether its time is that of its kernels, so that it can be predicted.
    virtual bool is_all_kernels() const { return !is_on_host(); }
    // Whether it flushes caches as the options say.
    virtual bool flushes() const { return true; }
    // How far the clocks advanced during the last time(); zeros if unknown.
    virtual ClockReading elapsed(const Stopwatch&) const;
    // Whether what it runs on is throttled; `first` watches the first device.
    virtual bool is_throttled(const ClockMonitor& first) const { return !is_on_host() && first.throttled(); }

    bool is_on_host() const { return variant->needs == Needs::host; }

    const Variant* const variant;
    Problem problem;
};
using Cases = std::vector<std::unique_ptr<Case>>;

// A case that knows by itself how long its work took, for example since it uses several streams. Its launch(), which
// runs the work for the verification, waits for it.
class SelfTimedCase : public Case {
public:
    // `timer` is what it measures with; null: events.
    SelfTimedCase(const Variant& variant_, const Problem& problem_, const char* timer)
        : Case(variant_, problem_), timer_(timer ? timer : Stopwatch::timer_name()) {}

    virtual double run_and_time() = 0;  // in nanoseconds
    double time(Stopwatch&) final { return run_and_time(); }
    const char* timer() const final { return timer_; }
    bool is_all_kernels() const override { return false; }
    bool flushes() const final { return false; }
    ClockReading elapsed(const Stopwatch&) const final { return {}; }

private:
    const char* const timer_;
};

// A case in whose work the host takes part, so that its clock is the one that counts: from the call of launch() until
// the stream is empty. Without `by_host_clock` it is timed like any other.
class HostClockCase : public Case {
public:
    HostClockCase(const Variant& variant_, const Problem& problem_, bool by_host_clock)
        : Case(variant_, problem_), by_host_clock_(by_host_clock) {}

    double time(Stopwatch&) final;
    const char* timer() const final { return by_host_clock_ ? Stopwatch::host_timer_name() : Case::timer(); }
    bool is_all_kernels() const final { return !by_host_clock_; }
    bool flushes() const final { return !by_host_clock_; }
    ClockReading elapsed(const Stopwatch& stopwatch) const final {
        return by_host_clock_ ? ClockReading{} : Case::elapsed(stopwatch);
    }

    // In nanoseconds, in any stream.
    double time_by_host(cudaStream_t);

private:
    const bool by_host_clock_;
};

class Bench {
public:
    explicit Bench(Run& run);

    // Runs all cases of one problem and returns their rows. With --profile only the verified launch runs. Otherwise
    // prints a block of the table, which on the checked simulator is of that one launch. A wrong result is reported,
    // gets no row, and makes the exit code 1.
    std::vector<Measurement> run(Cases& cases);
    // The same without printing a block, for callers that compute from the times; never with a peer.
    std::vector<Measurement> time(Cases& cases);
    // The first device's.
    Stopwatch& stopwatch() { return stopwatch_; }
    // Prints a block of predictions.
    void print_predicted(const std::vector<Measurement>& rows);

private:
    // The launch that is verified.
    struct FirstLaunch {
        LaunchShape shape;
        double time_ns = 0;  // host time until it has completed
        std::vector<simt::check::KernelCounters> kernels;
        std::optional<PredictedTime> predicted;
    };

    bool verify(Case& one, FirstLaunch& first);
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
