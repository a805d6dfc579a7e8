// SPDX-License-Identifier: MIT
// The tables of nested: its variants, and its own columns.
#pragma once

#include "common/cli/program.hpp"
#include "common/measure/variant.hpp"
#include "kernels/nested/launches.cuh"
#include "tools/nested/options.hpp"

namespace BACKEND {

// What a variant launches: many grids, a chain of grids, or those of an image or of an integral.
struct NestedVariant : Variant {
    LaunchShape (*grids)(const NestedArguments&) = nullptr;
    LaunchShape (*chain)(const NestedArguments&) = nullptr;
    LaunchShape (*image)(const MandelbrotArguments&) = nullptr;
    LaunchShape (*quadrature)(const QuadratureArguments&) = nullptr;
    bool by_host = false;  // no grid is the parent of the others
};

template <NestedStream stream>
LaunchShape launch_by_one_thread(const NestedArguments& arguments) {
    return launch_grids_by_one_thread(arguments, stream);
}
template <bool tails>
LaunchShape launch_chain_of(const NestedArguments& arguments) {
    return launch_chain(arguments, tails);
}

inline LaunchShape launch_chain_from_host(const NestedArguments& arguments) {
    NestedArguments all = arguments;
    ++all.count;
    return launch_grids_from_host(all);
}

// clang-format off
inline const NestedVariant nested_variants[] = {
    {{"host", "the host makes each launch", Needs::nothing, "launches"}, launch_grids_from_host, {}, {}, {}, true},
    {{"null-stream", "one thread, into its block's null stream: each waits for the one before", Needs::nothing,
      "launches"},
     launch_by_one_thread<NestedStream::null>},
    {{"fire-and-forget", "one thread; nothing but the parent's end waits for them", Needs::nothing, "launches"},
     launch_by_one_thread<NestedStream::fire_and_forget>},
    {{"tail-launch", "one thread; each begins when the parent and the one before have ended", Needs::nothing,
      "launches"},
     launch_by_one_thread<NestedStream::tail_launch>},
    {{"per-block", "a block for each launch, with its own null stream", Needs::nothing, "launches"},
     launch_grids_by_blocks},
    {{"per-thread", "a thread for each launch, fire-and-forget", Needs::nothing, "launches"}, launch_grids_by_threads},

    {{"host-chain", "the host launches as many, one after the other", Needs::nothing, "chain"},
     {}, launch_chain_from_host, {}, {}, true},
    {{"chain", "each grid launches the next", Needs::nothing, "chain"}, {}, launch_chain_of<false>},
    {{"tail-chain", "each grid launches the next to begin after it", Needs::nothing, "chain"},
     {}, launch_chain_of<true>},

    {{"pixels", "Mandelbrot set: a thread per pixel", Needs::nothing, "mandelbrot"}, {}, {}, launch_mandelbrot_pixels},
    {{"squares", "squares with a uniform border are filled, others divided by a launch", Needs::nothing, "mandelbrot"},
     {}, {}, launch_mandelbrot_squares},

    {{"even", "integral of a peak: all intervals as short as the shortest that is needed", Needs::nothing,
      "quadrature"},
     {}, {}, {}, launch_quadrature_even},
    {{"rounds", "the host launches a round for all intervals that are to be divided", Needs::nothing, "quadrature"},
     {}, {}, {}, launch_quadrature_rounds, true},
    {{"intervals", "a thread whose interval is not exact enough divides it by a launch", Needs::nothing, "quadrature"},
     {}, {}, {}, launch_quadrature_intervals},
};

// What the program's own columns say about a measurement.
struct NestedCells {
    size_t launches, depth;  // of all grids, the host's included; of the deepest
    double ns;               // of all; 0 in the simulator
    unsigned steps = 0;      // of an image; 0 for other work
    size_t differing = 0;    // pixels, from the image without squares
    size_t intervals = 0;    // of an integral
};

// The cells of every case. (Times in the simulator say nothing about launches.)
inline NestedCells cells_of_launches(size_t launches, size_t depth, double median_ns, bool simulated) {
    return {launches, depth, simulated ? 0 : median_ns};
}

inline Cell ns_per_launch(const NestedCells& of) {
    return of.ns > 0 && of.launches > 0 ? Fixed{of.ns / double(of.launches), 1} : absent(1);
}
inline Cell differing(const NestedCells& of) { return of.steps ? Cell(whole(of.differing)) : Cell(absent()); }

inline const ColumnOf<NestedCells> nested_columns[] = {
    {{"p_launches", "launches", 1, 0, 8, 1}, [](const NestedCells& of) -> Cell { return whole(of.launches); }},
    {{"p_depth", "depth", 1, 0, 5, 2}, [](const NestedCells& of) -> Cell { return whole(of.depth); }},
    {{"p_ns_per_launch", "us/launch", 1e-3, 2, 9, 1}, ns_per_launch},
    {{"p_steps", "steps", 1, 0, 6, 4}, [](const NestedCells& of) { return whole_if_any(of.steps); }},
    {{"p_differing", "differing", 1, 0, 9, 3}, differing},
    {{"p_intervals", "intervals", 1, 0, 10, 5}, [](const NestedCells& of) { return whole_if_any(of.intervals); }},
};
// clang-format on

inline const Program nested_program = {
    .name = "nested",
    .summary =
        "Kernels that launch kernels: what a launch costs, depending on who makes it and how deep it is, and two cases "
        "in which it may pay.",
    .examples = {"nested -k squares --side 600", "nested --hello 4"},
    .dtypes = {},
    .unit = "launches",
    .sizes = "1Ki",
    .simulator_sizes = "64",
    .variants = variants_of(nested_variants),
    .lectures = &lectures,
    .options = own_options<NestedOptions>,
    .columns = columns_of(nested_columns),
};

}  // namespace BACKEND
