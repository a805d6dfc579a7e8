// SPDX-License-Identifier: MIT
// The variants of copy and compute: each issue order with its streams and chunks, the ideal it is measured against, and
// the search for the best.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/streams/copy.cuh"

namespace BACKEND {

// How a variant is issued. The number of streams is what --streams says, rounded to a multiple of `stages`, or 1.
struct CopyWay {
    void (*issue)(const CopyIssue& with) = nullptr;
    size_t stages = 1;         // that have streams of their own
    bool whole = false;        // in one piece, in one stream
    bool only_pinned = false;  // the kernel itself reaches the host's memory
    bool priorities = false;
    bool graph = false;
    size_t operations = 3;  // per chunk

    size_t streams(size_t wanted) const { return whole ? 1 : std::max<size_t>(wanted / stages, 1) * stages; }
    size_t chunks(size_t wanted) const { return whole ? 1 : wanted; }
};

// The baseline: nothing is copied.
struct CpuWay {
    void (CopyData::*compute)() const = nullptr;
};

// Nanoseconds of the three stages over all elements.
struct StageTimes {
    double alone_ns[3] = {};   // one at a time
    double loaded_ns[3] = {};  // all three at once, each in one piece and none waiting for another

    double sum_ns() const { return alone_ns[0] + alone_ns[1] + alone_ns[2]; }
    double ideal_ns() const { return *std::max_element(loaded_ns, loaded_ns + 3); }
};

// Medians of several runs. The kernel works on memory of its own here, since it is not ordered with the copies.
inline StageTimes measure_stages_of(const CopyData& data) {
    StageTimes times;
    const size_t n = data.size();
    if (n == 0) return times;
    const ChunkRange all{0, n};
    const DeviceBuffer<int> d_scratch(n);
    CHECK(cudaMemset(d_scratch.data(), 0x5a, d_scratch.bytes()));
    const StreamTeam team(new_streams(3));
    const auto issue = [&](size_t stage) {
        if (stage == 0) data.to_device(all, team[0]);
        else if (stage == 1) data.compute_between(d_scratch.data(), d_scratch.data(), n, team[1]);
        else data.to_host(all, team[2]);
    };
    Event begin[3], end[3];
    const auto run = [&](bool (*chosen)(size_t stage, size_t only), size_t only) {
        team.fork();
        for (size_t stage = 0; stage < 3; ++stage) {
            if (!chosen(stage, only)) continue;
            begin[stage].record(team[stage]);
            issue(stage);
            end[stage].record(team[stage]);
        }
        team.join();
        CHECK(cudaStreamSynchronize(team.origin()));
    };
    for (size_t only = 0; only < 3; ++only)
        times.alone_ns[only] = median_of(5, [&] {
            run([](size_t stage, size_t wanted) { return stage == wanted; }, only);
            return elapsed_ns(begin[only], end[only]);
        });
    std::vector<double> loaded[3];
    for (int i = 0; i < 6; ++i) {
        run([](size_t, size_t) { return true; }, 0);
        if (i == 0) continue;  // a warm-up
        for (size_t stage = 0; stage < 3; ++stage) loaded[stage].push_back(elapsed_ns(begin[stage], end[stage]));
    }
    for (size_t stage = 0; stage < 3; ++stage) times.loaded_ns[stage] = summarize(loaded[stage]).median;
    return times;
}

// A way with its data, chunks and streams, and if it has one, its graph.
class CopyRun {
public:
    CopyRun(const Variant& variant, const CopyWay& way, const std::shared_ptr<CopyData>& data, size_t streams,
            size_t chunk_count)
        : variant_(variant),
          way_(way),
          data_(data),
          chunks_(equal_chunks(data->size(), way.chunks(chunk_count))),
          team_(way.priorities ? prioritized_streams(way.streams(streams)) : new_streams(way.streams(streams))) {
        for (size_t i = 0; i < 2 * chunks_.size(); ++i) ready_.emplace_back(cudaEventDisableTiming);
    }

    const Variant& variant() const { return variant_; }
    const CopyWay& way() const { return way_; }
    const CopyData& data() const { return *data_; }
    size_t streams() const { return team_.size(); }
    size_t chunks() const { return chunks_.size(); }

