// SPDX-License-Identifier: MIT
// The ways to issue five slow kernels, and which of them overlap.
#pragma once

#include <algorithm>
#include <vector>

#include "tools/streams/slow_kernels.cuh"
#include "tools/streams/threads.cuh"

namespace BACKEND {

// What a way works with.
struct KernelIssue {
    const SlowKernels& kernels;
    const StreamTeam& team;
    HostThreads& threads;
    Tracer& tracer;

    void launch(size_t k, size_t lane) const {
        tracer.around(Activity::kernel, k, lane, team[lane], [&] { kernels.launch(k, team[lane]); });
    }
};

// A way to issue the five kernels.
struct KernelWay {
    void (*issue)(const KernelIssue& with) = nullptr;
    std::vector<cudaStream_t> (*default_streams)() = nullptr;  // the team's members, if not five streams of its own
    unsigned flags = cudaStreamNonBlocking;                    // of those five
    bool graph = false;
    bool diamond = false;       // dependent kernels: at best they take the time of three in a row
    bool from_threads = false;  // host threads issue them
};

// One after another, to each member in turn.
inline void issue_in_turns(const KernelIssue& with) {
    with.team.fork();
    for (size_t k = 0; k < SlowKernels::count; ++k) with.launch(k, k % with.team.size());
    with.team.join();
}

// The same with a launch into the legacy default stream between any two: blocking streams wait for it, and it for them.
inline void issue_around_default(const KernelIssue& with) {
    with.team.fork();
    for (size_t k = 0; k < SlowKernels::count; ++k) {
        if (k > 0) launch_streams_empty(cudaStreamLegacy);
        with.launch(k, k % with.team.size());
    }
    with.team.join();
}

// A host thread per kernel, all into the one legacy default stream.
inline void issue_from_threads_into_one(const KernelIssue& with) {
    with.team.fork();
    with.threads.run([&](size_t k) { with.launch(k, 0); });
    with.team.join();
}

// A host thread per kernel, each into its own default stream: only the thread itself knows which stream that is.
inline void issue_from_threads(const KernelIssue& with) {
    with.team.fork(false);
    with.threads.run([&](size_t k) {
        with.team.enter(k);
        with.launch(k, k);
        with.team.leave(k);
    });
    with.team.join(false);
}

// 0 -> 1, 2, 3 -> 4: each arrow is an event that another stream waits for.
inline void issue_diamond(const KernelIssue& with) {
    const StreamTeam& team = with.team;
    std::vector<Event> done;
    for (size_t k = 0; k < SlowKernels::count; ++k) done.emplace_back(cudaEventDisableTiming);
    team.fork();
    with.launch(0, 0);
    done[0].record(team[0]);
    for (size_t k = 1; k <= 3; ++k) {
        CHECK(cudaStreamWaitEvent(team[k], done[0], 0));
        with.tracer.around(Activity::kernel, k, k, team[k], [&] { with.kernels.launch_after_first(k, team[k]); });
        done[k].record(team[k]);
        CHECK(cudaStreamWaitEvent(team[4], done[k], 0));
    }
    with.tracer.around(Activity::kernel, 4, 4, team[4], [&] { with.kernels.launch_last(team[4]); });
    team.join();
}

inline std::vector<cudaStream_t> legacy_stream() { return {cudaStreamLegacy}; }
inline std::vector<cudaStream_t> both_default_streams() { return {cudaStreamLegacy, cudaStreamPerThread}; }
inline std::vector<cudaStream_t> stream_of_each_thread() { return {SlowKernels::count, cudaStreamPerThread}; }

// A way with its streams and, if it has one, its graph.
class KernelRun final : public TracedCase {
public:
    KernelRun(const Session& session_, const Variant& variant_, const KernelWay& way, SlowKernels& kernels)
        : TracedCase(session_, variant_, kernels.problem()),
          way_(way),
          kernels_(kernels),
          team_(way.default_streams ? StreamTeam(way.default_streams())
                                    : StreamTeam(new_streams(SlowKernels::count, way.flags))),
          threads_(way.from_threads ? SlowKernels::count : 0) {}

    void poison(cudaStream_t) override { kernels_.poison(); }
    Verdict check() override { return kernels_.check_device(way_.diamond); }
    std::vector<Cell> own_cells(double median_ns) override {
        const std::vector<double>& parts = kernels_.parts_ns();
        StreamsCells cells;
        cells.experiment = variant->ladder;
        cells.streams = team_.size();
        cells.steps = kernels_.steps();
        cells.operations = SlowKernels::count;
        for (double part : parts) cells.sum_ns += part;
        cells.ideal_ns = (way_.diamond ? 3 : 1) * *std::max_element(parts.begin(), parts.end());
        return row_of(cells, median_ns);
    }
    Timeline trace() override {
        Tracer tracer(Tracer::Mode::events, SlowKernels::count);
        run(tracer);
        return timeline_of(variant->name, clock_name(), team_.size(), tracer.spans(team_.begin()));
    }

private:
    // From the first kernel's release to the end of the last.
    double run(Tracer& tracer) override {
        const auto issue = [&] { way_.issue({kernels_, team_, threads_, tracer}); };
        return way_.graph ? graph_.time(team_, tracer, issue) : team_.time(issue);
    }
    LaunchShape shape() const override { return kernels_.shape(); }

    const KernelWay& way_;
    SlowKernels& kernels_;
    StreamTeam team_;
    HostThreads threads_;
    TracedGraph graph_;
};

}  // namespace BACKEND
