// SPDX-License-Identifier: MIT
// The options of nested.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/sizes.hpp"

struct NestedOptions {
    std::vector<std::size_t> depths = {1, 4, 16};
    PerBackend<unsigned> side = {2048, 128};
    unsigned steps = 512;
    PerBackend<std::vector<std::size_t>> sharpness = {{1024, 1 << 20, 1 << 26}, {1024}};
    std::optional<unsigned> hello;
    std::set<std::string> typed;  // the long names of the options on the command line

    void add_options(OptionTable& table) {
        // CUDA nests launches to a depth of 24; more is an error, which one may want to see.
        table.read("--depth", "LIST", "how deep the chains are", "1,4,16", depths,
                   [](const std::string& list) { return parse_counts(list, "--depth", 0, 32); });
        table.whole("--side", "PIXELS", "pixels on each side of the Mandelbrot set's image", side, 1, 32768);
        table.whole("--steps", "N", "steps after which a point counts as inside", steps, 1, 1'000'000);
        table.read("--sharpness", "LIST", "how many times as wide as its peak the integrated interval is",
                   DefaultText("1Ki,1Mi,64Mi", "1Ki"), sharpness,
                   [](const std::string& list) { return parse_counts(list, "--sharpness", 1, std::size_t{1} << 30); });
        table.whole("--hello", "THREADS",
                    "greet from 2 blocks of so many threads, then from half as many at each depth", hello, 1, 1024);
        note_typed(table);
    }

private:
    void note_typed(OptionTable& table) {
        for (OptionRow row : std::vector<OptionRow>(table.rows())) {
            row.take = [this, take = row.take, name = row.long_name()](const std::string& argument) {
                typed.insert(name), take(argument);
            };
            table.add(row);
        }
    }
};
