// SPDX-License-Identifier: MIT
// Thin products: few columns, few rows or few steps along k. They take as long as it takes to move their largest
// matrix. And small products, which take little longer than a launch.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/io/dtype.hpp"
#include "common/io/text.hpp"
#include "kernels/matmul/thin/columns.cuh"
#include "kernels/matmul/thin/cost.cuh"
#include "kernels/matmul/thin/dots.cuh"
#include "kernels/matmul/thin/one_column.cuh"
#include "kernels/matmul/thin/steps.cuh"
#include "tools/matmul/few_rows.cuh"
#include "tools/matmul/method.cuh"
#include "tools/matmul/small.cuh"

#ifndef __SIMCC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/matmul/hopper/streamed_columns.cuh"
#endif

namespace BACKEND {

// What a thin product costs in cycles, without the launch. The constants are from timings on an H200 (but of dots and
// of one column on an H100), the caches cold: the fixed ones fitted to 30 to 150 products of each kind and size of
// elements, the rates from large products.
struct ThinCost {
    double fixed;                           // of a block: staging, adding the sums of its lanes
    double busy;                            // of a multiprocessor, if it takes longer than the memory
    double sharing;                         // where blocks share k
    double multiply_adds_per_cycle;         // of a multiprocessor
    double bytes_per_cycle = 17;            // of the memory, for each multiprocessor
    double beyond_cache = bytes_per_cycle;  // the same, of what the L2 cache cannot hold
    static constexpr double cached_bytes = 25e6;

