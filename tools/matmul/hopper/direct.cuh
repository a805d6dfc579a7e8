// The tiles of the variant `direct`, how many blocks share k, and which of them suits a shape. Only for nvcc.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/matmul/hopper/direct.cuh"
#include "tools/matmul/method.cuh"
#include "tools/matmul/tile_cost.cuh"

namespace BACKEND {

// What products of one type by `direct` cost, in cycles. tests/measure/fit_direct.py fits these constants. (For 16-bit
// types, `unit` and `between_clusters` are from a few shapes with long misaligned rows, of which the fit has none.)
struct DirectCost {
    double fixed;              // of a block: filling the ring, storing the sums
    double shortest_stage;     // of a block: a part of the memory's latency
    double alone;              // a stage's time, in units of stage_cycles, if a multiprocessor has only one block
    double crowding;           // added to `fixed` for each further block of a multiprocessor
    double unit;               // for each unit of a stage from rows that do not begin at multiples of 16 bytes
    double sharing;            // of blocks of a cluster that add each other's sums,
    double sharing_per_block;  // and for each of them
    double between_clusters;   // if several clusters share k
    double bytes_per_cycle;    // of the memory, for each multiprocessor
    double visible_part;       // of the shorter of computing and reading: the rest is hidden
};
inline constexpr double direct_straightening = 0.22;  // for each element of a stage, if rows are odd, of 16-bit types
inline constexpr DirectCost direct_cost_16_bit = {4360, 450, 1.32, 330, 0.15, 1950, 52, 2500, 20.8, 0.26},
                            direct_cost_f32 = {3520, 870, 1.2, 30, 0.06, 1600, 41, 5500, 8.9, 0.28},
                            direct_cost_tf32 = {3790, 530, 1.2, 110, 0.086, 1710, 65, 5500, 17, 0.3},
                            direct_cost_f64 = {3910, 360, 1, 20, 0.081, 2535, 9, 5500, 10.4, 0.22};

// How much faster than `hopper` it must be to be chosen, since both models err.
constexpr double direct_margin = 1.15;

// The side of the smallest tile. In tf32, batches of such products take less time than TMA needs to start, which no
// model knows: their estimate is reduced.
constexpr size_t smallest_direct_side = 32;
constexpr double smallest_direct_part = 0.5;

// A tile, and what decides how long it takes.
struct DirectChoice {
    TileSize tile;
    unsigned element_bytes, occupancy;  // blocks that a multiprocessor holds
    double stage_cycles;                // that a multiprocessor takes to multiply a stage
    const DirectCost* cost;
    bool takes_batch;
    LaunchShape (*launch)(const MatmulArguments<void>&, unsigned blocks);

