// SPDX-License-Identifier: MIT
#include "common/measure/little.hpp"

#include <algorithm>
#include <cmath>

#include "common/cuda/capabilities.hpp"
#include "common/cuda/throughput.hpp"
#include "common/io/failure.hpp"
#include "common/simt/check/predict/gpu_model.hpp"

static HidingFigures figures_of(const simt::check::GpuModel& model) {
    HidingFigures figures;
    figures.gpu = model.title();
    figures.multiprocessors = model.multiprocessors;
    figures.clock_mhz = model.clock_mhz;
    figures.threads = model.threads_per_multiprocessor;
    figures.arithmetic_latency = model.arithmetic_latency;
    figures.lanes = 32 * model.single_per_cycle;
    figures.memory_latency = model.dram_latency;
    figures.gbyte_per_s = model.dram_gbyte_per_s;
    return figures;
}

HidingFigures hiding_figures_of_model(const std::string& model, const char* option) {
    simt::check::GpuModel found;
    const std::string wrong = load_gpu_model(model.empty() ? simt::check::shipped_gpu_models().front() : model, found);
    if (!wrong.empty()) fail(Exit::usage, "{}: {}", option, wrong);
    return figures_of(found);
}

HidingFigures hiding_figures_of(const DeviceInfo& device) {
    if (device.simulated) return hiding_figures_of_model("", "");
    for (const std::string& name : simt::check::shipped_gpu_models()) {
        simt::check::GpuModel model;
        if (load_gpu_model(name, model).empty() && model.name == device.name) return figures_of(model);
    }
    HidingFigures figures;
    figures.gpu = device.name;
    figures.multiprocessors = device.multiprocessors;
    figures.clock_mhz = 1e-3 * device.clock_khz;
    figures.gbyte_per_s = device.peak_gbyte_per_s;
    if (const MultiprocessorLimits* const limits = limits_of(device.compute_capability)) {
        figures.threads = limits->threads;
        figures.partitions = limits->register_rules.partitions;
    }

    if (const auto rates = throughput_of(device.compute_capability, device.name)) figures.lanes = rates->f32;
    return figures;
}

double reachable(const HidingFigures& figures, bool is_memory, double warps, double per_thread) {
    const double needed = is_memory ? figures.bytes_in_flight() : figures.operations_in_flight();
    if (!(needed > 0)) return 0;
    const double by_latency = std::min(1.0, warps * 32 * per_thread / needed);
    return is_memory ? by_latency : std::min(by_latency, warps / figures.partitions);
}

static Hiding way_to_hide(const HidingFigures& figures, unsigned bytes, unsigned per_thread) {
    Hiding way;
    way.is_memory = bytes > 0;
    way.bytes = bytes;
    way.per_thread = per_thread;
    way.latency = bytes > 0 ? figures.memory_latency : figures.arithmetic_latency;
    way.per_cycle = bytes > 0 ? figures.bytes_per_cycle() / figures.multiprocessors : figures.lanes;
    way.in_flight = bytes > 0 ? figures.bytes_in_flight() : figures.operations_in_flight();
    way.threads = std::ceil(way.in_flight / (per_thread * (bytes > 0 ? bytes : 1)));
    way.warps = std::max(std::ceil(way.threads / 32), way.is_memory ? 1 : figures.partitions);
    way.occupancy_percent = 100 * 32 * way.warps / figures.threads;
    return way;
}

std::vector<Hiding> ways_to_hide(const HidingFigures& figures) {
    std::vector<Hiding> ways;
    for (const unsigned bytes : {0u, 4u, 16u})
        for (const unsigned per_thread : {1u, 2u, 4u, 8u}) ways.push_back(way_to_hide(figures, bytes, per_thread));
    return ways;
}
