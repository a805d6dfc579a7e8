// What streams offers: its variants, its options and its columns.
#pragma once

#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"

struct StreamsOptions {
    std::vector<std::size_t> streams = {4};
    PerBackend<std::vector<std::size_t>> chunks = {{64}, {8}};
    std::vector<std::size_t> chunk;       // elements; instead of chunks, if there are any
    std::vector<bool> pinned = {true};    // the kinds of host memory
    PerBackend<unsigned> work = {256, 16};  // steps per element: what takes an H200 a fifth of the time of a copy
    bool tune = false, timeline = false;
    std::string trace;

    void add_options(OptionTable& table) {
        const auto counts = [&](const char* flags, const char* help, auto& field) {
            const auto shown = [](const std::vector<std::size_t>& list) { return list.empty() ? "" : std::to_string(list[0]); };
            table.read(flags, "LIST", help, default_text(field, shown), field,
                       [flags](const std::string& list) { return parse_counts(list, flags); });
        };
        counts("--streams", "streams of the copy variants", streams);
        counts("--chunks", "chunks of the copy variants", chunks);
        counts("--chunk", "elements per chunk at most, instead of --chunks", chunk);
        table.read("--memory", "LIST", "pinned, pageable or all: host memory of the copy variants",
                   pinned.front() ? "pinned" : "pageable", pinned, parse_memory);
        table.whole("--work", "STEPS", "steps per element of a copy variant's kernel", work, 0, 1u << 20);
        table.flag("--tune", "find the best streams and chunks for each copy variant", tune);
        table.flag("--timeline", "draw a run of each variant, below the human table, else on standard error", timeline);
        table.text("--trace", "FILE", "write one run of each variant as a trace for Perfetto and chrome://tracing", trace);
    }

private:
    static std::vector<std::size_t> parse_counts(const std::string& list, const char* option) {
        std::vector<std::size_t> counts;
        for (const std::string& word : split(list, ',')) {
            counts.push_back(parse_count(word, option));
            if (counts.back() == 0) fail(Exit::usage, "{} '{}': at least 1 is needed", option, word);
        }
        return counts;
    }

    static std::vector<bool> parse_memory(const std::string& list) {
        std::vector<bool> kinds;
        for (const std::string& name : split(list, ',')) {
            if (name != "pinned" && name != "pageable" && name != "all")
                fail(Exit::usage, "unknown memory kind '{}'; choose among pinned, pageable, all", name);
            if (name != "pageable") kinds.push_back(true);
            if (name != "pinned") kinds.push_back(false);
        }
        return kinds;
    }
};

namespace BACKEND {

inline const Variant streams_variants[] = {
    {"cpu", "all cores walk all chains: what copy-* is worth", Needs::host},
    {"copy-serial", "copy all, compute all, copy all back: nothing overlaps", Needs::nothing, "copy"},
    {"copy-depth-first", "chunks in turns over streams, each chunk's three stages issued together",
     Needs::nothing, "copy"},
    {"copy-breadth-first", "one stage of a chunk in every stream issued together, then the next stage",
     Needs::nothing, "copy"},
    {"copy-priorities", "depth-first, the first stream with the highest priority", Needs::nothing, "copy"},
    {"copy-by-stage", "streams for each stage, an event per chunk: no stage waits without need",
     Needs::nothing, "copy"},
    {"copy-graph", "the same captured: one launch", Needs::nothing, "copy"},
    {"copy-mapped", "a kernel that reads and writes the host's memory: no copies, no chunks",
     Needs::nothing, "copy"},
    {"kernels-default", "five slow kernels in the default stream: one after another", Needs::nothing, "kernels"},
    {"kernels-streams", "a stream for each: all at once", Needs::nothing, "kernels"},
    {"kernels-both-defaults", "the legacy and the per-thread default stream in turns: they wait for each other",
     Needs::nothing, "kernels"},
    {"kernels-threads-legacy", "five host threads share the legacy default stream", Needs::nothing, "kernels"},
    {"kernels-threads-own", "five host threads, each with its per-thread default stream",
     Needs::nothing, "kernels"},
    {"kernels-events", "one kernel, three that wait for it, one that waits for the three, by events",
     Needs::nothing, "kernels"},
    {"kernels-graph", "the five streams captured: one launch", Needs::nothing, "kernels"},
    {"kernels-graph-events", "the events captured: they become edges of the graph", Needs::nothing, "kernels"},
    {"priority-equal", "a short kernel behind one that fills the device many times", Needs::nothing, "priority"},
    {"priority-urgent", "the same in a stream of the highest priority", Needs::nothing, "priority"},
    {"launch-kernel", "an empty kernel, back to back", Needs::nothing, "launch"},
    {"launch-event", "with an event after each", Needs::nothing, "launch"},
    {"launch-graph", "as nodes of a graph, one after another", Needs::nothing, "launch"},
    {"launch-wait", "with a wait after each: there and back", Needs::nothing, "launch"},
    {"launch-synchronize", "a wait for a stream that has nothing to do", Needs::nothing, "launch"},
    {"host-synchronize", "the host waits for each of five streams", Needs::nothing, "host"},
    {"host-query", "the host asks again and again, and could do something else in between", Needs::nothing, "host"},
    {"host-sleep", "the host sleeps until an event wakes it", Needs::nothing, "host"},
    {"host-callback", "a host function in each stream tells the host", Needs::nothing, "host"},
    {"host-blocking-streams", "the default stream between five kernels: blocking streams wait for it",
     Needs::nothing, "host"},
    {"host-nonblocking-streams", "the same with non-blocking streams: they do not", Needs::nothing, "host"},
    };

inline const Program streams_program = {
    .name = "streams",
    .summary = "Measures and draws what streams overlap: slow kernels, copies with kernels, launches, and the host beside them.",
    .dtypes = {DType::i32},
    .sizes = "128Mi",
    .variants = variants_of(streams_variants),
    .options = own_options<StreamsOptions>,
    .columns =
        {
            {"p_experiment"},
            {"p_streams", "streams"},
            {"p_chunks", "chunks"},
            {"p_memory", "memory"},
            {"p_steps"},
            {"p_operations", "operations"},
            {"p_sum_ns", "sum of parts us", 1e-3, 1},
            {"p_ideal_ns", "ideal us", 1e-3, 1},
            {"p_overhead_ns"},
            {"p_concurrency", "concurrency", 1, 2},
            {"p_efficiency", "ideal/time", 1, 3},
        },
};

}  // namespace BACKEND
