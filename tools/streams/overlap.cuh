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

// What the variants share that move the same elements in the same kind of memory.
struct CopyLab {
    CopyLab(const Session& session, size_t n, bool pinned) : data(session, n, pinned) {}

    const CopyData data;
    StageTimes times;  // measured for the first row
};

class CpuRun final : public Case {
public:
    CpuRun(const Variant& variant_, const CpuWay& way, const CopyData& data)
        : Case(variant_, data.problem()), way_(way), data_(data) {}

    void poison(cudaStream_t) override { data_.poison(); }
    LaunchShape launch(cudaStream_t) override {
        (data_.*way_.compute)();
        return {};
    }
    Verdict check() override { return data_.check(); }
    std::vector<Cell> own_cells(double median_ns) override {
        StreamsCells cells;
        cells.experiment = "copy";
        cells.memory = data_.memory();
        cells.steps = data_.steps();
        return row_of(cells, median_ns);
    }

private:
    const CpuWay& way_;
    const CopyData& data_;
};

// A way with its data, chunks and streams, and if it has one, its graph.
class CopyRun final : public TracedCase {
public:
    CopyRun(const Session& session_, const Variant& variant_, const CopyWay& way, CopyLab& lab, size_t streams,
            size_t chunk_count)
        : TracedCase(session_, variant_, lab.data.problem()),
          way_(way),
          data_(lab.data),
          times_(lab.times),
          chunks_(equal_chunks(data_.size(), way.chunks(chunk_count))),
          team_(way.priorities ? prioritized_streams(way.streams(streams)) : new_streams(way.streams(streams))) {
        for (size_t i = 0; i < 2 * chunks_.size(); ++i) ready_.emplace_back(cudaEventDisableTiming);
    }

    void poison(cudaStream_t) override { data_.poison(); }
    Verdict check() override { return data_.check(); }
    std::vector<Cell> own_cells(double median_ns) override {
        // (The stages are timed under each other's load, working on data that is thrown away: races on purpose.)
        if (times_.sum_ns() == 0 && !session.device.checked) times_ = measure_stages_of(data_);
        StreamsCells cells;
        cells.experiment = variant->ladder;
        cells.streams = team_.size();
        cells.chunks = chunks_.size();
        cells.memory = data_.memory();
        cells.steps = data_.steps();
        cells.operations = way_.operations * chunks_.size();
        cells.sum_ns = times_.sum_ns();
        cells.ideal_ns = times_.ideal_ns();
        return row_of(cells, median_ns);
    }
    Timeline trace() override {
        Tracer tracer(Tracer::Mode::events, 3 * chunks_.size());
        run(tracer);
        const std::string name = text("{}, {}, {}", variant->name, setting(), data_.memory());
        return timeline_of(name, clock_name(), team_.size(), tracer.spans(team_.begin()));
    }
    // "2 streams, 4 chunks", with another word between the two.
    std::string setting(const char* between = ", ") const {
        return counted(team_.size(), "stream") + between + counted(chunks_.size(), "chunk");
    }

private:
    // From the first copy's release to the end of the last.
    double run(Tracer& tracer) override {
        const auto issue = [&] {
            team_.fork();
            way_.issue({data_, chunks_, team_, ready_, tracer});
            team_.join();
        };
        return way_.graph ? graph_.time(team_, tracer, issue) : team_.time(issue);
    }
    // The first chunk's launch.
    LaunchShape shape() const override {
        const size_t elements = chunks_.empty() ? 0 : chunks_.front().count;
        return {dim3(grid_for(elements, session.options.block)), dim3(session.options.block), 0};
    }

    const CopyWay& way_;
    const CopyData& data_;
    StageTimes& times_;
    Chunks chunks_;
    StreamTeam team_;
    std::vector<Event> ready_;
    TracedGraph graph_;
};

// The streams and chunks with which the way is fastest: the least median of three runs over a grid of both.
inline std::unique_ptr<CopyRun> tuned_run(const Session& session, const Variant& variant, const CopyWay& way,
                                          CopyLab& lab) {
    std::set<std::pair<size_t, size_t>> settings;  // each once
    for (size_t streams : {2, 3, 4, 6, 8})
        for (size_t chunks : {4, 8, 16, 24, 32, 48, 64, 96, 128})
            settings.emplace(way.streams(streams), way.chunks(chunks));
    std::unique_ptr<CopyRun> best;
    double best_ns = 0;
    for (const auto& [streams, chunks] : settings) {
        auto candidate = std::make_unique<CopyRun>(session, variant, way, lab, streams, chunks);
        const double time_ns = median_of(3, [&] { return candidate->run_and_time(); });
        session.detail(text("{} with {}: {}", variant.name, candidate->setting(" and "), short_time(time_ns)));
        if (best && time_ns >= best_ns) continue;
        best = std::move(candidate);
        best_ns = time_ns;
    }
    return best;
}

}  // namespace BACKEND
