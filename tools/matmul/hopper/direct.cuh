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

// What products of one type by `direct` cost, in cycles, the caches cold. tests/measure/fit_direct.py fits these
// constants and those of direct_tiles.
struct DirectCost {
    double beginning;          // of a product
    double fixed;              // of a wave of blocks: filling the ring, storing the sums
    double shortest_stage;     // of a block: a part of the memory's latency
    double crowding;           // added to `fixed` for each further block of a multiprocessor
    double unit;               // for each unit of a stage from rows that do not begin at multiples of 16 bytes
    double sharing;            // of blocks of a cluster that add each other's sums,
    double sharing_per_block;  // and for each of them
    double between_clusters;   // if several clusters share k
    double bytes_per_cycle;    // of the memory, for each multiprocessor
    double visible_part;       // of the shorter of computing and reading: the rest is hidden
};
inline constexpr double direct_straightening = 0.25;  // for each element of a stage, if rows are odd, of 16-bit types
inline constexpr DirectCost direct_cost_16_bit = {5910, 950, 210, 950, 0.044, 1880, 17, 2670, 10.2, 0.85},
                            direct_cost_f32 = {4330, 1590, 590, 650, 0.071, 2760, 15, 3400, 10.1, 0.47},
                            direct_cost_tf32 = {3800, 2460, 540, 450, 0.07, 2320, 27, 2700, 13.5, 0.56},
                            direct_cost_f64 = {5790, 810, 320, 210, 0.064, 2310, 45, 2790, 13.7, 0.58};

// How much faster than `hopper` it must be to be chosen in f64, where its model errs more.
constexpr double direct_f64_margin = 1.1;

// The side of the smallest tile. In tf32, batches of such products take less time than TMA needs to start, which no
// model knows: their estimate is reduced.
constexpr size_t smallest_direct_side = 32;
constexpr double smallest_direct_part = 0.35;

// A tile, and what decides how long it takes.
struct DirectChoice {
    TileSize tile;
    unsigned element_bytes, occupancy;  // blocks that a multiprocessor holds
    double stage_cycles;                // that a multiprocessor takes to multiply a stage, with several blocks,
    double alone;                       // and how many times as long with one
    const DirectCost* cost;
    bool takes_batch;
    LaunchShape (*launch)(const MatmulArguments<void>&, unsigned blocks);

    std::string key(unsigned blocks) const { return tile_name(tile) + (blocks > 1 ? text("/{}", blocks) : ""); }
};

// `reached`: the fraction of the peak that multiplying a stage reaches; `alone` as in DirectChoice.
template <typename T, bool tensor, int tile_m, int tile_n, int warps_m, int warps_n, int stages, bool batch = false>
constexpr DirectChoice direct_tile(double reached, double alone) {
    using Shape = DirectShape<T, tensor, tile_m, tile_n, warps_m, warps_n, stages>;
    constexpr double peak = sizeof(T) == 8 || !tensor ? 128 : 2048 / sizeof(T);  // multiply-adds a cycle
    return {{Shape::tile_m, Shape::tile_n, Shape::tile_k},
            sizeof(T),
            Shape::resident,
            double(tile_m) * tile_n * Shape::tile_k / (peak * reached),
            alone,
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
    direct_tile<T, tensor, 128, 128, 2, 4, 4>(0.43, 1.05),
    direct_tile<T, tensor, 128, 64, 2, 2, 3>(0.52, 2.00),
    direct_tile<T, tensor, 64, 64, 2, 2, 4, true>(0.53, 1.86),
    direct_tile<T, tensor, 32, 128, 1, 4, 4>(0.47, 1.74),
    direct_tile<T, tensor, 128, 32, 4, 1, 4>(0.83, 2.66),
    direct_tile<T, tensor, 32, 32, 2, 2, 4, true>(0.34, 2.35),
};
template <>
inline constexpr DirectChoice direct_tiles<float, true>[] = {
    direct_tile<float, true, 128, 128, 2, 4, 4>(0.59, 1.43),
    direct_tile<float, true, 128, 64, 2, 2, 3>(0.41, 1.31),
    direct_tile<float, true, 64, 64, 2, 2, 4, true>(0.34, 1.22),
    direct_tile<float, true, 32, 128, 1, 4, 4>(0.34, 1.23),
    direct_tile<float, true, 128, 32, 4, 1, 4>(0.31, 1.24),
    direct_tile<float, true, 32, 32, 2, 2, 4, true>(0.22, 1.33),
};
template <>
inline constexpr DirectChoice direct_tiles<float, false>[] = {
    direct_tile<float, false, 128, 128, 2, 4, 4>(0.54, 1.00),
    direct_tile<float, false, 128, 64, 2, 2, 3>(0.59, 1.21),
    direct_tile<float, false, 64, 64, 2, 2, 4, true>(0.59, 1.22),
    direct_tile<float, false, 32, 128, 1, 4, 4>(0.54, 1.15),
    direct_tile<float, false, 128, 32, 4, 1, 4>(0.55, 1.21),
    direct_tile<float, false, 32, 32, 4, 1, 4, true>(0.38, 1.26),
};
// More warps hide the latencies of f64.
template <>
inline constexpr DirectChoice direct_tiles<double, true>[] = {
    direct_tile<double, true, 128, 128, 4, 4, 4>(0.73, 1.00),
    direct_tile<double, true, 128, 64, 4, 2, 3>(0.64, 1.00),
    direct_tile<double, true, 64, 64, 2, 2, 4, true>(0.79, 1.34),
    direct_tile<double, true, 32, 128, 2, 4, 4>(0.66, 1.00),
    direct_tile<double, true, 128, 32, 4, 2, 4>(0.85, 1.40),
    direct_tile<double, true, 32, 32, 2, 2, 4, true>(0.60, 1.10),
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
        const double busy = stage * std::max(double(blocks_each), choice.alone);
        return cost.fixed + cost.crowding * double(blocks_each - 1) +
               double(steps) * std::max(busy, cost.shortest_stage);
    };
    const double computing = double(waves) * wave(choice.occupancy) + wave(divide_up(left, occupied)) +
                             (blocks > 1 ? cost.sharing + cost.sharing_per_block * cluster : 0) +
                             (blocks > cluster ? cost.between_clusters : 0);
    const double memory =
        shape.elements() * double(products) * choice.element_bytes / (cost.bytes_per_cycle * multiprocessors);
    return cost.beginning + overlapped(computing, memory, cost.visible_part);
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
    else if (problem.dtype == DType::f64) method.cycles *= direct_f64_margin;
    else if (copies_nothing && problem.form.products() > 1) method.cycles = HUGE_VAL;
    return method;
}

}  // namespace BACKEND
