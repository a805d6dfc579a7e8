// SPDX-License-Identifier: MIT
// A short urgent kernel behind a long one that fills the device many times over: what a stream's priority changes.
#pragma once

#include <vector>

#include "common/measure/random.hpp"
#include "kernels/streams.cuh"
#include "tools/streams/run.cuh"
#include "tools/streams/team.cuh"

namespace BACKEND {

struct PriorityWay {
    bool urgent_first = false;
};

// The long kernel has blocks for many rounds of the device; the urgent one can start whenever one of them ends.
class UrgentRun final : public TracedCase {
public:
    UrgentRun(const Session& session_, const Variant& variant_, const PriorityWay& way)
        : TracedCase(session_, variant_, {}),
          block_size_(session.options.block),
          steps_((session.device.simulated ? 2 : 4) * steps_per_element(session)),
          n_(size_t(session.device.multiprocessors) * 2048 * (session.device.simulated ? 1 : 32)),
          team_(two_streams(way.urgent_first)),
          h_in_(elements()),
          h_out_(elements()),
          d_in_(elements()),
          d_out_(elements()) {
        fill(h_in_.data(), h_in_.size(), [seed = session.options.seed](size_t i) { return uniform<int>(seed, i); });
        CHECK(cudaMemcpy(d_in_.data(), h_in_.data(), d_in_.bytes(), cudaMemcpyHostToDevice));
        const double n = double(elements());
        problem = {DType::i32, elements(), 2 * n * sizeof(int), 2 * n * steps_};
    }

    void poison(cudaStream_t) override { CHECK(cudaMemset(d_out_.data(), 0xa5, d_out_.bytes())); }
    Verdict check() override {
        CHECK(cudaMemcpy(h_out_.data(), d_out_.data(), d_out_.bytes(), cudaMemcpyDeviceToHost));
        const AffineStep long_chain = streams_shortcut(steps_), urgent_chain = streams_shortcut(urgent_steps());
        const int* in = h_in_.data();
        return compare_elements(
            h_out_.data(), elements(),
            [=](size_t i) -> long double {
                const AffineStep chain = i < n_ ? long_chain : urgent_chain;
                return int(chain(unsigned(in[i])));
            },
            [](long double) { return 0.0L; });
    }

    std::vector<Cell> own_cells(double median_ns) override {
        StreamsCells cells;
        cells.experiment = variant->ladder;
        cells.streams = team_.size();
        cells.steps = steps_;
        cells.operations = 2;
        cells.ideal_ns = median_of(5, [&] { return team_.time([&] { launch_urgent(team_.origin()); }); });
        cells.sum_ns = cells.ideal_ns + median_of(5, [&] { return team_.time([&] { launch_long(team_.origin()); }); });
        return row_of(cells, median_ns);
    }
    Timeline trace() override {
        Tracer tracer(Tracer::Mode::events, 2);
        run(tracer);
        return timeline_of(variant->name, clock_name(), team_.size(), tracer.spans(team_.begin()));
    }

private:
    // From the release of both kernels to the end of the urgent one; both have completed.
    double run(Tracer& tracer) override {
        team_.fork();
        team_.begin().record(team_[1]);
        tracer.around(Activity::kernel, 0, 0, team_[0], [&] { launch_long(team_[0]); });
        tracer.around(Activity::kernel, 1, 1, team_[1], [&] { launch_urgent(team_[1]); });
        urgent_end_.record(team_[1]);
        team_.join();
        CHECK(cudaStreamSynchronize(team_.origin()));
        return elapsed_ns(team_.begin(), urgent_end_);
    }
    LaunchShape shape() const override { return {dim3(grid_for(n_, block_size_)), dim3(block_size_), 0}; }

    size_t elements() const { return n_ + block_size_; }
    static std::vector<Stream> two_streams(bool urgent_first) {
        int lowest = 0, highest = 0;
        CHECK(cudaDeviceGetStreamPriorityRange(&lowest, &highest));
        std::vector<Stream> streams;
        streams.emplace_back(cudaStreamNonBlocking, lowest);
        streams.emplace_back(cudaStreamNonBlocking, urgent_first ? highest : lowest);
        return streams;
    }
    unsigned urgent_steps() const { return 4 * steps_; }
    void launch_long(cudaStream_t stream) const {
        launch_streams_stage({d_in_.data(), d_out_.data(), n_, steps_, block_size_, stream});
        CHECK(cudaGetLastError());
    }
    void launch_urgent(cudaStream_t stream) const {
        launch_streams_slow({d_in_.data() + n_, d_out_.data() + n_, block_size_, urgent_steps(), block_size_, stream});
        CHECK(cudaGetLastError());
    }

    unsigned block_size_, steps_;
    size_t n_;
    StreamTeam team_;
    Event urgent_end_;
    PinnedBuffer<int> h_in_, h_out_;
    DeviceBuffer<int> d_in_, d_out_;
};

}  // namespace BACKEND
