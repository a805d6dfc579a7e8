// SPDX-License-Identifier: MIT
// The options of matadd: shapes of matrices and of blocks, and the occupancy calculator's question.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/sizes.hpp"
#include "common/cuda/occupancy.hpp"

// Threads of a block in x and y.
// "32x8,256" (the second has one row), "all": powers of two up to 1024 threads, or "every": all whole numbers.
std::vector<BlockShape> parse_blocks(const std::string& list);

// The question of --occupancy. What is left out limits nothing; shared memory is a block's, static and dynamic.
struct OccupancyQuestion {
    BlockResources resources;                   // threads: the block that was asked for, 0 for none
    std::vector<MultiprocessorLimits> devices;  // none: those of the device in use
};

// "registers=64,smem=16Ki,block=256,cc=9.0,carveout=50"; cc=all for every capability.
OccupancyQuestion parse_occupancy(const std::string& list);

struct MataddOptions {
    PerBackend<std::vector<MatrixShape>> shapes = {{{16384, 16384}}, {{128, 128}}};
    std::vector<BlockShape> blocks = parse_blocks("32x32,32x16,16x32,16x16");
    bool blocks_given = false;
    std::size_t offset = 0;
    std::optional<OccupancyQuestion> occupancy;
    std::optional<std::size_t> launches_to_compare;

    void add_options(OptionTable& table) {
        const auto side = [](const std::vector<MatrixShape>& squares) { return std::to_string(squares.front().rows); };
        table.read("-n,--size", "LIST", "shapes: N, ROWSxCOLUMNS, or N in a range A:B, A:B:xF or A:B:+S",
                   default_text(shapes, side), shapes, parse_matrix_shapes);
        const auto take_blocks = [this](const std::string& list) {
            blocks = parse_blocks(list);
            blocks_given = true;
        };
        table.add({"--blocks", "LIST", "all, every, or shapes such as 32x8: threads of a block in x and in y",
                   "32x32,32x16,16x32,16x16", take_blocks});
        table.add({"-b,--block", "LIST", "the same as --blocks", "", take_blocks});
        table.whole("--offset", "N", "begin the matrices N elements past an aligned address", offset, 0,
                    largest_offset);
        table.read("--occupancy", "LIST",
                   "registers=N,smem=BYTES,block=N and cc=M.N|all, carveout=PCT: the occupancy calculator alone", "",
                   occupancy, parse_occupancy);
        table.whole("--against-cuda", "N", "compare the calculator with CUDA's on N random launches",
                    launches_to_compare, 1, 1'000'000);
    }
};
