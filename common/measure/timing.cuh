// SPDX-License-Identifier: MIT
// How one launch is timed: CUDA events around it, a blocking kernel ahead of it that keeps launch overhead out and, for
// a cold cache, a flush of L2 before it.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/measure/team.hpp"

namespace BACKEND {

using Enqueue = std::function<void(cudaStream_t)>;

// A multiprocessor's cycle counter and the device's nanosecond timer, read together.
struct ClockReading {
    unsigned long long cycles = 0, ns = 0;
};

class Stopwatch {
public:
    // cold: no sample finds any of its data in the L2 cache, which has `l2_bytes`.
    Stopwatch(bool cold, std::size_t l2_bytes);

    // Nanoseconds that the work enqueued by `launch` takes on the device, between events. `prepare` is enqueued before the
    // first event and not timed. Neither may wait for the device: it waits for them.
    double time(const Enqueue& prepare, const Enqueue& launch);

    // How far the first multiprocessor's cycle counter and the device's timer advanced during the last time(); both 0
    // if unknown. Together, several samples give the clock rate: one may be too short for the timer's resolution.
    // (Under a power limit the clock falls within microseconds, and recovers before the driver could be asked.)
    ClockReading elapsed() const;

    cudaStream_t stream() const { return stream_; }
    // "event" and, for what the host's clock times instead, "host"; "sim" when the time is the simulation's.
    static const char* timer_name();
    static const char* host_timer_name();

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

// The same for devices that work together, each in its own stream: one flag of the host lets all of them begin. Other
// processes have their own flags, and all devices meet before they begin.
class GangStopwatch {
public:
    using EnqueueOn = std::function<void(std::size_t rank, cudaStream_t)>;

    // One device ordinal per rank of this process, all different; the ranks begin at `first_rank`. `first`, if not null,
    // is the watch of the first, and must outlive this.
    GangStopwatch(const std::vector<int>& ordinals, bool cold, std::size_t l2_bytes, std::size_t first_rank = 0,
                  Team& team = Team::alone(), Stopwatch* first = nullptr);

    // `meet` enqueues, in the streams of this process, a wait for those of all others. Needed if the gang has several
    // processes.
    void meet_by(std::function<void()> meet) { meet_ = std::move(meet); }

    // Nanoseconds until the last device is done, each counted from when the flag let it begin. `prepare` is enqueued
    // for each rank; `launch`, called once, enqueues the work of all. In a team all processes call it, and it returns
    // the maximum over all of them. A single device is timed as by its Stopwatch.
    double time(const EnqueueOn& prepare, const std::function<void()>& launch);

    // The sum of Stopwatch::elapsed() over this process's devices.
    ClockReading elapsed() const;

    cudaStream_t stream(std::size_t rank) const { return watches_[rank - first_rank_]->stream(); }
    void synchronize() const;  // waits until all streams are empty

private:
    template <typename Action>
    void on_each(Action action) const;

    const std::vector<int> ordinals_;
    const std::size_t first_rank_;
    Team& team_;
    std::function<void()> meet_;
    std::vector<std::unique_ptr<Stopwatch>> made_;
    std::vector<Stopwatch*> watches_;  // by rank
};

// Nanoseconds of host time that `work` takes.
double host_time(const std::function<void()>& work);

}  // namespace BACKEND
