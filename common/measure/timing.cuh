// How one launch is timed: CUDA events around it, a blocking kernel ahead of it so that launch overhead stays out,
// and the L2 cache flushed before it when it is to be cold.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/measure/team.hpp"

namespace BACKEND {

using Enqueue = std::function<void(cudaStream_t)>;

// One multiprocessor's cycles and the nanoseconds of the whole device's timer, read together.
struct ClockReading {
    unsigned long long cycles = 0, ns = 0;
};

class Stopwatch {
public:
    // cold: every sample finds none of its data in the L2 cache of `l2_bytes`.
    Stopwatch(bool cold, std::size_t l2_bytes);

    // Nanoseconds that the work enqueued by `launch` takes on the device, between events. `prepare` is enqueued before the
    // first event and not timed. Neither may wait for the device: it waits for them.
    double time(const Enqueue& prepare, const Enqueue& launch);

    // How far the first multiprocessor's clock and the device's timer went during the last time(); both 0 if not known. Over
    // several samples they give the clock: one alone may be too short for the timer's steps. (Under a power limit it falls
    // within microseconds, and recovers before the driver could be asked.)
    ClockReading elapsed() const;

    cudaStream_t stream() const { return stream_; }
    static const char* timer_name();  // "event", or "sim" when the time is the simulation's

private:
    friend class GangStopwatch;

    // The parts of time(): the kernel that blocks the stream until `*released` is 1, what comes before the timed launch,
    // and its begin and end.
    void hold(const int* released);
    void get_ready(const Enqueue& prepare);
    void begin();
    void end();
    void flush_l2();
    void read_clocks(int which);

    Stream stream_;
    Event start_, stop_;
    PinnedBuffer<int> released_;  // the flag that the blocking kernel waits for, in mapped host memory
    DeviceBuffer<float4> flush_;
    DeviceBuffer<float> sink_;
    PinnedBuffer<ClockReading> clocks_;  // before and after the launch, in mapped host memory
    int multiprocessors_ = 0;
    bool cold_;
};

// The same for devices that work together, each in a stream of its own: one flag of the host lets all of them begin.
// Those of other processes have flags of their own, and meet before they begin.
class GangStopwatch {
public:
    using EnqueueOn = std::function<void(std::size_t rank, cudaStream_t)>;

    // A device per rank of this process, by its number, none twice; they are the ranks from `first_rank` on.
    GangStopwatch(const std::vector<int>& ordinals, bool cold, std::size_t l2_bytes, std::size_t first_rank = 0,
                  Team& team = Team::alone());

    // Enqueues, in the streams of this process, a wait for those of all others. Needed where the gang has several
    // processes.
    void meet_by(std::function<void()> meet) { meet_ = std::move(meet); }

    // Nanoseconds until the last of the devices is done, each counted from when the flag let it begin. `prepare` is
    // enqueued for each rank; `launch`, called once, enqueues the work of all. In a team all processes call it, and it
    // is the longest of all.
    double time(const EnqueueOn& prepare, const std::function<void()>& launch);

    // Stopwatch::elapsed() of this process's devices, added up.
    ClockReading elapsed() const;

    cudaStream_t stream(std::size_t rank) const { return watches_[rank - first_rank_]->stream(); }
    void synchronize() const;  // until all streams are empty

private:
    template <typename Action>
    void on_each(Action action) const;

    const std::vector<int> ordinals_;
    const std::size_t first_rank_;
    Team& team_;
    std::function<void()> meet_;
    std::vector<std::unique_ptr<Stopwatch>> watches_;
};

// Nanoseconds of host time that `work` takes.
double host_time(const std::function<void()>& work);

}  // namespace BACKEND
