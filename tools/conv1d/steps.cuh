// SPDX-License-Identifier: MIT
// conv1d --steps: which thread reads and writes what, for a short signal.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/measure/accesses.hpp"
#include "tools/conv1d/method.cuh"

namespace BACKEND {

constexpr size_t elements_stepped = 8, most_elements_stepped = 64;
constexpr unsigned block_stepped = 4, largest_block_stepped = 64;

template <typename T>
void show_accesses(Session& session, const ConvolutionVariant& variant, size_t n, const std::vector<double>& weights,
                   Table& table, bool& has_drawn) {
    const Border border = session.own<ConvolutionOptions>().border;
    const TapArrays<T> taps(taps_of<T>(weights));
    const DeviceBuffer<T> d_input(n), d_output(output_length(n, taps.width(), border));
    if (n > 0) CHECK(cudaMemset(d_input.data(), 0, d_input.bytes()));
    ConvolutionArguments<T> arguments =
        arguments_on(session, session.device, taps, Signal<T>{d_input.data(), n, border}, d_output.data());
    if (arguments.block_size > largest_block_stepped) arguments.block_size = block_stepped;
    const ReadyMethod ready = make_ready(variant, arguments);
    if (!ready.launch) return session.detail(text("{} is left out: {}", variant.name, ready.why_not));
    if (ready.prepare) ready.prepare(nullptr);
    CHECK(cudaDeviceSynchronize());
    simt::check::take_traces();
    const LaunchShape launched = ready.launch(nullptr);
    CHECK(cudaDeviceSynchronize());
    const auto address_of_data = [](const T* data) { return reinterpret_cast<std::uintptr_t>(data); };
    AccessedLaunch launch{variant.name, sizeof(T), launched.block.x, {}};
    launch.arrays = {{"input", address_of_data(d_input.data()), d_input.size()},
                     {"output", address_of_data(d_output.data()), d_output.size()},
                     {"taps", address_of_data(taps.d_taps.data()), taps.d_taps.size()}};
    for (const simt::check::TracedBlock& block : simt::check::take_traces()) {
        if (session.format() != Format::human) {
            add_access_rows(launch, block, table);
            continue;
        }
        if (has_drawn) session.output.write("\n");
        has_drawn = true;
        draw_accesses(launch, block, session.output);
    }
    table.flush();
}

inline void show_steps(Session& session, const std::vector<std::vector<double>>& filters) {
    std::vector<const ConvolutionVariant*> variants;
    for (const ConvolutionVariant* variant : session.selected<ConvolutionVariant>()) {
        if (variant->needs == Needs::nothing && variant->method != Method::overlap_save) variants.push_back(variant);
        else if (session.names(variant->name))
            fail(Exit::usage, "{} has no steps to show: it is the host's, or it works by Fourier transforms",
                 variant->name);
    }
    Table table(session.output, session.format(), session.options.header, access_columns());
    bool has_drawn = false;
    for (const size_t n : session.options.sizes.given ? session.sizes() : std::vector<size_t>{elements_stepped}) {
        if (n > most_elements_stepped)
            fail(Exit::usage, "--steps is for short signals, and {} elements are more than {}", n,
                 most_elements_stepped);
        for (const std::vector<double>& weights : filters)
            for (const ConvolutionVariant* variant : variants)
                with_dtype(session.dtype(), [&](auto zero) {
                    using T = decltype(zero);
                    if constexpr (std::is_floating_point_v<T>)
                        show_accesses<T>(session, *variant, n, weights, table, has_drawn);
                });
    }
}

}  // namespace BACKEND