    std::string key(unsigned blocks) const { return tile_name(tile) + (blocks > 1 ? text("/{}", blocks) : ""); }
};

// `reached`: the fraction of the peak that multiplying a stage reaches.
template <typename T, bool tensor, int tile_m, int tile_n, int warps_m, int warps_n, int stages, bool batch = false>
constexpr DirectChoice direct_tile(double reached) {
    using Shape = DirectShape<T, tensor, tile_m, tile_n, warps_m, warps_n, stages>;
    constexpr double peak = sizeof(T) == 8 || !tensor ? 128 : 2048 / sizeof(T);  // multiply-adds a cycle
    return {{Shape::tile_m, Shape::tile_n, Shape::tile_k},
            sizeof(T),
            Shape::resident,
            double(tile_m) * tile_n * Shape::tile_k / (peak * reached),
            sizeof(T) == 8   ? &direct_cost_f64
            : sizeof(T) == 2 ? &direct_cost_16_bit
            : tensor         ? &direct_cost_tf32
                             : &direct_cost_f32,
            batch,
            launch_direct<Shape, batch>};
}

// 16-bit types.
template <typename T, bool tensor>
inline constexpr DirectChoice direct_tiles[] = {
    direct_tile<T, tensor, 128, 128, 2, 4, 4>(0.69),     direct_tile<T, tensor, 128, 64, 2, 2, 3>(0.48),
    direct_tile<T, tensor, 64, 64, 2, 2, 4, true>(0.44), direct_tile<T, tensor, 32, 128, 1, 4, 4>(0.35),
    direct_tile<T, tensor, 128, 32, 4, 1, 4>(0.48),      direct_tile<T, tensor, 32, 32, 2, 2, 4, true>(0.22),
};
template <>
inline constexpr DirectChoice direct_tiles<float, true>[] = {
    direct_tile<float, true, 128, 128, 2, 4, 4>(0.57),     direct_tile<float, true, 128, 64, 2, 2, 3>(0.47),
    direct_tile<float, true, 64, 64, 2, 2, 4, true>(0.41), direct_tile<float, true, 32, 128, 1, 4, 4>(0.36),
    direct_tile<float, true, 128, 32, 4, 1, 4>(0.33),      direct_tile<float, true, 32, 32, 2, 2, 4, true>(0.25),
};
template <>
inline constexpr DirectChoice direct_tiles<float, false>[] = {
    direct_tile<float, false, 128, 128, 2, 4, 4>(0.74),     direct_tile<float, false, 128, 64, 2, 2, 3>(0.65),
    direct_tile<float, false, 64, 64, 2, 2, 4, true>(0.65), direct_tile<float, false, 32, 128, 1, 4, 4>(0.61),
    direct_tile<float, false, 128, 32, 4, 1, 4>(0.61),      direct_tile<float, false, 32, 32, 4, 1, 4, true>(0.44),
};
// More warps hide the latencies of f64.
template <>
inline constexpr DirectChoice direct_tiles<double, true>[] = {
    direct_tile<double, true, 128, 128, 4, 4, 4>(0.74),     direct_tile<double, true, 128, 64, 4, 2, 3>(0.69),
    direct_tile<double, true, 64, 64, 2, 2, 4, true>(0.79), direct_tile<double, true, 32, 128, 2, 4, 4>(0.79),
    direct_tile<double, true, 128, 32, 4, 2, 4>(0.69),      direct_tile<double, true, 32, 32, 2, 2, 4, true>(0.67),
};

inline TableOf<DirectChoice> direct_tiles_of(DType dtype) {
    switch (dtype) {
        case DType::f64: return direct_tiles<double, true>;
        case DType::f32: return direct_tiles<float, false>;
        case DType::tf32: return direct_tiles<float, true>;
        case DType::f16: return direct_tiles<__half, true>;
        case DType::bf16: return direct_tiles<__nv_bfloat16, true>;
        default: return {};
    }
}

// The cycles of so many products, without the launch.
inline double direct_cycles(const DirectChoice& choice, unsigned blocks, const ProductShape& shape, size_t products,
                            unsigned multiprocessors) {
    const DirectCost& cost = *choice.cost;
    const size_t steps = divide_up(divide_up(shape.k, choice.tile.k), blocks);
    const size_t all = divide_up(shape.m, choice.tile.m) * divide_up(shape.n, choice.tile.n) * products * blocks;
    const unsigned cluster = std::min(blocks, most_direct_cluster);
    const size_t occupied = blocks_at_once(cluster, multiprocessors);  // multiprocessors: clusters leave some idle
    const size_t at_once = occupied * choice.occupancy, waves = all / at_once, left = all % at_once;
    const auto misaligned = [&](size_t columns, double elements) {
        const size_t bytes = columns * choice.element_bytes;
        if (bytes % 16 == 0) return 0.0;
        if (bytes % 4 != 0) return elements * direct_straightening;
        return elements * choice.element_bytes / (bytes % 8 == 0 ? 8 : 4) * cost.unit;
    };
    const double stage = choice.stage_cycles + misaligned(shape.k, double(choice.tile.m) * choice.tile.k) +
                         misaligned(shape.n, double(choice.tile.n) * choice.tile.k);
    const auto wave = [&](size_t blocks_each) {  // on each multiprocessor
        if (blocks_each == 0) return 0.0;
        const double busy = stage * std::max(double(blocks_each), cost.alone);
        return cost.fixed + cost.crowding * double(blocks_each - 1) +
               double(steps) * std::max(busy, cost.shortest_stage);
    };
    const double computing = double(waves) * wave(choice.occupancy) + wave(divide_up(left, occupied)) +
                             (blocks > 1 ? cost.sharing + cost.sharing_per_block * cluster : 0) +
                             (blocks > cluster ? cost.between_clusters : 0);
    const double memory =
        shape.elements() * double(products) * choice.element_bytes / (cost.bytes_per_cycle * multiprocessors);
    return std::max(computing, memory) + cost.visible_part * std::min(computing, memory);
}

struct DirectPlan {
    const DirectChoice* choice = nullptr;
    unsigned blocks = 1;  // that share k
    double cycles = 0;
};

// Calls action(choice, blocks, its key) for all plans that can compute the product, until it returns true.
template <typename Action>
bool any_direct_plan(const ProductProblem& problem, Action action) {
    for (const DirectChoice& choice : direct_tiles_of(problem.dtype)) {
        if (problem.form.products() > 1 && !choice.takes_batch) continue;
        const size_t tiles = divide_up(problem.shape.m, choice.tile.m) * divide_up(problem.shape.n, choice.tile.n) *
                             problem.form.products();
        for (unsigned blocks = 1; blocks <= most_direct_blocks; blocks *= 2)
            if (blocks <= std::max<size_t>(1, divide_up(problem.shape.k, choice.tile.k)) &&
                can_share(blocks, tiles, size_t{choice.tile.m} * choice.tile.n, std::max(4U, choice.element_bytes),
                          unsigned(problem.device->multiprocessors)) &&
                action(choice, blocks, choice.key(blocks)))
                return true;
    }
    return false;
}

inline DirectPlan best_direct_plan(const ProductProblem& problem) {
    DirectPlan best{nullptr, 1, HUGE_VAL};
    any_direct_plan(problem, [&](const DirectChoice& choice, unsigned blocks, const std::string&) {
        const double cycles = direct_cycles(choice, blocks, problem.shape, problem.form.products(),
                                            unsigned(problem.device->multiprocessors));
        if (cycles < best.cycles) best = {&choice, blocks, cycles};
        return false;
    });
    return best;
}

inline std::vector<std::string> direct_keys(const ProductProblem& problem) {
    std::vector<std::string> keys;
    any_direct_plan(problem, [&](const DirectChoice&, unsigned, const std::string& key) {
        keys.push_back(key);
        return false;
    });
    return keys;
}

// The plan that --tile names; without a choice if there is none.
inline DirectPlan forced_direct_plan(const ProductProblem& problem) {
    DirectPlan plan;
    const auto is_it = [&](const DirectChoice& choice, unsigned blocks, const std::string& key) {
        plan = {&choice, blocks,
                direct_cycles(choice, blocks, problem.shape, problem.form.products(),
                              unsigned(problem.device->multiprocessors))};
        return key == problem.forced_tile;
    };
    return any_direct_plan(problem, is_it) ? plan : DirectPlan();
}

inline ProductMethod direct_method(const ProductProblem& problem) {
    if (!problem.hopper || problem.shape.elements() == 0 || is_float8(problem.dtype)) return {};
    const DirectPlan plan = problem.forced_tile.empty() ? best_direct_plan(problem) : forced_direct_plan(problem);
    if (!plan.choice) return {};
    ProductMethod method;
    method.launch = [plan](const MatmulArguments<void>& arguments) {
        return plan.choice->launch(arguments, plan.blocks);
    };
    method.tile = plan.choice->key(plan.blocks);
    method.by_cost_model = true;
    method.cycles = plan.cycles;
    const auto [m, n, k] = problem.shape;
    const TileSize& tile = plan.choice->tile;
    method.takes_batch =
        double(divide_up(m, tile.m)) * double(divide_up(n, tile.n)) * plan.blocks * double(problem.form.products()) <
        most_tiles;
    const auto is_aligned = [&](size_t columns) { return columns * size_of(problem.dtype) % 16 == 0; };
    // In batches, where `hopper` has nothing to copy, it is faster, except for the smallest products of tf32.
    const bool copies_nothing = is_aligned(problem.shape.n) && is_aligned(problem.shape.k);
    const bool is_smallest = problem.form.products() > 1 && problem.dtype == DType::tf32 &&
                             std::max(problem.shape.m, problem.shape.n) <= smallest_direct_side;
    if (is_smallest) method.cycles *= smallest_direct_part;
    else if (problem.dtype != DType::f64)
        method.cycles *= copies_nothing && problem.form.products() > 1 ? HUGE_VAL : direct_margin;
    return method;
}

}  // namespace BACKEND
