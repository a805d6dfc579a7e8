// SPDX-License-Identifier: MIT
// The options of latency.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/sizes.hpp"

// What chains of steps are made of.
enum class Chains { arithmetic, loads };
inline constexpr Choice<Chains> kinds_of_chains[] = {{"arithmetic", Chains::arithmetic}, {"loads", Chains::loads}};

struct LatencyOptions {
    std::vector<std::size_t> strides = {128};  // bytes between the places of a chase
    std::size_t steps = 8192;
    std::size_t lanes = 1;  // that make a chase's load together
    bool sweep = false;
    std::vector<Chains> parallelism;
    std::string curve;  // a file

    void add_options(OptionTable& table) {
        table.read("--stride", "LIST", "bytes between the places that a chase visits", "128", strides, parse_strides);
        table.whole("--steps", "N", "timed steps per sample, rounded up to a multiple of 16", steps, 1, 1u << 24);
        table.whole("--lanes", "N", "lanes of a warp that walk together, from one place to the next", lanes, 1, 32);
        table.flag("--sweep", "a row per working set instead of one per plateau", sweep);
        table.choices("--parallelism", "[=LIST]", "more at once, by more warps or by more chains per thread",
                      parallelism, kinds_of_chains);
        table.input_file("--curve", "FILE", "find the plateaus of pairs of bytes and cycles, and measure nothing",
                         curve);
    }

private:
    static std::vector<std::size_t> parse_strides(const std::string& list) {
        std::vector<std::size_t> strides = parse_sizes(list);
        for (std::size_t stride : strides)
            if (stride < 8 || stride % 8 != 0 || stride > (std::size_t{1} << 30))
                fail(Exit::usage, "--stride '{}': {} is not a multiple of 8 up to 1Gi", list, stride);
        return strides;
    }
};
