// SPDX-License-Identifier: MIT
// The plans of the variant `direct`: its tiles, and how many blocks share k. Only for nvcc.
#pragma once

#include <algorithm>

#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/plan/work.cuh"

namespace BACKEND {

inline TableOf<DirectRow> direct_tiles(DType dtype) {
    switch (dtype) {
        case DType::f64: return direct_tiles<DType::f64>();
        case DType::f32: return direct_tiles<DType::f32>();
        case DType::tf32: return direct_tiles<DType::tf32>();
        case DType::f16: return direct_tiles<DType::f16>();
        case DType::bf16: return direct_tiles<DType::bf16>();
        default: return {};
    }
}

// How many blocks may share k: beyond most_direct_cluster, whole clusters.
constexpr unsigned direct_shares[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 32, 48, 64, 96, 128};

inline Plan direct_plan(const ProductProblem& problem, const DirectRow& row, unsigned blocks) {
    const auto [m, n, k] = problem.shape;
    const size_t products = problem.form.products();
    Plan plan;
    plan.launch = [&row, blocks](const MatmulArguments<void>& arguments) { return row.launch(arguments, blocks); };
    plan.tile = plan.key = row.key(blocks);
    plan.takes_batch =
        double(divide_up(m, row.tile.m)) * double(divide_up(n, row.tile.n)) * blocks * double(products) < most_tiles;
    TileDivision by;
    by.tile = row.tile;
    by.products = products;
    by.split_k = blocks;
    by.cluster = std::min(blocks, most_direct_cluster);
    by.blocks_at_once = blocks_at_once(problem, by.cluster);
    by.reads_any_rows = true;
    estimate(plan, problem, "direct:" + row.key(1), tile_work(problem, by));
    return plan;
}

inline Plans direct_plans(const ProductProblem& problem) {
    if (!problem.hopper || problem.shape.elements() == 0 || is_float8(problem.dtype)) return {};
    const auto [m, n, k] = problem.shape;
    Plans plans;
    for (const DirectRow& row : direct_tiles(problem.dtype)) {
        if (problem.form.products() > 1 && !row.takes_batch) continue;
        const size_t tiles = divide_up(m, row.tile.m) * divide_up(n, row.tile.n) * problem.form.products();
        for (const unsigned blocks : direct_shares)
            if (blocks <= std::max<size_t>(1, divide_up(k, row.tile.k)) &&
                can_share(blocks, tiles, size_t{row.tile.m} * row.tile.n, std::max(4U, row.element_bytes),
                          unsigned(problem.device->multiprocessors)))
                plans.push_back(direct_plan(problem, row, blocks));
    }
    return plans;
}

}  // namespace BACKEND
