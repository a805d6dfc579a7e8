// SPDX-License-Identifier: MIT
// Thin products: few columns, few rows or few steps along k. They take as long as it takes to move their largest
// matrix. And small products, which take little longer than a launch.
#pragma once

#include <string>

#include "common/io/dtype.hpp"
#include "common/io/text.hpp"
#include "kernels/matmul/thin/columns.cuh"
#include "kernels/matmul/thin/dots.cuh"
#include "kernels/matmul/thin/one_column.cuh"
#include "kernels/matmul/thin/steps.cuh"
#include "tools/matmul/few_rows.cuh"
#include "tools/matmul/plan/work.cuh"
#include "tools/matmul/small.cuh"

#ifndef __SIMCC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/matmul/hopper/streamed_columns.cuh"
#endif

namespace BACKEND {

// `planned`: the cycles that decided how the kernel divides the product; 0 if nothing did. `shares`: blocks that share k.
template <template <typename> class Kernel, typename T, typename KernelPlan>
Plan thin_plan_of(const ProductProblem& problem, const char* key, const KernelPlan& division, const std::string& tile,
                  double planned, unsigned shares = 1) {
    const auto [m, n, k] = problem.shape;
    const double multiprocessors = estimated_multiprocessors(problem);
    Plan plan;
    plan.launch = [division](const MatmulArguments<void>& arguments) {
        return Kernel<T>::enqueue(arguments.as<T>(), division);
    };
    plan.tile = tile;
    plan.workspace_bytes = Kernel<T>::workspace_bytes(division);
    Work work = least_work(problem, 1);
    work.blocks = double(m) / multiprocessors;
    work.stages = double(n) / multiprocessors;
    work.stages_of_block = double(k);
    work.parts = shares > 1 ? shares : 0;
    work.shared = shares > 1;
    work.planned = planned / 1000 * problem.device->multiprocessors / multiprocessors;
    estimate(plan, problem, text("thin:{}", key), work);
    return plan;
}

template <typename T>
Plan few_columns_plan(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const auto multiprocessors = unsigned(problem.device->multiprocessors);
    const FewColumnsPlan division = plan_few_columns<T>(m, n, k, multiprocessors);
    const std::string tile =
        thin_tile(division.block_rows, n, division.share_pieces * piece_length<T>, division.shares);
    const double planned = FewColumnsCost::busy<T>(division, multiprocessors) + FewColumnsCost::sharing<T>(division);
    return thin_plan_of<FewColumns, T>(problem, "columns", division, tile, planned, division.shares);
}

template <typename T>
Plan one_column_plan(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const auto multiprocessors = unsigned(problem.device->multiprocessors);
    const OneColumnPlan division = plan_one_column<T>(m, k, multiprocessors);
    return thin_plan_of<OneColumn, T>(
        problem, "one-column", division, thin_tile(one_column_rows * division.teams(), 1, k, 1),
        OneColumnCost::cycles<T>(division, multiprocessors, memory_speed(*problem.device)));
}

#ifndef __SIMCC__
template <typename T>
Plan streamed_columns_plan(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const auto multiprocessors = unsigned(problem.device->multiprocessors);
    const double speed = memory_speed(*problem.device);
    const StreamedColumnsPlan division = plan_streamed_columns<T>(m, n, k, multiprocessors, speed);
    return thin_plan_of<StreamedColumns, T>(
        problem, "streamed-columns", division,
        thin_tile(streamed_columns_rows * division.warps / division.group_warps, n, k, 1),
        StreamedColumnsCost<T>::cycles(division, m, n, k, multiprocessors, speed));
}
template <typename T>
bool has_streamed_columns(const ProductShape& shape) {
    return suits_streamed_columns<T>(shape.n, shape.k);
}
#endif

template <typename T>
Plan few_rows_plan(const ProductProblem& problem) {
    const FewRowsPlan division = plan_few_rows<T>(problem);
    const std::string tile = thin_tile(problem.shape.m, division.width, division.share_k, division.shares);
    return thin_plan_of<FewRows, T>(problem, "rows", division, tile, FewRowsCost::cycles<T>(division, problem),
                                    division.shares);
}

template <typename T>
Plan few_steps_plan(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const FewStepsPlan division = plan_few_steps<T>(m, n, k, unsigned(problem.device->multiprocessors));
    const std::string tile = thin_tile(division.rows, division.lanes * few_steps_columns<T>, k, 1);
    return thin_plan_of<FewSteps, T>(problem, "steps", division, tile, 0);
}

template <typename T>
Plan lane_dots_plan(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const auto multiprocessors = unsigned(problem.device->multiprocessors);
    const LaneDotsPlan division = plan_lane_dots(m, n, k, sizeof(T), multiprocessors);
    return thin_plan_of<LaneDots, T>(problem, "dots", division,
                                     thin_tile(1, 1, division.lanes * lane_dots_in_flight, 1),
                                     LaneDotsCost::busy(division, sizeof(T), multiprocessors));
}

struct ThinKind {
    const char* key;  // for --tile
    bool (*can_compute)(const ProductShape& shape);
    Plan (*plan)(const ProductProblem& problem);
    bool needs_hopper = false;
};
template <typename T, bool tensor_cores>
inline constexpr ThinKind thin_kinds[] = {
    {"columns", [](const ProductShape& shape) { return shape.n <= few_columns; }, few_columns_plan<T>},
    {"one-column", [](const ProductShape& shape) { return shape.n == 1; }, one_column_plan<T>},
    {"rows", [](const ProductShape& shape) { return shape.m <= few_rows; }, few_rows_plan<T>},
    {"steps", [](const ProductShape& shape) { return shape.k <= few_steps; }, few_steps_plan<T>},
    {"dots",
     [](const ProductShape& shape) { return suits_lane_dots(double(shape.m) * double(shape.n), double(shape.k)); },
     lane_dots_plan<T>},
    {"patches", suits_patches, patches_plan<T>},
#ifndef __SIMCC__
    {"streamed-columns", has_streamed_columns<T>, streamed_columns_plan<T>, true},
    {"fragments32x32", suits_fragments<tensor_cores>, small_fragments_plan<T>},
    {"fragments64x64", suits_fragments<tensor_cores>, large_fragments_plan<T>},
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

// The plans of all kinds that can compute the product.
inline Plans thin_plans(const ProductProblem& problem) {
    Plans plans;
    for (const ThinKind& kind : thin_kinds_of(problem.dtype)) {
        if (problem.shape.flop() == 0 || (kind.needs_hopper && !problem.hopper) || !kind.can_compute(problem.shape))
            continue;
        plans.push_back(kind.plan(problem));
        plans.back().key = kind.key;
    }
    return plans;
}

}  // namespace BACKEND
