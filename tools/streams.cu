// SPDX-License-Identifier: MIT
// streams: what overlaps and what does not. Slow kernels, copies and kernels in chunks, the cost of launches, and how
// the host learns that a stream is done; measured, drawn as bars, and written as a trace.
// make: -O1 (it simulates too little to be worth the compile time of a higher level)
#include <cstdio>
#include <string>
#include <vector>

#include "common/cuda/passes.hpp"
#include "kernels/streams.cuh"

#if HOST_PASS
#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <variant>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/streams/table.cuh"

namespace BACKEND {
namespace {

// The most kernels that a GPU runs at once: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability". More streams than that would wait for each other, and the measurement would mean nothing.
size_t most_streams(const Session& session) {
    switch (session.device.compute_capability) {
        case 61: return 32;
        case 53:
        case 62:
        case 72: return 16;
        default: return 128;
    }
}

const std::vector<size_t>& stream_counts(const Session& session) {
    const std::vector<size_t>& counts = session.own<StreamsOptions>().streams;
    for (size_t count : counts)
        if (count > most_streams(session))
            fail(Exit::usage, "--streams '{}' is too many: {} runs at most {} kernels at once", count,
                 session.device.name, most_streams(session));
    return counts;
}

// --chunks or --chunk for n elements. A typed value must fit n; the default shrinks to fit a small n.
std::vector<size_t> chunk_counts(const Session& session, size_t n) {
    const auto& asked = session.own<StreamsOptions>();
    const std::vector<size_t>& counts = asked.chunks.on(session.device.simulated);
    if (!asked.chunk.empty()) {
        if (asked.chunks.given) fail(Exit::usage, "--chunk and --chunks exclude each other");
        std::vector<size_t> of_chunks;
        for (size_t chunk : asked.chunk) {
            if (chunk > n) fail(Exit::usage, "--chunk '{}' is larger than the array: n = {}", chunk, n);
            of_chunks.push_back(divide_up(n, chunk));
        }
        return of_chunks;
    }
    for (size_t count : counts)
        if (asked.chunks.given && count > n)
            fail(Exit::usage, "--chunks '{}' is more than there are elements: n = {}", count, n);
    return counts;
}

StreamsRun cpu_run(const Variant& variant, const CpuWay& way, const std::shared_ptr<CopyData>& data) {
    const double n = double(data->size());
    StreamsRun result;
    result.one.variant = &variant;
    result.one.problem = {DType::i32, data->size(), 2 * n * sizeof(int), 2 * n * data->steps()};
    result.one.poison = [=](cudaStream_t) { data->poison(); };
    result.one.launch = [=, &way](cudaStream_t) {
        ((*data).*way.compute)();
        return LaunchShape{};
    };
    result.one.check = [=] { return data->check(); };
    result.one.own_cells = [=](double median_ns) {
        StreamsCells cells;
        cells.experiment = "copy";
        cells.memory = data->memory();
        cells.steps = data->steps();
        return row_of(cells, median_ns);
    };
    return result;
}

// The runs of the variants that move n elements, for one kind of memory.
void append_copy_runs(const Session& session, size_t n, bool pinned, bool with_cpu, std::vector<StreamsRun>& runs) {
    const auto variants = session.selected<StreamsVariant>();
    const auto moves_data = [=](const StreamsVariant* variant) {
        if (std::holds_alternative<CpuWay>(variant->way)) return with_cpu;
        return std::holds_alternative<CopyWay>(variant->way);
    };
    if (std::none_of(variants.begin(), variants.end(), moves_data)) return;
    const auto data = std::make_shared<CopyData>(session, n, pinned);
    const auto times = std::make_shared<StageTimes>();
    for (const StreamsVariant* variant : variants) {
        const auto* cpu = std::get_if<CpuWay>(&variant->way);
        if (cpu && with_cpu) runs.push_back(cpu_run(*variant, *cpu, data));
        const auto* way = std::get_if<CopyWay>(&variant->way);
        if (!way) continue;
        if (way->only_pinned && !pinned) {
            session.notice(text("{}: a kernel cannot access pageable memory; left out", variant->name));
            continue;
        }
        if (session.own<StreamsOptions>().tune) {
            runs.push_back(copy_run(session, tuned_run(session, *variant, *way, data), times));
            continue;
        }
        std::set<std::pair<size_t, size_t>> settings;  // each once: some ways round them
        for (size_t streams : stream_counts(session))
            for (size_t chunks : chunk_counts(session, n)) settings.emplace(way->streams(streams), way->chunks(chunks));
        for (const auto& [streams, chunks] : settings)
            runs.push_back(copy_run(session, std::make_shared<CopyRun>(*variant, *way, data, streams, chunks), times));
    }
}

// The runs of the variants whose work does not depend on --size; an empty run for the others.
class FixedRuns {
public:
    explicit FixedRuns(const Session& session) : session_(session) {}

