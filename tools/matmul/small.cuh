// SPDX-License-Identifier: MIT
// Small products whose blocks share nothing: kernels/matmul/thin/patches.cuh and fragments.cuh.
#pragma once

#include <string>

#include "common/io/text.hpp"
#include "kernels/matmul/thin/patches.cuh"
#include "kernels/matmul/thin/steps.cuh"
#include "tools/matmul/plan/work.cuh"

#ifndef __SIMCC__
#include "kernels/matmul/thin/fragments.cuh"
#endif

namespace BACKEND {

// The name of a tile, with the blocks that share k if there are several.
inline std::string thin_tile(size_t m, size_t n, size_t k, unsigned shares) {
    return text("{}x{}x{}", m, n, k) + (shares > 1 ? text("/{}", shares) : "");
}

template <typename Kernel, typename T>
Plan rounds_plan(const ProductProblem& problem, const char* key) {
    using Shape = typename Kernel::Shape;
    const auto [m, n, k] = problem.shape;
    const SmallPlan small{unsigned(m), unsigned(n), unsigned(k)};
    Plan plan;
    plan.launch = [small](const MatmulArguments<void>& arguments) { return Kernel::enqueue(arguments.as<T>(), small); };
    plan.tile = thin_tile(Shape::tile_m, Shape::tile_n, Shape::steps, 1);
    TileDivision by;
    by.tile = {Shape::tile_m, Shape::tile_n, Shape::steps};
    by.blocks_at_once = estimated_multiprocessors(problem);
    by.reads_any_rows = true;
    estimate(plan, problem, text("thin:{}", key), tile_work(problem, by));
    return plan;
}

template <typename T>
Plan patches_plan(const ProductProblem& problem) {
    return rounds_plan<Patches<T>, T>(problem, "patches");
}

#ifndef __SIMCC__
template <typename T>
Plan small_fragments_plan(const ProductProblem& problem) {
    return rounds_plan<Fragments<T, SmallFragments<T>>, T>(problem, "fragments32x32");
}
template <typename T>
Plan large_fragments_plan(const ProductProblem& problem) {
    return rounds_plan<Fragments<T, LargeFragments<T>>, T>(problem, "fragments64x64");
}
// f32 would need tensor cores that keep all its bits. Beyond these sizes others are faster.
template <bool tensor_cores>
bool suits_fragments(const ProductShape& shape) {
    constexpr size_t most_steps = 192;
    constexpr double most_flop = 4e9;
    return tensor_cores && shape.k <= most_steps && shape.flop() <= most_flop;
}
#endif
inline bool suits_patches(const ProductShape& shape) { return shape.k <= few_steps; }

}  // namespace BACKEND
