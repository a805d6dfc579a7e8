// SPDX-License-Identifier: MIT
// What diverge offers: its options, each variant with its counterpart whose warps agree, and the columns.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/option_table.hpp"
#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/diverge.cuh"
#include "tools/diverge/formula.cuh"

struct DivergeOptions {
    std::optional<std::vector<std::size_t>> operations, depths;  // none: the defaults
    PerBackend<unsigned> rounds = {128, 2};

    void add_options(OptionTable& table) {
        const std::vector<std::size_t> lengths = {1, 2, 4, 8, 16, 32, 64, 128, 256};
        table.read("--operations", "LIST", "powers of two up to 256: operations of each side of a branch", "4,64",
                   operations, [=](const std::string& list) { return parse_counts(list, "--operations", lengths); });
        table.read("--depth", "LIST", "depth of the branches of the 'nested' variants, 1:5", "1,2,3,4,5", depths,
                   [](const std::string& list) { return parse_counts(list, "--depth", 1, 5); });
        table.whole("--rounds", "N", "how many times each thread reaches the branch", rounds, 1, 1'000'000);
    }
};

namespace BACKEND {

struct DivergeVariant : Variant {
    DivergeShape shape = DivergeShape::branch;
    DivergePlaces places = {};
    const char* agreeing = nullptr;   // the variant that does as much work and whose warps agree; none: this one's do
    DivergeLaunch* launch = nullptr;  // for shapes whose kernel no option chooses
    unsigned distance = 0;            // of two threads that wait for each other
};

constexpr DivergePlaces by_lane{}, by_warp{5};
constexpr DivergePlaces lane_parity{0, 1, 0}, warp_parity{5, 1, 0}, reordered_parity{0, 1, 0, true};
constexpr DivergePlaces lane_above_2{0, ~0u, 2}, warp_above_2{5, ~0u, 2};

// Rows do different work, so none of them is the fastest.
constexpr Variant no_rival(const char* name, const char* idea) { return {name, idea, Needs::nothing, "", false, true}; }

// clang-format off
inline const DivergeVariant diverge_variants[] = {
    {no_rival("warp-parity", "(threadIdx.x / warpSize) % 2: the lanes of a warp agree"), DivergeShape::branch, warp_parity},
    {no_rival("thread-parity", "threadIdx.x % 2: every warp takes both sides"), DivergeShape::branch, lane_parity, "warp-parity"},
    {no_rival("two-ifs", "the branch of thread-parity as two ifs: every warp diverges twice"), DivergeShape::two_ifs, lane_parity, "warp-parity"},
    {no_rival("reordered", "the work of thread-parity, even words first: warps agree"), DivergeShape::branch, reordered_parity},
    {no_rival("warp-above-2", "threadIdx.x / warpSize > 2: the lanes of a warp agree"), DivergeShape::branch, warp_above_2},
    {no_rival("thread-above-2", "threadIdx.x > 2: the first warp of a block takes both sides"), DivergeShape::branch, lane_above_2, "warp-above-2"},
    {no_rival("nested-warps", "branches --depth deep on which warps agree"), DivergeShape::nested, by_warp},
    {no_rival("nested", "branches --depth deep: up to 32 paths for the lanes of a warp"), DivergeShape::nested, by_lane, "nested-warps"},
    {no_rival("switch-warps", "a switch of 32 cases, one for each warp"), DivergeShape::cases, by_warp, nullptr, launch_diverge_switch},
    {no_rival("switch", "a switch of 32 cases, one for each lane"), DivergeShape::cases, by_lane, "switch-warps", launch_diverge_switch},
    {no_rival("loops-warps", "loops of 1 to 32 iterations, as many in all lanes of a warp"), DivergeShape::loops, by_warp, nullptr, launch_diverge_loops},
    {no_rival("loops", "loops of 1 to 32 iterations, another number in each lane: all wait for the longest"), DivergeShape::loops, by_lane, "loops-warps", launch_diverge_loops},
    {no_rival("exit-warps", "every other warp leaves the kernel at once"), DivergeShape::exit, warp_parity, nullptr, launch_diverge_exit},
    {no_rival("exit", "every other lane leaves the kernel at once: the warp stays"), DivergeShape::exit, lane_parity, "exit-warps", launch_diverge_exit},
    {no_rival("handshake-warps", "threads of two warps wait for each other"), DivergeShape::handshake, by_lane, nullptr, launch_diverge_handshake<lanes_per_warp>, lanes_per_warp},
    {no_rival("handshake", "lanes of one warp wait for each other: never ends in lockstep"), DivergeShape::handshake, by_lane, "handshake-warps", launch_diverge_handshake<1>, 1},
    {no_rival("lock-inside", "the lanes of a warp take a lock, and release it inside the loop"), DivergeShape::lock, by_lane, nullptr, launch_diverge_lock<true>},
    {no_rival("lock", "they leave the loop with the lock: never ends in lockstep"), DivergeShape::lock, by_lane, "lock-inside", launch_diverge_lock<false>},
};
// clang-format on

// What the program's own columns say about a measurement.
struct DivergeCells {
    DivergeWork work;
    DivergeCount count;  // by the formula
    double slowdown;     // as measured; 0 in the simulator, and where warps agree
    double median_ns;    // 0 in the simulator