    double cycles(const ProductShape& shape, size_t element_bytes, unsigned multiprocessors) const {
        const double bytes = shape.elements() * double(element_bytes),
                     moving =
                         std::max(bytes / bytes_per_cycle, (bytes - cached_bytes) / beyond_cache) / multiprocessors,
                     multiplying = shape.flop() / 2 / (multiply_adds_per_cycle * multiprocessors);
        return fixed + std::max({moving, multiplying, busy}) + sharing;
    }
};

template <template <typename> class Kernel, typename T, typename Plan>
ProductMethod thin_method_of(const ProductProblem& problem, const Plan& plan, const std::string& tile,
                             const ThinCost& cost) {
    ProductMethod method;
    method.cycles = cost.cycles(problem.shape, sizeof(T), unsigned(problem.device->multiprocessors));
    method.launch = [plan](const MatmulArguments<void>& arguments) {
        return Kernel<T>::enqueue(arguments.as<T>(), plan);
    };
    method.tile = tile;
    method.workspace_bytes = Kernel<T>::workspace_bytes(plan);
    return method;
}

template <typename T>
ProductMethod few_columns_method(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const FewColumnsPlan plan = plan_few_columns<T>(m, n, k, unsigned(problem.device->multiprocessors));
    const std::string tile = thin_tile(plan.block_rows, n, plan.share_pieces * piece_length<T>, plan.shares);
    const double busy = FewColumnsCost::busy<T>(plan, unsigned(problem.device->multiprocessors));
    // The plan's costs are those of a warm cache; a single column was timed more closely, beside one_column.
    const double busy_factor = n == 1 ? 3 : 2, bytes_per_cycle = n == 1 ? by_size<T>(12, 14, 14) : 17;
    constexpr double sharing_factor = 1.5;
    const ThinCost cost = {5100 + by_size<T>(420, 560, 800) * lanes_for(n), busy_factor * busy,
                           sharing_factor * FewColumnsCost::sharing<T>(plan), by_size<T>(22, 15, 9),
                           bytes_per_cycle * memory_speed(*problem.device)};
    return thin_method_of<FewColumns, T>(problem, plan, tile, cost);
}

template <typename T>
ProductMethod one_column_method(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const auto multiprocessors = unsigned(problem.device->multiprocessors);
    const OneColumnPlan plan = plan_one_column<T>(m, k, multiprocessors);
    const std::string tile = thin_tile(one_column_rows * plan.teams(), 1, k, 1);
    ProductMethod method = thin_method_of<OneColumn, T>(problem, plan, tile, {});
    method.cycles = OneColumnCost::cycles<T>(plan, multiprocessors, memory_speed(*problem.device));
    return method;
}

#ifndef __SIMCC__
template <typename T>
ProductMethod streamed_columns_method(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const auto multiprocessors = unsigned(problem.device->multiprocessors);
    const double speed = memory_speed(*problem.device);
    const StreamedColumnsPlan plan = plan_streamed_columns<T>(m, n, k, multiprocessors, speed);
    const std::string tile = thin_tile(streamed_columns_rows * plan.warps / plan.group_warps, n, k, 1);
    ProductMethod method = thin_method_of<StreamedColumns, T>(problem, plan, tile, {});
    method.cycles = StreamedColumnsCost<T>::cycles(plan, m, n, k, multiprocessors, speed);
    return method;
}
template <typename T>
bool has_streamed_columns(const ProductShape& shape) {
    return suits_streamed_columns<T>(shape.n, shape.k);
}
#endif

template <typename T>
ProductMethod few_rows_method(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const DeviceModel device = model_of(problem);
    const FewRowsPlan plan = plan_few_rows<T>(m, n, k, device, problem.hopper);
    const std::string tile = thin_tile(m, plan.width, plan.share_k, plan.shares);
    ProductMethod method = thin_method_of<FewRows, T>(problem, plan, tile, {});
    method.cycles = FewRowsCost::cycles<T>(plan, device);
    return method;
}

template <typename T>
ProductMethod few_steps_method(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const FewStepsPlan plan = plan_few_steps<T>(m, n, k, unsigned(problem.device->multiprocessors));
    // (75 products of each size on an H200 and on an H100, which reached 0.85 of the rate.)
    const double speed = (1 + memory_speed(*problem.device)) / 2;
    const ThinCost cost = {by_size<T>(7250, 6060, 5240) + by_size<T>(570, 630, 464) * lanes_for(k),
                           0,
                           0,
                           by_size<T>(38, 45, 25),
                           by_size<T>(13.4, 15.2, 15.2) * speed,
                           by_size<T>(10.7, 15.2, 15.2) * speed};
    return thin_method_of<FewSteps, T>(problem, plan, thin_tile(plan.rows, plan.lanes * few_steps_columns<T>, k, 1),
                                       cost);
}

template <typename T>
ProductMethod lane_dots_method(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const auto multiprocessors = unsigned(problem.device->multiprocessors);
    const LaneDotsPlan plan = plan_lane_dots(m, n, k, sizeof(T), multiprocessors);
    const double busy = LaneDotsCost::busy(plan, sizeof(T), multiprocessors);
    constexpr double bytes_per_cycle = 12;  // on an H100, as all of this kind's costs
    const ThinCost cost = {LaneDotsCost::fixed, busy, 0, 8, bytes_per_cycle};
    return thin_method_of<LaneDots, T>(problem, plan, thin_tile(1, 1, plan.lanes * lane_dots_in_flight, 1), cost);
}

struct ThinKind {
    const char* key;  // for --tile
    bool (*can_compute)(const ProductShape& shape);
    ProductMethod (*method)(const ProductProblem& problem);
    bool needs_hopper = false;
};
template <typename T, bool tensor_cores>
inline constexpr ThinKind thin_kinds[] = {
    {"columns", [](const ProductShape& shape) { return shape.n <= few_columns; }, few_columns_method<T>},
    {"one-column", [](const ProductShape& shape) { return shape.n == 1; }, one_column_method<T>},
    {"rows", [](const ProductShape& shape) { return shape.m <= few_rows; }, few_rows_method<T>},
    {"steps", [](const ProductShape& shape) { return shape.k <= few_steps; }, few_steps_method<T>},
    {"dots",
     [](const ProductShape& shape) { return suits_lane_dots(double(shape.m) * double(shape.n), double(shape.k)); },
     lane_dots_method<T>},
    {"patches", suits_patches, patches_method<T>},
#ifndef __SIMCC__
    {"streamed-columns", has_streamed_columns<T>, streamed_columns_method<T>, true},
    {"fragments32x32", suits_fragments<tensor_cores>, small_fragments_method<T>},
    {"fragments64x64", suits_fragments<tensor_cores>, large_fragments_method<T>},
#endif
};

// tf32 is computed in f32, which is as fast here, except in fragments.
inline TableOf<ThinKind> thin_kinds_of(DType dtype) {
    switch (dtype) {
        case DType::f32: return thin_kinds<float, false>;
        case DType::f64: return thin_kinds<double, true>;
#ifndef __SIMCC__
        case DType::tf32: return thin_kinds<float, true>;
        case DType::f16: return thin_kinds<__half, true>;
        case DType::bf16: return thin_kinds<__nv_bfloat16, true>;
#endif
        default: return {};
    }
}

inline bool is_thin_key(const std::string& key) {
    for (const ThinKind& kind : thin_kinds<float, true>)
        if (kind.key == key) return true;
    return false;
}

inline std::vector<std::string> thin_keys(const ProductProblem& problem) {
    std::vector<std::string> keys;
    for (const ThinKind& kind : thin_kinds_of(problem.dtype))
        if (problem.shape.flop() > 0 && (problem.hopper || !kind.needs_hopper) && kind.can_compute(problem.shape))
            keys.push_back(kind.key);
    return keys;
}

// Of the kinds that can compute the product, the one that takes the fewest cycles, or the one that --tile names. None
// if there is none.
inline ProductMethod thin_method(const ProductProblem& problem) {
    ProductMethod best;
    const std::vector<std::string> keys = thin_keys(problem);
    for (const ThinKind& kind : thin_kinds_of(problem.dtype)) {
        if (std::find(keys.begin(), keys.end(), kind.key) == keys.end()) continue;
        if (!problem.forced_tile.empty() && problem.forced_tile != kind.key) continue;
        const ProductMethod method = kind.method(problem);
        if (!best.launch || method.cycles < best.cycles) best = method;
    }
    return best;
}

}  // namespace BACKEND
