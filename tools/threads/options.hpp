// SPDX-License-Identifier: MIT
// The options of threads: a launch, and how its threads are shown.
#pragma once

#include <array>
#include <string>

#include "common/cli/option_table.hpp"

// The extents of a grid or a block, in x, y and z.
struct Extents {
    std::array<unsigned, 3> of = {1, 1, 1};

    std::string name() const;     // "4x3": as it would be typed
    long double product() const;  // which may be more than any integer holds
};

// "12", "4x3" or "2x3x4", each a whole number that CUDA takes as an argument; CUDA itself says whether it can launch
// it.
Extents parse_launch_extents(const std::string& word, const std::string& option);

enum class GroupBy { thread, warp, block, multiprocessor };

struct ThreadsOptions {
    Extents grid = {{3, 1, 1}}, block = {{4, 1, 1}};
    GroupBy by = GroupBy::thread;
    PerBackend<unsigned> steps = {10'000, 100};
    bool hello = false, timeline = false;
    std::string trace;

    void add_options(OptionTable& table) {
        const auto extents = [&](const char* flags, const char* help, Extents& field) {
            const std::string name = OptionRow{flags, "", "", "", {}}.long_name();
            table.read(flags, "EXTENTS", help, field.name(), field,
                       [name](const std::string& word) { return parse_launch_extents(word, name); });
        };
        extents("-g,--grid", "blocks of the grid: 6, 3x2 or 3x2x1, in x, y and z", grid);
        extents("-b,--block", "threads of a block, in the same way", block);
        constexpr Choice<GroupBy> groups[] = {{"thread", GroupBy::thread},
                                              {"warp", GroupBy::warp},
                                              {"block", GroupBy::block},
                                              {"multiprocessor", GroupBy::multiprocessor}};
        table.choice("--by", "WHAT", "what a row stands for", by, groups);
        table.flag("--hello", "instead of the table, a line per thread that says hello", hello);
        table.whole("--work", "STEPS", "steps of arithmetic that each thread takes", steps, 0, 1u << 28);
        table.flag("--timeline", "draw when blocks ran where, below the human table, else on standard error", timeline);
        table.output_file("--trace", "FILE", "write the same as a trace for Perfetto and chrome://tracing", trace);
    }
};
