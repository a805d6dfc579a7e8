// The tables of latency: what is measured, and what its rows say.
#pragma once

#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"
#include "common/measure/variant_table.cuh"

struct LatencyOptions {
    std::vector<std::size_t> strides = {128};  // bytes between the places of a chase
    std::size_t steps = 8192;
    bool sweep = false;
    std::string curve;  // a file

    void add_options(OptionTable& table) {
        table.read("--stride", "LIST", "bytes between the places that a chase visits", "128", strides, parse_strides);
        table.whole("--steps", "N", "timed steps per sample, rounded up to a multiple of 16", steps, 1, 1u << 24);
        table.flag("--sweep", "a row per working set instead of one per plateau", sweep);
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

namespace BACKEND {

class Lab;

struct LatencyVariant : Variant {
    void (*measure)(Lab& lab, const LatencyVariant& variant) = nullptr;  // in a GPU's build
};

// What the program's own columns say about a measurement.
struct LatencyCells {
    std::string level;
    std::size_t bytes = 0, stride = 0, participants = 0;
    double cycles = 0;
};

// clang-format off
inline const ColumnOf<LatencyCells> latency_columns[] = {
    {{"p_level", "level", 1, 0, 14}, [](const LatencyCells& of) -> Cell { return of.level; }},
    {{"p_bytes", "up to KiB", 1.0 / 1024, 1, 10}, [](const LatencyCells& of) { return whole_if_any(of.bytes); }},
    {{"p_stride", "stride", 1, 0, 6, 5}, [](const LatencyCells& of) { return whole_if_any(of.stride); }},
    {{"p_participants", "participants", 1, 0, 0, 6}, [](const LatencyCells& of) { return whole_if_any(of.participants); }},
    {{"p_cycles", "cycles", 1, 1, 7}, [](const LatencyCells& of) -> Cell { return Fixed{of.cycles, 1}; }},
};
// clang-format on

}  // namespace BACKEND
