// SPDX-License-Identifier: MIT
// What every measurement of latency shares: verified samples, and rows.
#pragma once

#ifndef __SIMCC__

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/device.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/measure/report.hpp"
#include "kernels/latency/steps.cuh"
#include "tools/latency/plateau.hpp"
#include "tools/latency/table.cuh"

namespace BACKEND {

// Samples of one latency, per step.
struct LatencySeries {
    std::vector<double> ns, cycles;
    LaunchShape shape;

    CurvePoint point(double bytes) const { return {bytes, summarize(cycles).median, summarize(ns).median}; }
    void append(const LatencySeries& other) {
        ns.insert(ns.end(), other.ns.begin(), other.ns.end());
        cycles.insert(cycles.end(), other.cycles.begin(), other.cycles.end());
        shape = other.shape;
    }
};

// A launch that leaves a reading, and the host's computation of where its steps lead.
struct LatencyRun {
    std::function<LaunchShape(LatencySteps steps, LatencyReading* d_reading)> launch;
    std::function<unsigned long long(LatencySteps steps)> expected_end;  // called once after each launch
};

class Lab {
public:
    explicit Lab(Session& session) : session_(session), report_(session), d_reading_(1) {
        const unsigned asked = unsigned(session.own<LatencyOptions>().steps);
        steps_ = (asked + latency_unroll - 1) / latency_unroll * latency_unroll;
        Problem problem;
        problem.dtype = std::nullopt;
        problem.unit = "";
        std::size_t longest = 0;
        for (const Variant* variant : session.program.variants)
            longest = std::max(longest, std::string(variant->name).size());
        report_.begin_block(problem, longest);
    }
    Lab(const Lab&) = delete;
    Lab& operator=(const Lab&) = delete;

    // After the last row.
    void finish() {
        session_.end_step();
        report_.end_block(false);
    }

    Session& session() const { return session_; }
    const LatencyOptions& asked() const { return session_.own<LatencyOptions>(); }
    unsigned steps() const { return steps_; }
    int attribute_of_device(cudaDeviceAttr name) const { return attribute(name, session_.device.ordinal); }

    // One launch. Empty if its steps ended at the wrong place.
    LatencySeries sample(const Variant& variant, const LatencyRun& run, LatencySteps steps) {
        CHECK(cudaMemset(d_reading_.data(), 0xff, sizeof(LatencyReading)));
        LatencySeries series;
        series.shape = run.launch(steps, d_reading_.data());
        CHECK(cudaGetLastError());
        LatencyReading reading;
        CHECK(cudaMemcpy(&reading, d_reading_.data(), sizeof reading, cudaMemcpyDeviceToHost));
        const unsigned long long expected = run.expected_end(steps);
        if (session_.options.verify && reading.end != expected) {
            session_.complain(text("{}: wrong result: {} steps ended at {}, expected {}", variant.name,
                                   steps.warm + steps.timed, reading.end, expected));
            session_.found_wrong_result();
            return {};
        }
        series.ns = {double(reading.ns) / steps.timed};
        series.cycles = {double(reading.cycles) / steps.timed};
        return series;
    }

    // As many samples as the options ask for. Empty if one was wrong.
    LatencySeries measure(const Variant& variant, const LatencyRun& run, unsigned warm_steps) {
        const Options& options = session_.options;
        const LatencySteps steps{warm_steps, steps_};
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.timeout_s);
        for (int i = 0; i < session_.warmup() && !options.profile && std::chrono::steady_clock::now() < deadline; ++i)
            if (sample(variant, run, steps).ns.empty()) return {};
        LatencySeries series;
        while (int(series.ns.size()) < session_.samples()) {
            const LatencySeries one = sample(variant, run, steps);
            if (one.ns.empty()) return {};
            series.append(one);
            const bool known = options.max_ci_percent > 0 && series.ns.size() >= 10 &&
                               100 * relative_half_width(series.cycles) <= options.max_ci_percent;
            if (known || options.profile || std::chrono::steady_clock::now() >= deadline) break;
        }
        return series;
    }

    // The row of a level, unless --profile asks for none.
    void add_row(const Variant& variant, const LatencySeries& series, LatencyCells cells) {
        if (session_.options.profile || series.ns.empty()) return;
        cells.cycles = summarize(series.cycles).median;
        Measurement row;
        row.variant = &variant;
        row.problem.dtype = std::nullopt;
        row.problem.n = cells.bytes;
        row.grid = std::to_string(series.shape.grid.x);
        row.block = std::to_string(series.shape.block.x);
        row.shared_bytes = series.shape.dynamic_shared_bytes;
        row.timer = "device";
        row.cache = "warm";
        row.warmup = session_.warmup();
        row.samples_ns = series.ns;
        const double ns = summarize(series.ns).median;
        row.sm_clock_mhz = ns > 0 ? int(1e3 * cells.cycles / ns) : 0;
        row.verify = session_.options.verify ? "pass" : "skipped";
        row.own = cells_of(latency_columns, cells);
        session_.end_step();
        report_.add(row);
    }

private:
    Session& session_;
    Report report_;
    DeviceBuffer<LatencyReading> d_reading_;
    unsigned steps_ = 0;
};

}  // namespace BACKEND

#endif
