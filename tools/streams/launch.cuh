// SPDX-License-Identifier: MIT
// What it costs to start work: a launch back to back, with an event, from a graph, with a wait; and an empty wait.
#pragma once

#include <memory>

#include "kernels/streams.cuh"
#include "tools/streams/run.cuh"
#include "tools/streams/team.cuh"

namespace BACKEND {

// One stream, and a counter that the launches of a verification increment.
class LaunchCost {
public:
    explicit LaunchCost(const Session& session)
        : batch_(session.device.simulated ? 20 : 1000), team_(new_streams(1)), d_counter_(1) {}

    // Operations per sample. On a GPU fewer than a stream can hold, so that the host never waits for a slot.
    size_t batch() const { return batch_; }
    cudaStream_t stream() const { return team_[0]; }

    void launch(bool counted) const {
        if (counted) launch_streams_count(d_counter_.data(), stream());
        else launch_streams_empty(stream());
        CHECK(cudaGetLastError());
    }
    void launch_with_event(bool counted) {
        launch(counted);
        event_.record(stream());
    }
    void launch_and_wait(bool counted) const {
        launch(counted);
        CHECK(cudaStreamSynchronize(stream()));
    }
    void wait() const { CHECK(cudaStreamSynchronize(stream())); }

    template <typename Issue>
    double event_time(Issue issue) const {
        return team_.time([&] {
            team_.fork();
            issue();
            team_.join();
        });
    }

    void poison() const { CHECK(cudaMemset(d_counter_.data(), 0, sizeof(unsigned))); }
    Verdict check(size_t expected) const {
        unsigned counted = 0;
        CHECK(cudaMemcpy(&counted, d_counter_.data(), sizeof counted, cudaMemcpyDeviceToHost));
        return compare_value(counted, static_cast<long double>(expected), 0);
    }

private:
    size_t batch_;
    StreamTeam team_;
    Event event_;
    DeviceBuffer<unsigned> d_counter_;
};

// An operation whose cost is measured.
struct LaunchWay {
    void (*issue)(LaunchCost& cost, bool counted) = nullptr;  // one of them
    bool launches = true;                                     // it has a kernel, whose launches the verification counts
    bool by_host = false;                                     // the host waits in it: its clock is the one that counts
    bool graph = false;                                       // a batch of them is captured, and launched as one
};

// Nanoseconds per operation, as the median of batches.
inline StreamsRun launch_run(const Session& session, const Variant& variant, const LaunchWay& way) {
    const auto cost = std::make_shared<LaunchCost>(session);
    const auto graph = std::make_shared<std::unique_ptr<CapturedGraph>>();
    const auto issue_batch = [cost, &way](bool counted) {
        for (size_t i = 0; i < cost->batch(); ++i) way.issue(*cost, counted);
    };
    const auto capture = [=](bool counted) {
        *graph = std::make_unique<CapturedGraph>(cost->stream(), [&] { issue_batch(counted); });
    };
    StreamsRun result;
    result.one.variant = &variant;
    result.one.problem = {DType::i32, cost->batch(), 0, 0};
    result.one.timer = way.by_host ? host_clock_timer(session) : nullptr;
    result.one.poison = [=](cudaStream_t) { cost->poison(); };
    result.one.launch = [=, &way](cudaStream_t) {
        if (way.graph) {
            capture(true);
            (*graph)->launch(cost->stream());
        } else {
            issue_batch(true);
        }
        cost->wait();
        if (way.graph) capture(false);
        return way.launches ? LaunchShape{dim3(1), dim3(1), 0} : LaunchShape{};
    };
    result.one.check = [=, &way] { return cost->check(way.launches ? cost->batch() : 0); };
    result.one.time = [=, &way] {
        double time_ns = 0;
        if (way.graph) time_ns = cost->event_time([&] { (*graph)->launch(cost->stream()); });
        else if (way.by_host) time_ns = host_time([&] { issue_batch(false); });
        else time_ns = cost->event_time([&] { issue_batch(false); });
        return time_ns / double(cost->batch());
    };
    result.one.own_cells = [=, &variant](double median_ns) {
        StreamsCells cells;
        cells.experiment = variant.ladder;
        cells.streams = 1;
        cells.operations = cost->batch();
        return row_of(cells, median_ns);
    };
    return result;
}

}  // namespace BACKEND
