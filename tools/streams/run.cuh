// SPDX-License-Identifier: MIT
// What every experiment of streams provides: cases of the benchmark, and a way to look at one run of most of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/measure/bench.cuh"
#include "tools/streams/options.hpp"
#include "tools/streams/team.cuh"
#include "tools/streams/tracer.cuh"

namespace BACKEND {

// A case whose operations go through a tracer, so that a run can be drawn.
class TracedCase : public SelfTimedCase {
public:
    TracedCase(const Session& session_, const Variant& variant_, const Problem& problem_, const char* timer = nullptr)
        : SelfTimedCase(variant_, problem_, timer), session(session_) {}

    LaunchShape launch(cudaStream_t) final {
        Tracer tracer(session.options.profile ? Tracer::Mode::ranges : Tracer::Mode::off);
        run(tracer);
        return shape();
    }
    double run_and_time() final {
        Tracer off;
        return run(off);
    }
    // Runs once more, with events around every operation.
    virtual Timeline trace() = 0;

protected:
    // Returns its time in nanoseconds.
    virtual double run(Tracer& tracer) = 0;
    virtual LaunchShape shape() const = 0;

    const char* clock_name() const {
        return session.device.simulated ? "host time of the simulation" : "time of the device's events";
    }

    const Session& session;
};

// The graph of a run that is launched as one. It is kept, except where a tracer records: its events are nodes.
class TracedGraph {
public:
    template <typename Issue>
    double time(const StreamTeam& team, Tracer& tracer, Issue issue) {
        if (!graph_ || tracer.records()) {
            tracer.set_capturing(true);
            graph_ = std::make_unique<CapturedGraph>(team.origin(), issue);
        }
        const double time_ns = team.time([&] { graph_->launch(team.origin()); });
        if (tracer.records()) graph_.reset();
        return time_ns;
    }

private:
    std::unique_ptr<CapturedGraph> graph_;
};

// The program's own columns. Zeros and "none" mark what does not apply.
struct StreamsCells {
    const char* experiment = "none";
    size_t streams = 0, chunks = 0;
    std::string memory = "none";
    unsigned steps = 0;
    size_t operations = 0;  // launches, queries or callbacks of one sample
    double sum_ns = 0;      // of the parts, each measured alone
    double ideal_ns = 0;    // of a run in which everything overlaps that can
    double median_ns = 0;   // of the samples

    double over_median(double ns) const { return median_ns > 0 && ns > 0 ? ns / median_ns : absent().value; }
};

inline Cell time_cell(double ns) { return ns > 0 ? Fixed{ns, 1} : absent(1); }

// clang-format off
inline const ColumnOf<StreamsCells> streams_columns[] = {
    {{"p_experiment"}, [](const StreamsCells& of) -> Cell { return of.experiment; }},
    {{"p_streams", "streams", 1, 0, 0, 2}, [](const StreamsCells& of) { return whole_if_any(of.streams); }},
    {{"p_chunks", "chunks", 1, 0, 0, 2}, [](const StreamsCells& of) { return whole_if_any(of.chunks); }},
    {{"p_memory", "memory", 1, 0, 8, 7}, [](const StreamsCells& of) -> Cell { return of.memory; }},
    {{"p_steps"}, [](const StreamsCells& of) { return whole_if_any(of.steps); }},
    {{"p_operations", "operations", 1, 0, 0, 7}, [](const StreamsCells& of) { return whole_if_any(of.operations); }},
    {{"p_sum_ns", "sum of parts us", 1e-3, 1, 0, 7}, [](const StreamsCells& of) { return time_cell(of.sum_ns); }},
    {{"p_ideal_ns", "ideal us", 1e-3, 1, 9, 4}, [](const StreamsCells& of) { return time_cell(of.ideal_ns); }},
    {{"p_overhead_ns"},
     [](const StreamsCells& of) -> Cell { return of.ideal_ns > 0 ? Fixed{of.median_ns - of.ideal_ns, 1} : absent(1); }},
    {{"p_concurrency", "concurrency", 1, 2, 0, 1},
     [](const StreamsCells& of) -> Cell { return computed(of.over_median(of.sum_ns), 3); }},
    {{"p_efficiency", "ideal/time", 1, 3, 0, 1},
     [](const StreamsCells& of) -> Cell { return computed(of.over_median(of.ideal_ns), 4); }},
};
// clang-format on

inline std::vector<Cell> row_of(StreamsCells cells, double median_ns) {
    cells.median_ns = median_ns;
    return cells_of(streams_columns, cells);
}

// Steps of the chain per element.
inline unsigned steps_per_element(const Session& session) {
    return session.own<StreamsOptions>().work.on(session.device);
}

inline Verdict compare_integers(const int* got, const int* expected, size_t n) {
    return compare_elements(
        got, n, [=](size_t i) { return static_cast<long double>(expected[i]); }, [](long double) { return 0.0L; });
}

}  // namespace BACKEND
