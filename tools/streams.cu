// streams: what overlaps and what does not. Slow kernels, copies and kernels in chunks, the cost of launches, and how
// the host learns that a stream is done; measured, drawn as bars, and written as a trace.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/streams/host.cuh"
#include "tools/streams/kernels.cuh"
#include "tools/streams/launch.cuh"
#include "tools/streams/overlap.cuh"
#include "tools/streams/priority.cuh"
#include "tools/streams/table.cuh"

namespace BACKEND {
namespace {

// Most kernels that a GPU runs at once: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
// More streams than that would wait for each other, which is not what they would be measured for.
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

// --chunks or --chunk for n elements. What was typed must fit n; the default gives way to a small one.
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

template <typename Way, size_t count>
const Way* way_of(const Way (&ways)[count], const Variant& variant) {
    for (const Way& way : ways)
        if (way.variant == std::string(variant.name)) return &way;
    return nullptr;
}

StreamsRun cpu_run(const Variant& variant, const std::shared_ptr<CopyData>& data) {
    const double n = double(data->size());
    StreamsRun result;
    result.one.variant = &variant;
    result.one.problem = {DType::i32, data->size(), 2 * n * sizeof(int), 2 * n * data->steps()};
    result.one.poison = [=](cudaStream_t) { data->poison(); };
    result.one.launch = [=](cudaStream_t) {
        data->compute_on_host();
        return LaunchShape{};
    };
    result.one.check = [=] { return data->check(); };
    result.one.own_cells = [=](double median_ns) {
        StreamsCells cells;
        cells.experiment = "copy";
        cells.memory = data->memory();
        cells.steps = data->steps();
        return cells.row(median_ns);
    };
    return result;
}

// The runs of the variants that move n elements, for one kind of memory.
void append_copy_runs(const Session& session, size_t n, bool pinned, bool with_cpu, std::vector<StreamsRun>& runs) {
    const std::vector<const Variant*> variants = session.selected();
    const auto moves_data = [=](const Variant* variant) {
        return way_of(copy_ways, *variant) || (with_cpu && variant->needs == Needs::host);
    };
    if (std::none_of(variants.begin(), variants.end(), moves_data)) return;
    const auto data = std::make_shared<CopyData>(session, n, pinned);
    const auto times = std::make_shared<StageTimes>();
    for (const Variant* variant : variants) {
        if (variant->needs == Needs::host && with_cpu) runs.push_back(cpu_run(*variant, data));
        const CopyWay* way = way_of(copy_ways, *variant);
        if (!way) continue;
        if (way->only_pinned && !pinned) {
            session.notice(text("{}: a kernel does not reach pageable memory; left out", variant->name));
            continue;
        }
        if (session.own<StreamsOptions>().tune) {
            runs.push_back(copy_run(session, *variant, tuned_run(session, *way, data), times));
            continue;
        }
        std::set<std::pair<size_t, size_t>> settings;  // each once: some ways round them
        for (size_t streams : stream_counts(session))
            for (size_t chunks : chunk_counts(session, n)) settings.emplace(way->streams(streams), way->chunks(chunks));
        for (const auto& [streams, chunks] : settings)
            runs.push_back(
                copy_run(session, *variant, std::make_shared<CopyRun>(*way, data, streams, chunks), times));
    }
}

// The run of a variant whose work does not depend on --size; without a case for one whose does.
StreamsRun fixed_run(const Session& session, const Variant& variant, std::shared_ptr<SlowKernels>& kernels) {
    const auto slow_kernels = [&] {
        if (!kernels) kernels = std::make_shared<SlowKernels>(session);
        return kernels;
    };
    if (const KernelWay* way = way_of(kernel_ways, variant)) return kernel_run(session, variant, *way, slow_kernels());
    if (const HostWay* way = way_of(host_ways, variant)) return host_run(session, variant, *way, slow_kernels());
    if (const PriorityWay* way = way_of(priority_ways, variant)) return priority_run(session, variant, *way);
    if (const LaunchWay* way = way_of(launch_ways, variant)) return launch_run(session, variant, *way);
    return {};
}

// All runs of one size; those that do not depend on it come with the first.
std::vector<StreamsRun> runs_of_size(const Session& session, size_t n, bool first) {
    std::vector<StreamsRun> runs;
    bool with_cpu = true;  // the host's time does not depend on where the device finds its data
    for (bool pinned : session.own<StreamsOptions>().pinned) {
        append_copy_runs(session, n, pinned, with_cpu, runs);
        with_cpu = false;
    }
    if (!first) return runs;
    std::shared_ptr<SlowKernels> kernels;
    for (const Variant* variant : session.selected())
        if (StreamsRun run = fixed_run(session, *variant, kernels); run.one.variant) runs.push_back(std::move(run));
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
    static_cast<void>(stream_counts(session));  // what was typed is looked at before anything runs
    for (size_t n : sizes) static_cast<void>(chunk_counts(session, n));
    std::unique_ptr<Output> trace;
    const std::string& trace_path = session.own<StreamsOptions>().trace;
    if (!trace_path.empty()) trace = std::make_unique<Output>(trace_path);
    Bench bench(session);
    std::vector<Timeline> timelines;
    for (size_t i = 0; i < sizes.size(); ++i) {
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
