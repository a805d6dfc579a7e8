// SPDX-License-Identifier: MIT
// How a run measures: plain data that the command line fills in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"
#include "common/measure/team.hpp"
#include "common/simt/check/core/settings.hpp"

// A setting with a smaller default in the simulator, where a launch is slow. A user's value applies to both.
template <typename T>
struct PerBackend {
    T on_gpu, in_simulator;
    bool given = false;

    const T& on(const DeviceInfo& device) const { return device.simulated && !device.is_model ? in_simulator : on_gpu; }
};

// What --predict uses besides the measured gangs. The defaults: a DGX H100 has eight GPUs, each with a port of 400
// Gbit/s; the latency is what NCCL assumes of a network for short messages.
struct PredictSettings {
    std::vector<std::size_t> gangs;  // sizes of the gangs to predict; none: no prediction
    std::size_t per_machine = 8;     // GPUs joined by NVLink
    double network_latency_us = 5, network_gbyte_per_s = 50;
    std::string links;  // a table from collective --fit; "": the program measures what it needs
};

class PredictedTimes;

struct MeasureSettings {
    unsigned block = 256;  // threads per block
    PerBackend<int> warmup = {3, 1};
    PerBackend<int> samples = {30, 5};
    double max_ci_percent = 1;  // sampling ends when the median's interval is within this; 0: never
    double timeout_s = 15;
    bool cold_cache = true;
    bool header = true;
    bool raw = false;                  // a row per sample
    std::vector<std::string> columns;  // names and globs of those that the table shows; none: all
    bool ladder = false;
    std::optional<std::string> published;  // what lectures publish, of GPUs with this in their name
    bool gang = false;                     // several devices work on one problem,
    bool weak = false;                     // whose size is one device's times their number
    PredictSettings predict;
    bool predicts_times = true;                 // in the simulator: of the kernels on a GPU,
    std::string gpu_model;                      // whose model this is; "": the newest that is shipped
    PredictedTimes* predicted_times = nullptr;  // what they are; null: the table has none
    Team* team = &Team::alone();                // the processes that measure together with this one
    std::string versus;                         // the peer's variant name
    std::uint64_t seed = 42;
    bool verify = true;
    double tolerance = -1;          // negative: from n, type and operation
    bool profile = false;           // one launch of each variant
    simt::check::Settings checks;   // what the checked simulator does; it is used if anything is set
    bool counters_implied = false;  // --counters was not typed
    bool by_line = false;           // counters: a row per source line
    bool annotate = false;          // counters: the source with its lines' counters

    // The rows of these settings in the option table of a benchmark.
    template <typename Table>
    void add_options(Table& table) {
        using Group = typename Table::Group;
        table.begin(Group::variants);
        table.whole("-b,--block", "THREADS", "threads per block", block, 1, 1024);
        table.begin(Group::measuring);
        table.whole("-w,--warmup", "N", "untimed launches before the samples", warmup, 0, 1'000'000).for_benchmarks();
        table.whole("-r,--samples", "N", "timed launches at most", samples, 1, 1'000'000).for_benchmarks();
        table
            .number("--max-ci", "PCT", "stop once the median's 95 % interval is within this many percent; 0: never",
                    max_ci_percent, 0, 100)
            .for_benchmarks();
        table.number("--timeout", "SECONDS", "stop sampling a variant after this time", timeout_s, 0.001, 1e6)
            .for_benchmarks();
        table
            .choice("--cache", "STATE", "flush the L2 cache before every sample, or not", cold_cache,
                    {{"cold", true}, {"warm", false}})
            .for_benchmarks();
        table.flag("--ladder", "add step, cumulative and over-CPU speed-ups", ladder).everyday().for_benchmarks();
        table.text("--versus", "VARIANT", "sample every variant in turn with this one and add their ratio", versus)
            .for_benchmarks();
        table.flag("--raw", "a row per sample", raw).for_benchmarks();
        table
            .text("--predict", "GPU",
                  "in the simulator: predict the times on h200, h100, a100, rtx2080ti, titanv, gtx1080ti or FILE's GPU",
                  gpu_model)
            .for_benchmarks();
        table.flag("--no-predict", "in the simulator: no predicted times", predicts_times).for_benchmarks();
        table.begin(Group::output);
        table
            .list("--columns", "LIST", "show only these columns, by the names and globs of --csv, in this order",
                  columns)
            .for_benchmarks();
        table.begin(Group::input);
        table.whole("--seed", "N", "seed of the generated input", seed, 0, UINT64_MAX).for_benchmarks();
        table.begin(Group::measuring);
        table.flag("--no-verify", "time without comparing results with the reference", verify).for_benchmarks();
        table
            .number("--tol", "X", "relative error allowed instead of the bound from size, type and operation",
                    tolerance, 0, 1)
            .for_benchmarks();
        table
            .flag("--profile", "one launch of each variant in an NVTX range, for ncu, nsys and compute-sanitizer",
                  profile)
            .for_benchmarks();
        table.begin(Group::checks);
        table
            .flag("--counters", "count memory requests, conflicts and branches of each variant in the simulator",
                  checks.counters)
            .for_benchmarks();
        table
            .choice("--line", "BYTES", "what counted loads move: sectors, or lines, as caches did before Volta",
                    checks.line_bytes, {{"32", 32U}, {"128", 128U}})
            .for_benchmarks();
        table.flag("--by-line", "the same, with a row per source line", by_line).for_benchmarks();
        table.flag("--annotate", "the same, as the source with costs and counters beside its lines", annotate)
            .for_benchmarks();
    }

    // Options of programs that can spread a problem over several devices.
    template <typename Table>
    void add_gang_options(Table& table) {
        table.begin(Table::Group::devices);
        table.flag("--gang",
                   "all devices, or those of -d, work together on one problem; with --ladder also 1, 2, 4, ...", gang);
        table.flag("--weak", "--gang: the size is that of each device's part, not of the whole problem", weak)
            .for_benchmarks();
    }

    // Options for their predictions.
    template <typename Table>
    void add_prediction_options(Table& table) {
        table.begin(Table::Group::devices);
        table.whole("--per-machine", "N", "--predict: GPUs per machine, joined by NVLink", predict.per_machine, 1,
                    1024);
        table.number("--network-latency", "US", "--predict: microseconds for a short message between machines",
                     predict.network_latency_us, 0.001, 1e6);
        table.number("--network-bandwidth", "GB/S", "--predict: 10^9 bytes per second per GPU between machines",
                     predict.network_gbyte_per_s, 0.001, 1e6);
        table.input_file("--links", "FILE", "--predict: a table from collective --fit, instead of measuring",
                         predict.links);
    }
};
