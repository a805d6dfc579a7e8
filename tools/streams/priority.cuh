// SPDX-License-Identifier: MIT
// A short urgent kernel behind a long one that fills the device many times over: what a stream's priority changes.
#pragma once

#include <memory>
#include <vector>

#include "common/measure/random.hpp"
#include "kernels/streams.cuh"
#include "tools/streams/run.cuh"
#include "tools/streams/team.cuh"

namespace BACKEND {

// The long kernel has blocks for many rounds of the device; the urgent one can start whenever one of them ends.
class UrgentWork {
public:
    UrgentWork(const Session& session, bool urgent_first)
        : block_size_(session.options.block),
          steps_((session.device.simulated ? 2 : 4) * steps_per_element(session)),
          n_(size_t(session.device.multiprocessors) * 2048 * (session.device.simulated ? 1 : 32)),
          team_(two_streams(urgent_first)),
          h_in_(elements()),
          h_out_(elements()),
          d_in_(elements()),
          d_out_(elements()) {
        fill(h_in_.data(), h_in_.size(), [seed = session.options.seed](size_t i) { return uniform<int>(seed, i); });
        CHECK(cudaMemcpy(d_in_.data(), h_in_.data(), d_in_.bytes(), cudaMemcpyHostToDevice));
    }

    size_t elements() const { return n_ + block_size_; }
    unsigned steps() const { return steps_; }

    // Nanoseconds from the release of both kernels to the end of the urgent one; both have completed.
    double run(Tracer& tracer) {
        team_.fork();
        team_.begin().record(team_[1]);
        tracer.around(Activity::kernel, 0, 0, team_[0], [&] { launch_long(team_[0]); });
        tracer.around(Activity::kernel, 1, 1, team_[1], [&] { launch_urgent(team_[1]); });
        urgent_end_.record(team_[1]);
        team_.join();
        CHECK(cudaStreamSynchronize(team_.origin()));
        return elapsed_ns(team_.begin(), urgent_end_);
    }

    void poison() const { CHECK(cudaMemset(d_out_.data(), 0xa5, d_out_.bytes())); }
    Verdict check() const {
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

    // All but the experiment.
    StreamsCells cells() const {
        StreamsCells cells;
        cells.streams = team_.size();
        cells.steps = steps_;
        cells.operations = 2;
        cells.ideal_ns = median_of(5, [&] { return team_.time([&] { launch_urgent(team_.origin()); }); });
        cells.sum_ns = cells.ideal_ns + median_of(5, [&] { return team_.time([&] { launch_long(team_.origin()); }); });
        return cells;
    }
    LaunchShape shape() const { return {dim3(grid_for(n_, block_size_)), dim3(block_size_), 0}; }
    Timeline timeline(const char* name, const char* clock, const Tracer& tracer) const {
        return timeline_of(name, clock, team_.size(), tracer.spans(team_.begin()));
    }

private:
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

struct PriorityWay {
    bool urgent_first = false;
};

inline StreamsRun priority_run(const Session& session, const Variant& variant, const PriorityWay& way) {
    const auto work = std::make_shared<UrgentWork>(session, way.urgent_first);
    const Tracer::Mode mode = tracer_mode(session);
    const char* clock = clock_name(session);
    const double n = double(work->elements());
    StreamsRun result;
    result.one.variant = &variant;
    result.one.problem = {DType::i32, work->elements(), 2 * n * sizeof(int), 2 * n * work->steps()};
    result.one.poison = [=](cudaStream_t) { work->poison(); };
    result.one.launch = [=](cudaStream_t) {
        Tracer tracer(mode);
        work->run(tracer);
        return work->shape();
    };
    result.one.check = [=] { return work->check(); };
    result.one.time = [=] {
        Tracer off;
        return work->run(off);
    };
    result.one.own_cells = [=, &variant](double median_ns) {
        StreamsCells cells = work->cells();
        cells.experiment = variant.ladder;
        return row_of(cells, median_ns);
    };
    result.trace = [=, &variant] {
        Tracer tracer(Tracer::Mode::events, 2);
        work->run(tracer);
        return work->timeline(variant.name, clock, tracer);
    };
    return result;
}

}  // namespace BACKEND