    StreamsRun run_of(const StreamsVariant& variant) {
        return std::visit([&](const auto& way) { return run_of(variant, way); }, variant.way);
    }

private:
    StreamsRun run_of(const Variant&, const CpuWay&) { return {}; }
    StreamsRun run_of(const Variant&, const CopyWay&) { return {}; }
    StreamsRun run_of(const Variant& variant, const KernelWay& way) {
        return kernel_run(session_, variant, way, slow_kernels());
    }
    StreamsRun run_of(const Variant& variant, const HostWay& way) {
        return host_run(session_, variant, way, slow_kernels());
    }
    StreamsRun run_of(const Variant& variant, const PriorityWay& way) { return priority_run(session_, variant, way); }
    StreamsRun run_of(const Variant& variant, const LaunchWay& way) { return launch_run(session_, variant, way); }

    // Shared by all variants, and created when the first one needs them.
    const std::shared_ptr<SlowKernels>& slow_kernels() {
        if (!kernels_) kernels_ = std::make_shared<SlowKernels>(session_);
        return kernels_;
    }

    const Session& session_;
    std::shared_ptr<SlowKernels> kernels_;
};

// All runs of one size; those that do not depend on it come with the first.
std::vector<StreamsRun> runs_of_size(const Session& session, size_t n, bool first) {
    std::vector<StreamsRun> runs;
    bool with_cpu = true;  // the host's time does not depend on where the device finds its data
    for (bool pinned : session.own<StreamsOptions>().pinned) {
        append_copy_runs(session, n, pinned, with_cpu, runs);
        with_cpu = false;
    }
    if (!first) return runs;
    FixedRuns fixed(session);
    for (const StreamsVariant* variant : session.selected<StreamsVariant>())
        if (StreamsRun run = fixed.run_of(*variant); run.one.variant) runs.push_back(std::move(run));
    return runs;
}

// --timeline and --trace: one more run of each variant, after the table.
void look_at(const Session& session, const std::vector<StreamsRun>& runs, std::vector<Timeline>& timelines) {
    for (const StreamsRun& run : runs) {
        if (!run.trace) continue;
        timelines.push_back(run.trace());
        if (!session.own<StreamsOptions>().timeline) continue;
        const std::string picture = draw_timeline(timelines.back());
        if (session.format() == Format::human) session.output.write(picture);
        else std::fputs(picture.c_str(), stderr);
    }
}

void run(Session& session) {
    const std::vector<size_t> sizes = session.sizes();
    static_cast<void>(stream_counts(session));  // checks what was typed before anything runs
    for (size_t n : sizes) static_cast<void>(chunk_counts(session, n));
    std::unique_ptr<Output> trace;
    const std::string& trace_path = session.own<StreamsOptions>().trace;
    if (!trace_path.empty()) trace = std::make_unique<Output>(trace_path);
    Bench bench(session);
    std::vector<Timeline> timelines;
    for (size_t i = 0; i < sizes.size(); ++i) {
        session.begin_step(text("generating {} numbers", sizes[i]));
        const std::vector<StreamsRun> runs = runs_of_size(session, sizes[i], i == 0);
        std::vector<Case> cases;
        for (const StreamsRun& one : runs) cases.push_back(one.one);
        bench.run(cases);
        if (session.own<StreamsOptions>().timeline || trace) look_at(session, runs, timelines);
    }
    if (trace) write_trace(*trace, timelines);
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(streams_program, run)
#endif
