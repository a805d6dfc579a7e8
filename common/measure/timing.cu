// SPDX-License-Identifier: MIT
#include "common/measure/timing.cuh"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <ratio>

#include "common/cuda/peer_access.cuh"

namespace BACKEND {

#ifndef __SIMCC__
// Holds the stream until the host has enqueued everything to be timed, so no launch overhead falls between the events.
// It gives up after two seconds: a launch that waits for the device is timed worse, but does not hang the program.
__global__ void hold_stream(const volatile int* released) {
    long long begin = 0, now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do {
        __nanosleep(100);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (*released == 0 && now - begin < 2'000'000'000);
}

// Runs with one block per multiprocessor. Only the block on the first one writes, since each has its own counter.
__global__ void read_clocks_of_first(ClockReading* reading) {
    unsigned multiprocessor = 0;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    if (multiprocessor != 0) return;
    ClockReading now;
    asm volatile("mov.u64 %0, %%clock64;\nmov.u64 %1, %%globaltimer;" : "=l"(now.cycles), "=l"(now.ns));
    *reading = now;
}
#endif

// Evicts the contents of the L2 by reading a buffer larger than it. Unlike a memset, reading leaves no dirty lines
// whose write-back would fall into the timed window.
__global__ void read_all(const float4* data, size_t n, float* sink) {
    float sum = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        const float4 four = data[i];
        sum += four.x + four.y + four.z + four.w;
    }
    if (sum == 1.0f) *sink = sum;  // never, since the buffer holds zeros, but the compiler must keep the loads
}

Stopwatch::Stopwatch(bool cold, std::size_t l2_bytes)
    : released_(1, cudaHostAllocMapped | cudaHostAllocPortable),
      sink_(1),
      clocks_(2, cudaHostAllocMapped),
      cold_(cold) {
    clocks_.data()[0] = clocks_.data()[1] = {};
    int device = 0;
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device));
#ifdef __SIMCC__
    cold_ = false;  // the simulator has no cache to flush
#endif
    if (!cold_) return;
    flush_ = DeviceBuffer<float4>(2 * l2_bytes / sizeof(float4));
    CHECK(cudaMemsetAsync(flush_.data(), 0, flush_.bytes(), stream_));
    CHECK(cudaStreamSynchronize(stream_));
}

const char* Stopwatch::timer_name() {
#ifdef __SIMCC__
    return "sim";
#else
    return "event";
#endif
}

const char* Stopwatch::host_timer_name() {
#ifdef __SIMCC__
    return "sim";
#else
    return "host";
#endif
}

static void set_flag(int* released, int value) { *static_cast<volatile int*>(released) = value; }

void Stopwatch::hold([[maybe_unused]] const int* released) {
#ifndef __SIMCC__
    hold_stream<<<1, 1, 0, stream_>>>(released);
    CHECK(cudaGetLastError());
#endif
}

void Stopwatch::flush_l2() {
    if (!cold_) return;
    read_all<<<1024, 256, 0, stream_>>>(flush_.data(), flush_.size(), sink_.data());
    CHECK(cudaGetLastError());
}

void Stopwatch::read_clocks([[maybe_unused]] int which) {
#ifndef __SIMCC__
    clocks_.data()[which] = {};
    read_clocks_of_first<<<multiprocessors_, 1, 0, stream_>>>(clocks_.data() + which);
    CHECK(cudaGetLastError());
#endif
}

ClockReading Stopwatch::elapsed() const {
    const ClockReading before = clocks_.data()[0], after = clocks_.data()[1];
    if (before.ns == 0 || after.ns < before.ns) return {};  // no block ran on the first multiprocessor
    return {after.cycles - before.cycles, after.ns - before.ns};
}

void Stopwatch::get_ready(const Enqueue& prepare) {
    if (prepare) prepare(stream_);
    flush_l2();
}

void Stopwatch::begin() {
    read_clocks(0);
    start_.record(stream_);
}

void Stopwatch::end() {
    stop_.record(stream_);
    read_clocks(1);
}

double Stopwatch::time(const Enqueue& prepare, const Enqueue& launch) {
    set_flag(released_.data(), 0);
    hold(released_.data());
    get_ready(prepare);
    begin();
    launch(stream_);
    const cudaError_t launched = cudaGetLastError();
    end();
    set_flag(released_.data(), 1);
    CHECK(launched);
    CHECK(cudaStreamSynchronize(stream_));
    return elapsed_ns(start_, stop_);
}

GangStopwatch::GangStopwatch(const std::vector<int>& ordinals, bool cold, std::size_t l2_bytes, std::size_t first_rank,
                             Team& team, Stopwatch* first)
    : ordinals_(ordinals), first_rank_(first_rank), team_(team) {
    for (const int ordinal : ordinals) {
        if (watches_.empty() && first) {
            watches_.push_back(first);
            continue;
        }
        const OnDevice there(ordinal);
        made_.push_back(std::make_unique<Stopwatch>(cold, l2_bytes));
        watches_.push_back(made_.back().get());
    }
}

// Calls action(watch, rank) with the rank's device current.
template <typename Action>
void GangStopwatch::on_each(Action action) const {
    for (std::size_t i = 0; i < ordinals_.size(); ++i) {
        const OnDevice there(ordinals_[i]);
        action(*watches_[i], first_rank_ + i);
    }
}

double GangStopwatch::time(const EnqueueOn& prepare, const std::function<void()>& launch) {
    if (watches_.size() == 1 && team_.processes() == 1)
        return watches_.front()->time(
            [&](cudaStream_t stream) {
                if (prepare) prepare(first_rank_, stream);
            },
            [&](cudaStream_t) { launch(); });
    int* const released = watches_.empty() ? nullptr : watches_.front()->released_.data();
    if (released) set_flag(released, 0);
    // (Flush the caches ahead of the blocking kernels: it takes longer on one device than on another.)
    on_each([&](Stopwatch& watch, std::size_t rank) {
        watch.get_ready(prepare ? [&](cudaStream_t stream) { prepare(rank, stream); } : Enqueue());
        watch.hold(released);
    });
    if (meet_) meet_();
    on_each([](Stopwatch& watch, std::size_t) { watch.begin(); });
    launch();
    const cudaError_t launched = cudaGetLastError();
    on_each([](Stopwatch& watch, std::size_t) { watch.end(); });
    if (released) set_flag(released, 1);
    CHECK(launched);
    synchronize();
    double longest_ns = 0;
    for (const Stopwatch* watch : watches_) longest_ns = std::max(longest_ns, elapsed_ns(watch->start_, watch->stop_));
    return team_.longest(longest_ns);
}

ClockReading GangStopwatch::elapsed() const {
    ClockReading all;
    for (const Stopwatch* watch : watches_) {
        const ClockReading one = watch->elapsed();
        all.cycles += one.cycles;
        all.ns += one.ns;
    }
    return all;
}

void GangStopwatch::synchronize() const {
    for (const Stopwatch* watch : watches_) CHECK(cudaStreamSynchronize(watch->stream()));
}

double host_time(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace BACKEND
