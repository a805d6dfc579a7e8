// SPDX-License-Identifier: MIT
// How many blocks of the variant `direct` share k, and which of its tiles suits a shape. Only for nvcc.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/method.cuh"

namespace BACKEND {

// The side of the smallest tile. Of 16 bits and in tf32, batches of such products take less time than TMA needs to
// start, which no model knows: their estimate is reduced.
constexpr size_t smallest_direct_side = 32;
constexpr double smallest_direct_part = 0.25;

inline TableOf<DirectChoice> direct_tiles(DType dtype) {
    switch (dtype) {
        case DType::f64: return direct_tiles<DType::f64>();
        case DType::f32: return direct_tiles<DType::f32>();
        case DType::tf32: return direct_tiles<DType::tf32>();
        case DType::f16: return direct_tiles<DType::f16>();
        case DType::bf16: return direct_tiles<DType::bf16>();
        default: return {};
    }
}

struct DirectPlan {
    const DirectChoice* choice = nullptr;
    unsigned blocks = 1;  // that share k
    double cycles = 0;
};

// How many blocks may share k: beyond most_direct_cluster, whole clusters.
constexpr unsigned direct_shares[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 32, 48, 64, 96, 128};

// Calls action(choice, blocks, its key) for all plans that can compute the product, until it returns true.
template <typename Action>
bool any_direct_plan(const ProductProblem& problem, Action action) {
    for (const DirectChoice& choice : direct_tiles(problem.dtype)) {
        if (problem.form.products() > 1 && !choice.takes_batch) continue;
        const size_t tiles = divide_up(problem.shape.m, choice.tile.m) * divide_up(problem.shape.n, choice.tile.n) *
                             problem.form.products();
        for (const unsigned blocks : direct_shares)
            if (blocks <= std::max<size_t>(1, divide_up(problem.shape.k, choice.tile.k)) &&
                can_share(blocks, tiles, size_t{choice.tile.m} * choice.tile.n, std::max(4U, choice.element_bytes),
                          unsigned(problem.device->multiprocessors)) &&
                action(choice, blocks, choice.key(blocks)))
                return true;
    }
    return false;
}

inline double direct_cycles_of(const DirectChoice& choice, unsigned blocks, const ProductProblem& problem) {
    return direct_cycles(choice, blocks, problem.shape, problem.form.products(), model_of(problem));
}

inline DirectPlan best_direct_plan(const ProductProblem& problem) {
    DirectPlan best{nullptr, 1, HUGE_VAL};
    any_direct_plan(problem, [&](const DirectChoice& choice, unsigned blocks, const std::string&) {
        const double cycles = direct_cycles_of(choice, blocks, problem);
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
        plan = {&choice, blocks, direct_cycles_of(choice, blocks, problem)};
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
    // In batches, where `hopper` has nothing to copy, it is faster, except for the smallest products in tf32 and
    // of 16 bits.
    const bool copies_nothing = is_aligned(problem.shape.n) && is_aligned(problem.shape.k);
    const bool is_smallest = problem.form.products() > 1 &&
                             (problem.dtype == DType::tf32 || size_of(problem.dtype) == 2) &&
                             std::max(problem.shape.m, problem.shape.n) <= smallest_direct_side;
    if (is_smallest) method.cycles *= smallest_direct_part;
    else if (copies_nothing && problem.form.products() > 1) method.cycles = HUGE_VAL;
    return method;
}

}  // namespace BACKEND