    // Nanoseconds from the first copy's release to the end of the last.
    double run(Tracer& tracer, bool keep_graph) {
        const auto issue = [&] {
            team_.fork();
            way_.issue({*data_, chunks_, team_, ready_, tracer});
            team_.join();
        };
        if (!way_.graph) return team_.time(issue);
        if (!graph_ || !keep_graph) {
            tracer.set_capturing(true);
            graph_ = std::make_unique<CapturedGraph>(team_.origin(), issue);
        }
        const double time_ns = team_.time([&] { graph_->launch(team_.origin()); });
        if (!keep_graph) graph_.reset();
        return time_ns;
    }
    double run() {
        Tracer off;
        return run(off, true);
    }

    Timeline trace(const char* clock) {
        Tracer tracer(Tracer::Mode::events, 3 * chunks());
        run(tracer, false);
        const std::string name = text("{}, {}, {}, {}", variant_.name, counted(streams(), "stream"),
                                      counted(chunks(), "chunk"), data_->memory());
        return timeline_of(name, clock, streams(), tracer.spans(team_.begin()));
    }

    // The shape of the first chunk's launch.
    LaunchShape shape(const Session& session) const {
        const size_t elements = chunks_.empty() ? 0 : chunks_.front().count;
        return {dim3(grid_for(elements, session.options.block)), dim3(session.options.block), 0};
    }

private:
    const Variant& variant_;
    const CopyWay& way_;
    std::shared_ptr<CopyData> data_;
    Chunks chunks_;
    StreamTeam team_;
    std::vector<Event> ready_;
    std::unique_ptr<CapturedGraph> graph_;
};

// The streams and chunks with which the way is fastest: the least median of three runs over a grid of both.
inline std::shared_ptr<CopyRun> tuned_run(const Session& session, const Variant& variant, const CopyWay& way,
                                          const std::shared_ptr<CopyData>& data) {
    std::set<std::pair<size_t, size_t>> settings;  // each once
    for (size_t streams : {2, 3, 4, 6, 8})
        for (size_t chunks : {4, 8, 16, 24, 32, 48, 64, 96, 128})
            settings.emplace(way.streams(streams), way.chunks(chunks));
    std::shared_ptr<CopyRun> best;
    double best_ns = 0;
    for (const auto& [streams, chunks] : settings) {
        const auto candidate = std::make_shared<CopyRun>(variant, way, data, streams, chunks);
        const double time_ns = median_of(3, [&] { return candidate->run(); });
        session.detail(text("{} with {} and {}: {}", variant.name, counted(candidate->streams(), "stream"),
                            counted(candidate->chunks(), "chunk"), short_time(time_ns)));
        if (best && time_ns >= best_ns) continue;
        best = candidate;
        best_ns = time_ns;
    }
    return best;
}

inline StreamsRun copy_run(const Session& session, const std::shared_ptr<CopyRun>& run,
                           const std::shared_ptr<StageTimes>& times) {
    const CopyData& data = run->data();
    const Tracer::Mode mode = tracer_mode(session);
    const char* clock = clock_name(session);
    const bool checked = session.device.checked;
    const double n = double(data.size());
    const LaunchShape shape = run->shape(session);
    StreamsRun result;
    result.one.variant = &run->variant();
    result.one.problem = {DType::i32, data.size(), 2 * n * sizeof(int), 2 * n * data.steps()};
    result.one.poison = [run](cudaStream_t) { run->data().poison(); };
    result.one.launch = [=](cudaStream_t) {
        Tracer tracer(mode);
        run->run(tracer, true);
        return shape;
    };
    result.one.time = [run] { return run->run(); };
    result.one.check = [run] { return run->data().check(); };
    result.one.own_cells = [=](double median_ns) {
        // (The stages are timed under each other's load, working on data that is thrown away: races on purpose.)
        if (times->sum_ns() == 0 && !checked) *times = measure_stages_of(run->data());
        StreamsCells cells;
        cells.experiment = run->variant().ladder;
        cells.streams = run->streams();
        cells.chunks = run->chunks();
        cells.memory = run->data().memory();
        cells.steps = run->data().steps();
        cells.operations = run->way().operations * run->chunks();
        cells.sum_ns = times->sum_ns();
        cells.ideal_ns = times->ideal_ns();
        return row_of(cells, median_ns);
    };
    result.trace = [=] { return run->trace(clock); };
    return result;
}

}  // namespace BACKEND
