// SPDX-License-Identifier: MIT
// How a variant multiplies matrices of any form, which variant `fastest` is, and why one cannot run.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "tools/matmul/adapted.cuh"
#include "tools/matmul/variants.cuh"

namespace BACKEND {

// The method for matrices as they are stored; none if the variant has none.
inline ProductMethod method_as_stored(const MatmulVariant& variant, const ProductProblem& problem) {
    ProductMethod method = variant.method ? variant.method(problem) : ProductMethod{};
    if (!is_plain(problem) && !method.takes_transposed) method = {};
    if (problem.form.transposed.c && !method.stores_transposed) method = {};
    if (method.launch && problem.form.products() > 1 && !method.takes_batch) method = one_by_one(problem, method);
    if (!*method.variant) method.variant = variant.name;
    return method;
}

// The method for a problem; none if the variant has none. Of the ways to adapt the problem to the variant, that with
// the fewest cycles or, without a cost model, the fewest bytes to copy.
inline ProductMethod find_best_method(const MatmulVariant& variant, const ProductProblem& problem) {
    ProductMethod best = method_as_stored(variant, problem);
    const bool is_final = best.launch && (best.cycles == 0 || !problem.forced_tile.empty());
    if (is_plain(problem) || is_final || variant.method == fastest_method) return best;
    std::pair least(best.cycles, 0.0);
    for (const Adaptation& way : adaptations_of(problem)) {
        ProductMethod method = method_as_stored(variant, way.problem_of(problem));
        if (!method.launch) continue;
        const TransposedCopies copies(problem, way);
        method = adapted(problem, way, copies, std::move(method));
        const std::pair cost(method.cycles, double(copies.bytes()));
        if (!best.launch || cost < least) best = std::move(method), least = cost;
    }
    return best;
}

// The same. Failure(usage): --tile names none of the tiles of a variant that has others for the problem.
inline ProductMethod find_method(const MatmulVariant& variant, const ProductProblem& problem) {
    const ProductMethod method = find_best_method(variant, problem);
    if (method.launch || problem.forced_tile.empty() || !variant.tiles) return method;
    ProductProblem with_any_tile = problem;
    with_any_tile.forced_tile.clear();
    if (find_best_method(variant, with_any_tile).launch) fail_without_tile(problem, variant.tiles(problem));
    return method;
}

inline const MatmulVariant* variant_of(FindMethod* method) {
    return std::find_if(std::begin(matmul_variants), std::end(matmul_variants),
                        [=](const MatmulVariant& variant) { return variant.method == method; });
}

// The last variant that can compute the product; of those with estimated cycles, the one with the fewest.
inline ProductMethod fastest_method(const ProductProblem& problem) {
    ProductMethod best;
    for (auto variant = std::rbegin(matmul_variants); variant != std::rend(matmul_variants); ++variant) {
        if (!variant->for_fastest || (best.launch && best.cycles == 0)) continue;
        const ProductMethod method = find_method(*variant, problem);
        if (method.launch && (!best.launch || (method.cycles > 0 && method.cycles < best.cycles))) best = method;
    }
    // Launching products one by one pays if each takes several times as long as a launch.
    constexpr double least_cycles_alone = 20000;
    const size_t products = problem.form.products();
    const bool all_at_once = !best.one_by_one && best.cycles > 0;  // the best of these by the cost model
    if (products > 1 && !all_at_once && best.cycles < least_cycles_alone * double(products)) {
        const ProductMethod batched = find_method(*variant_of(batched_method), problem);
        if (batched.launch) return batched;
    }
    return best;
}

// Why a variant has no method for a product, and what to do.
inline std::string why_not(const ProductProblem& problem, const MatmulVariant& variant) {
    const std::string type = name_of(problem.dtype);
    const size_t products = problem.form.products();
    if (variant.method == batched_method && products < 2) return "it is for --batch 2 or more";
    if (variant.method && variant.method == cublasxt_method) return "it is for --gang without files";
    if (products > most_launched_one_by_one && variant.method) {
        ProductProblem one = problem;
        one.form.batch.reset();
        if (find_method(variant, one).launch)
            return text("it takes a launch for each of {} products, and {} at most; choose another --kernel", products,
                        most_launched_one_by_one);
    }
    const bool is_hopper =
        variant.tiles && (variant.tiles == any_hopper_keys || variant.tiles == float8_fast_accum_keys);
    if (is_float8(problem.dtype) && is_hopper && problem.hopper)
        return "it needs n and k that are multiples of 16; choose such a --size, or another --kernel";
    const bool needs_tensor_cores =
        problem.dtype != DType::f32 && problem.dtype != DType::f64 && !is_float8(problem.dtype);
    if (problem.device->simulated && needs_tensor_cores)
        return text("the simulator has no tensor cores for {}; choose --dtype f32 or f64", type);
    if (variant.method == thin_method)
        return text(
            "{} has more than {} rows and columns, more than {} steps along k, and too many products to add up; choose "
            "another --kernel",
            problem.shape.name(), few_rows, few_steps);
    return text("it does not run here for {}; choose another --dtype or --kernel", type);
}

}  // namespace BACKEND
