// SPDX-License-Identifier: MIT
// How the host learns that a stream is done: it waits, polls, sleeps, or is called. Five streams each run a slow kernel
// and copy its result to pinned memory; the host reads a result the moment it is notified.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "tools/streams/slow_kernels.cuh"

namespace BACKEND {

class HostNotice;

// A way for the host to learn that the streams are done.
struct HostWay {
    void (HostNotice::*learn)() = nullptr;
};

class HostNotice final : public TracedCase {
public:
    HostNotice(const Session& session_, const Variant& variant_, const HostWay& way, SlowKernels& kernels)
        : TracedCase(session_, variant_, kernels.problem(), Stopwatch::host_timer_name()),
          way_(way),
          kernels_(kernels),
          team_(new_streams(SlowKernels::count)) {
        for (size_t k = 0; k < SlowKernels::count; ++k) {
            sleepers_.emplace_back(cudaEventBlockingSync | cudaEventDisableTiming);
            calls_.push_back({this, k});
        }
    }

    void wait_for_each() {
        for (size_t k = 0; k < SlowKernels::count; ++k) {
            CHECK(cudaStreamSynchronize(team_[k]));
            told_of(k);
        }
    }
    // cudaStreamQuery never waits: between two queries the host can do other work.
    void ask_each_again_and_again() {
        bool told[SlowKernels::count] = {};
        for (size_t left = SlowKernels::count; left > 0;)
            for (size_t k = 0; k < SlowKernels::count; ++k) {
                if (told[k]) continue;
                ++operations_;
                const cudaError_t answer = cudaStreamQuery(team_[k]);
                if (answer == cudaErrorNotReady) {
                    static_cast<void>(cudaGetLastError());  // an answer, but recorded like an error
                    continue;
                }
                CHECK(answer);
                told[k] = true;
                --left;
                --operations_;  // told_of() counts the query that was answered
                told_of(k);
            }
    }
    // The thread sleeps until an interrupt wakes it: the core is free for others.
    void sleep_until_each() {
        for (size_t k = 0; k < SlowKernels::count; ++k) sleepers_[k].record(team_[k]);
        for (size_t k = 0; k < SlowKernels::count; ++k) {
            sleepers_[k].synchronize();
            told_of(k);
        }
    }
    // A driver thread calls the host function, in stream order. It must not use CUDA itself.
    void be_called_for_each() {
        for (size_t k = 0; k < SlowKernels::count; ++k)
            CHECK(cudaLaunchHostFunc(
                team_[k],
                [](void* data) {
                    const Call& call = *static_cast<Call*>(data);
                    call.notice->called_for(call.k);
                },
                &calls_[k]));
        std::unique_lock<std::mutex> lock(mutex_);
        called_.wait(lock, [this] { return operations_ == SlowKernels::count; });
    }

    void poison(cudaStream_t) override { kernels_.poison(); }
    Verdict check() override {
        if (early_ > 0) return {false, text("the host was notified {} times before the result arrived", early_)};
        return kernels_.check_host();
    }
    std::vector<Cell> own_cells(double median_ns) override {
        const std::vector<double>& parts = kernels_.parts_ns();
        StreamsCells cells;
        cells.experiment = variant->ladder;
        cells.streams = SlowKernels::count;
        cells.memory = "pinned";
        cells.steps = kernels_.steps();
        cells.operations = operations_;
        for (double part : parts) cells.sum_ns += part;
        cells.ideal_ns = *std::max_element(parts.begin(), parts.end());
        return row_of(cells, median_ns);
    }
    Timeline trace() override {
        Tracer tracer(Tracer::Mode::events, 2 * SlowKernels::count);
        run(tracer);
        return timeline_of(variant->name, clock_name(), SlowKernels::count, tracer.spans(begin_));
    }

private:
    struct Call {
        HostNotice* notice;
        size_t k;
    };

    // Of the host, from before the first launch until it is notified of the last result.
    double run(Tracer& tracer) override {
        return host_time([&] {
            early_ = 0;
            operations_ = 0;
            begin_.record(team_[0]);
            for (size_t k = 0; k < SlowKernels::count; ++k) {
                tracer.around(Activity::kernel, k, k, team_[k], [&] { kernels_.launch(k, team_[k]); });
                tracer.around(Activity::to_host, k, k, team_[k], [&] { kernels_.download(k, team_[k]); });
            }
            (this->*way_.learn)();
        });
    }
    LaunchShape shape() const override { return kernels_.shape(); }

    void told_of(size_t k) {
        ++operations_;
        if (!kernels_.arrived(k)) ++early_;
    }
    void called_for(size_t k) {
        const std::lock_guard<std::mutex> lock(mutex_);
        told_of(k);
        called_.notify_one();
    }

    const HostWay& way_;
    SlowKernels& kernels_;
    StreamTeam team_;
    std::vector<Event> sleepers_;
    std::vector<Call> calls_;
    Event begin_;
    std::mutex mutex_;
    std::condition_variable called_;
    size_t early_ = 0;       // notices that came before their result
    size_t operations_ = 0;  // waits, queries or callbacks of the last run
};

}  // namespace BACKEND
