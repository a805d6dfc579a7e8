// SPDX-License-Identifier: MIT
// trapezoid --steps: how one small block adds its heights, from what its threads do in the simulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/measure/steps.hpp"
#include "tools/trapezoid/summation.cuh"
#include "tools/trapezoid/table.cuh"

namespace BACKEND {

constexpr size_t trapezoids_stepped = 8;

// Whether it shows its steps: those of one block. A library and the host have none.
inline bool has_steps(const TrapezoidVariant& variant) { return variant.needs == Needs::nothing; }

template <typename T>
void show_steps_of(Session& session, const TrapezoidVariant& variant, TrapezoidArguments<T> arguments, Table& table) {
    const DeviceBuffer<T> d_result(1);
    arguments.d_result = d_result.data();
    DeviceBuffer<unsigned char> d_workspace;
    if (const auto bytes = variant.workspace.get<T>()) d_workspace = DeviceBuffer<unsigned char>(bytes(arguments));
    if (d_workspace.size() > 0) CHECK(cudaMemset(d_workspace.data(), 0, d_workspace.size()));
    arguments.d_workspace = d_workspace.data();
    if (arguments.block_size > most_stepped_threads) arguments.block_size = lanes_per_warp;
    CHECK(cudaDeviceSynchronize());
    simt::check::take_traces();
    const LaunchShape shape = variant.launch.get<T>()(arguments);
    CHECK(cudaDeviceSynchronize());
    const std::vector<simt::check::TracedBlock> blocks = simt::check::take_traces();
    if (shape.grid.x > 1)
        fail(Exit::usage,
             "--steps shows one block, and {} needs {} of {} threads for {} trapezoids: give it fewer, or --block up "
             "to {}",
             variant.name, shape.grid.x, shape.block.x, arguments.rule.n, most_stepped_threads);
    SteppedLaunch launch;
    launch.kernel = variant.name;
    launch.dtype = dtype_of<T>;
    launch.result_address = reinterpret_cast<std::uintptr_t>(d_result.data());
    T result{};
    CHECK(cudaMemcpy(&result, d_result.data(), sizeof result, cudaMemcpyDeviceToHost));
    launch.result = element_bits(result);
    launch.combine = combining<T>([](T a, T b) { return a + b; });
    const CombiningSteps steps(launch, blocks.back());
    if (session.format() == Format::human) return steps.draw(session.output);
    steps.add_rows(table);
    table.flush();
}

template <typename T>
void show_steps(Session& session, const Integral& integral, const CompiledIntegrand<T>* compiled) {
    std::vector<std::string> names;
    for (const TrapezoidVariant& variant : trapezoid_variants)
        if (has_steps(variant)) names.push_back(variant.name);
    std::vector<const TrapezoidVariant*> variants;
    for (const TrapezoidVariant* variant : session.selected<TrapezoidVariant>()) {
        if (has_steps(*variant)) variants.push_back(variant);
        else if (session.names(variant->name))
            fail(Exit::usage, "{} has no steps to show; these have: {}", variant->name, list_text(names, "and"));
    }
    Table table(session.output, session.format(), session.options.header, step_columns());
    Convergence convergence;
    bool is_first = true;
    for (const size_t n : session.options.sizes.given ? session.sizes() : std::vector<size_t>{trapezoids_stepped}) {
        const Summation<T> summation(session, integral, compiled, n, convergence);
        session.end_step();
        for (const TrapezoidVariant* variant : variants) {
            if (session.format() == Format::human && !is_first) session.output.write("\n");
            is_first = false;
            show_steps_of(session, *variant, summation.arguments(), table);
        }
    }
}

}  // namespace BACKEND
