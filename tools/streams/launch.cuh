// SPDX-License-Identifier: MIT
// What it costs to start work: a launch back to back, with an event, from a graph, with a wait; and an empty wait.
#pragma once

#include <memory>
#include <vector>

#include "kernels/streams.cuh"
#include "tools/streams/run.cuh"
#include "tools/streams/team.cuh"

namespace BACKEND {

class LaunchCost;

// An operation whose cost is measured.
struct LaunchWay {
    void (*issue)(LaunchCost& cost, bool counted) = nullptr;  // one of them
    bool launches = true;                                     // it has a kernel, whose launches the verification counts
    bool by_host = false;                                     // the host waits in it: its clock is the one that counts
    bool graph = false;                                       // a batch of them is captured, and launched as one
};

// Nanoseconds per operation, as the median of batches: in one stream, with a counter that the launches of a
// verification increment.
class LaunchCost final : public SelfTimedCase {
public:
    LaunchCost(const Session& session, const Variant& variant_, const LaunchWay& way)
        : SelfTimedCase(variant_, {DType::i32, batch_on(session.device.simulated), 0, 0},
                        way.by_host ? Stopwatch::host_timer_name() : nullptr),
          way_(way),
          team_(new_streams(1)),
          d_counter_(1) {}

    // The operations.
    void launch_one(bool counted) const {
        if (counted) launch_streams_count(d_counter_.data(), stream());
        else launch_streams_empty(stream());
        CHECK(cudaGetLastError());
    }
    void launch_with_event(bool counted) const {
        launch_one(counted);
        event_.record(stream());
    }
    void launch_and_wait(bool counted) const {
        launch_one(counted);
        wait();
    }
    void wait() const { CHECK(cudaStreamSynchronize(stream())); }

    void poison(cudaStream_t) override { CHECK(cudaMemset(d_counter_.data(), 0, sizeof(unsigned))); }
    LaunchShape launch(cudaStream_t) override {
        if (way_.graph) {
            capture(true);
            graph_->launch(stream());
        } else {
            issue_batch(true);
        }
        wait();
        if (way_.graph) capture(false);
        return way_.launches ? LaunchShape{dim3(1), dim3(1), 0} : LaunchShape{};
    }
    Verdict check() override {
        unsigned counted = 0;
        CHECK(cudaMemcpy(&counted, d_counter_.data(), sizeof counted, cudaMemcpyDeviceToHost));
        return compare_value(counted, static_cast<long double>(way_.launches ? batch() : 0), 0);
    }
    double run_and_time() override {
        const double time_ns = way_.by_host ? host_time([&] { issue_batch(false); }) : team_.time([&] {
            team_.fork();
            if (way_.graph) graph_->launch(stream());
            else issue_batch(false);
            team_.join();
        });
        return time_ns / double(batch());
    }
    std::vector<Cell> own_cells(double median_ns) override {
        StreamsCells cells;
        cells.experiment = variant->ladder;
        cells.streams = 1;
        cells.operations = batch();
        return row_of(cells, median_ns);
    }

private:
    // Operations per sample. On a GPU fewer than a stream can hold, so that the host never waits for a slot.
    static size_t batch_on(bool simulated) { return simulated ? 20 : 1000; }
    size_t batch() const { return problem.n; }
    cudaStream_t stream() const { return team_[0]; }

    void issue_batch(bool counted) {
        for (size_t i = 0; i < batch(); ++i) way_.issue(*this, counted);
    }
    void capture(bool counted) {
        graph_ = std::make_unique<CapturedGraph>(stream(), [&] { issue_batch(counted); });
    }

    const LaunchWay& way_;
    StreamTeam team_;
    Event event_;
    DeviceBuffer<unsigned> d_counter_;
    std::unique_ptr<CapturedGraph> graph_;
};

}  // namespace BACKEND
