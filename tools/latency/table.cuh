// SPDX-License-Identifier: MIT
// The tables of latency: what is measured, and what its rows say.
#pragma once

#include <cstddef>
#include <string>

#include "common/cli/program.hpp"
#include "common/measure/variant_table.cuh"
#include "tools/latency/options.hpp"

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
    // With --parallelism: chains of a thread; operations or bytes of a multiprocessor; percent of the peak, as Little's law
    // allows it and as measured.
    std::size_t chains = 0, in_flight = 0;
    double little_percent = 0, peak_percent = 0;
};

// clang-format off
inline const ColumnOf<LatencyCells> latency_columns[] = {
    {{"p_level", "level", 1, 0, 14}, [](const LatencyCells& of) -> Cell { return of.level; }},
    {{"p_bytes", "up to KiB", 1.0 / 1024, 1, 10}, [](const LatencyCells& of) { return whole_if_any(of.bytes); }},
    {{"p_stride", "stride", 1, 0, 6, 5}, [](const LatencyCells& of) { return whole_if_any(of.stride); }},
    {{"p_participants", "participants", 1, 0, 0, 6}, [](const LatencyCells& of) { return whole_if_any(of.participants); }},
    {{"p_cycles", "cycles", 1, 1, 7}, [](const LatencyCells& of) -> Cell { return of.cycles > 0 ? Fixed{of.cycles, 1} : absent(1); }},
    {{"p_chains", "chains", 1, 0, 6}, [](const LatencyCells& of) { return whole_if_any(of.chains); }},
    {{"p_in_flight", "in flight", 1, 0, 9}, [](const LatencyCells& of) { return whole_if_any(of.in_flight); }},
    {{"p_little_percent", "Little's %", 1, 1, 10}, [](const LatencyCells& of) -> Cell { return of.little_percent > 0 ? Fixed{of.little_percent, 2} : absent(2); }},
    {{"p_peak_percent", "of peak %", 1, 1, 9}, [](const LatencyCells& of) -> Cell { return of.peak_percent > 0 ? Fixed{of.peak_percent, 2} : absent(2); }},
};
// clang-format on

}  // namespace BACKEND
