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
#include <list>
#include <memory>
#include <optional>
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
    const std::vector<size_t>& counts = asked.chunks.on(session.device);
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

// All cases of one size, and what they work on. Those that do not depend on it come with the first.
class SizeCases {
public:
    SizeCases(const Session& session, size_t n, bool first) : session_(session), n_(n) {
        for (bool pinned : session.own<StreamsOptions>().pinned) add_copies(pinned);
        for (const StreamsVariant* variant : session.selected<StreamsVariant>())
            if (first) std::visit([&](const auto& way) { add_fixed(*variant, way); }, variant->way);
    }
    Cases& all() { return cases_; }

private:
    // The variants that move the elements, in one kind of memory.
    void add_copies(bool pinned) {
        const auto variants = session_.selected<StreamsVariant>();
        const bool with_cpu = labs_.empty();  // the host's time does not depend on where the device finds its data
        const auto moves_data = [=](const StreamsVariant* variant) {
            if (std::holds_alternative<CpuWay>(variant->way)) return with_cpu;
            return std::holds_alternative<CopyWay>(variant->way);
        };
        if (std::none_of(variants.begin(), variants.end(), moves_data)) return;
        CopyLab& lab = labs_.emplace_back(session_, n_, pinned);
        for (const StreamsVariant* variant : variants) {
            const auto* cpu = std::get_if<CpuWay>(&variant->way);
            if (cpu && with_cpu) cases_.push_back(std::make_unique<CpuRun>(*variant, *cpu, lab.data));
            const auto* way = std::get_if<CopyWay>(&variant->way);
            if (!way) continue;
            if (way->only_pinned && !pinned) {
                session_.notice(text("{}: a kernel cannot access pageable memory; left out", variant->name));
                continue;
            }
            if (session_.own<StreamsOptions>().tune) {
                cases_.push_back(tuned_run(session_, *variant, *way, lab));
                continue;
            }
            std::set<std::pair<size_t, size_t>> settings;  // each once: some ways round them
            for (size_t streams : stream_counts(session_))
                for (size_t chunks : chunk_counts(session_, n_))
                    settings.emplace(way->streams(streams), way->chunks(chunks));
            for (const auto& [streams, chunks] : settings)
                cases_.push_back(std::make_unique<CopyRun>(session_, *variant, *way, lab, streams, chunks));
        }
    }

    void add_fixed(const Variant&, const CpuWay&) {}
    void add_fixed(const Variant&, const CopyWay&) {}
    void add_fixed(const Variant& variant, const KernelWay& way) {
        cases_.push_back(std::make_unique<KernelRun>(session_, variant, way, slow_kernels()));
    }
    void add_fixed(const Variant& variant, const HostWay& way) {
        cases_.push_back(std::make_unique<HostNotice>(session_, variant, way, slow_kernels()));
    }
    void add_fixed(const Variant& variant, const PriorityWay& way) {
        cases_.push_back(std::make_unique<UrgentRun>(session_, variant, way));
    }
    void add_fixed(const Variant& variant, const LaunchWay& way) {
        cases_.push_back(std::make_unique<LaunchCost>(session_, variant, way));
    }

    // Made when the first variant needs them.
    SlowKernels& slow_kernels() {
        if (!kernels_) kernels_.emplace(session_);
        return *kernels_;
    }

    const Session& session_;
    const size_t n_;
    std::list<CopyLab> labs_;
    std::optional<SlowKernels> kernels_;
    Cases cases_;
};

// --timeline and --trace: one more run of each variant, after the table.
void look_at(const Session& session, const Cases& cases, std::vector<Timeline>& timelines) {
    for (const auto& one : cases) {
        auto* const traced = dynamic_cast<TracedCase*>(one.get());
        if (!traced) continue;
        timelines.push_back(traced->trace());
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
        SizeCases cases(session, sizes[i], i == 0);
        bench.run(cases.all());
        if (session.own<StreamsOptions>().timeline || trace) look_at(session, cases.all(), timelines);
    }
    if (trace) write_trace(*trace, timelines);
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(streams_program, run)
#endif
