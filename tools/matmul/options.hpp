// SPDX-License-Identifier: MIT
// The options of matmul.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "tools/matmul/shape.hpp"

constexpr std::size_t most_batch = (std::size_t{1} << 31) - 1;  // products

// How the devices of a gang share a product.
enum class GangSplit { rows, tiles };

struct MatmulOptions {
    PerBackend<std::vector<ProductShape>> shapes = {{{1024, 1024, 1024}}, {{64, 64, 64}}};  // of a benchmark
    std::optional<ProductShape> file_shape;
    ProductForm form;
    bool explain = false;
    bool no_tune = false;
    std::string wisdom;               // a file; "" for the user's
    double scale_a = 0, scale_b = 0;  // of 8-bit floats; 0: not given
    std::optional<GangSplit> split;
    std::optional<std::size_t> panel;
    bool timeline = false;
    std::string trace;
    std::string tile;  // of the Hopper kernels; "" for the best one, "list" to list them

    bool draws() const { return timeline || !trace.empty(); }

    void add_options(OptionTable& table) {
        const auto side = [](const std::vector<ProductShape>& cubes) { return std::to_string(cubes.front().m); };
        table.read("-n,--size", "LIST", "shapes: N, MxNxK, or N in a range A:B, A:B:xF or A:B:+S",
                   default_text(shapes, side), shapes, parse_shapes);
        table.read("--shape", "MxNxK", "the shape of raw or text operands", "", file_shape,
                   [](const std::string& word) {
                       const std::vector<ProductShape> one = parse_shapes(word);
                       if (one.size() != 1) fail(Exit::usage, "--shape '{}' is not MxNxK", word);
                       return one.front();
                   });
        table.read("--transpose", "LIST", "operands that are stored transposed: a (k x m), b (n x k), or a,b", "",
                   form.transposed, parse_transposes);
        table.whole("--batch", "N", "multiply N pairs of matrices of one shape", form.batch, 0, most_batch);
        constexpr double least_scale = 1e-15, most_scale = 1e15;
        table.number("--scale-a", "X", "for e4m3 and e5m2: the factor of A's elements", scale_a, least_scale,
                     most_scale);
        table.number("--scale-b", "X", "the same for B's; in a benchmark the default fits the type's range", scale_b,
                     least_scale, most_scale);
        table.flag("--explain", "say which kernel 'fastest' is, and why", explain).for_benchmarks();
        table.flag("--no-tune", "'fastest' is the best estimate: nothing is timed first, and no wisdom used", no_tune);
        table.text("--wisdom", "FILE",
                   "where 'fastest' keeps what it has timed; matmul-wisdom.csv in ~/.cache/gridutils if not given",
                   wisdom);
        table
            .choice("--split", "WAY", "--gang: devices have rows of C, or tiles; rows if not given", split,
                    {{"rows", GangSplit::rows}, {"tiles", GangSplit::tiles}})
            .for_benchmarks();
        table
            .whole("--panel", "N",
                   "--split tiles: columns of B that devices exchange at once; 4096 or more if not given", panel, 1,
                   most_batch)
            .for_benchmarks();
        table
            .flag("--timeline",
                  "--split tiles: draw a run of each variant, below the human table, else on standard error", timeline)
            .for_benchmarks();
        table
            .output_file("--trace", "FILE",
                         "--split tiles: write that run as a trace for Perfetto and chrome://tracing", trace)
            .for_benchmarks();
        table
            .text("--tile", "NAME",
                  "tiles of hopper, tf32x3, direct, thin, async, instead of the best one; 'all', 'list'", tile)
            .for_benchmarks();
    }
};