    bool waits() const { return work.shape >= DivergeShape::handshake; }
    bool has_formula() const { return !waits() && count.branches > 0; }
    bool has_operations() const { return has_formula() && count.warp_operations > 0; }
    double expected_slowdown() const { return lanes_per_warp / count.active_lanes(); }
};

inline Cell figure_if(bool applies, double figure, int digits) {
    return applies ? computed(figure, digits) : absent(digits);
}

// Only a GPU's times mean something; the simulator's table has its counters instead.
#ifdef __SIMCC__
constexpr const char *slowdown_heading = "", *rate_heading = "";
#else
constexpr const char *slowdown_heading = "slower", *rate_heading = "Gop/s";
#endif

// clang-format off
inline const ColumnOf<DivergeCells> diverge_columns[] = {
    {{"p_operations", "operations", 1, 0, 3, 3}, [](const DivergeCells& of) { return whole_if_any(of.waits() ? 0 : of.work.operations); }},
    {{"p_paths", "paths", 1, 0, 2, 2}, [](const DivergeCells& of) { return whole_if_any(of.waits() ? 0 : of.work.paths); }},
    {{"p_rounds", "rounds", 1, 0, 3, 4}, [](const DivergeCells& of) { return whole_if_any(of.work.shape == DivergeShape::lock ? 0 : of.work.rounds); }},
    {{"p_branch_efficiency", "uniform branches %", 100, 1, 5}, [](const DivergeCells& of) { return figure_if(of.has_formula(), of.count.branch_efficiency(), 4); }},
    {{"p_active_lanes", "active lanes", 1, 2, 5}, [](const DivergeCells& of) { return figure_if(of.has_operations(), of.count.active_lanes(), 4); }},
    {{"p_expected_slowdown", "expected", 1, 2, 5}, [](const DivergeCells& of) { return figure_if(of.has_operations(), of.expected_slowdown(), 4); }},
    {{"p_slowdown", slowdown_heading, 1, 2, 5}, [](const DivergeCells& of) { return figure_if(of.slowdown > 0, of.slowdown, 4); }},
    {{"p_gop_per_s", rate_heading, 1, 1, 7, 1}, [](const DivergeCells& of) { return figure_if(of.has_operations() && of.median_ns > 0, double(of.count.lane_operations) / of.median_ns, 3); }},
};
// clang-format on

inline const Program diverge_program = {
    .name = "diverge",
    .summary = "Measures what it costs when lanes of a warp go different ways; without a GPU, counts it.",
    .examples = {"diverge -k thread-parity,reordered", "diverge -k thread-parity --operations 1:256:x2 | plot"},
    .dtypes = {},
    .unit = "words",
    .sizes = "256Ki",
    .simulator_sizes = "512",
    .variants = variants_of(diverge_variants),
    .lectures = &lectures,
    .options = own_options<DivergeOptions>,
    .columns = columns_of(diverge_columns),
    .counts_in_simulator = true,
    .shown_counters = {{"branch_efficiency", "counted %"}, {"const_lanes_per_request", "counted"}},
};

}  // namespace BACKEND
