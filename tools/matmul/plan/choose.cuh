// SPDX-License-Identifier: MIT
// The plans that a variant has for matrices of any form, which of them it takes, and why it has none.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/matmul/plan/adapt.cuh"
#include "tools/matmul/variants.cuh"

namespace BACKEND {

// The plans for matrices as they are stored.
inline Plans plans_as_stored(const MatmulVariant& variant, const ProductProblem& problem) {
    Plans plans = variant.plans ? variant.plans(problem) : Plans{}, fitting;
    for (Plan& plan : plans) {
        if (!is_plain(problem) && !plan.takes_transposed) continue;
        if (problem.form.transposed.c && !plan.stores_transposed) continue;
        if (problem.form.products() > 1 && !plan.takes_batch) plan = one_by_one(problem, std::move(plan));
        if (!plan.launch) continue;
        if (!*plan.variant) plan.variant = variant.name;
        fitting.push_back(std::move(plan));
    }
    return fitting;
}

// All plans of a variant, also those that copy matrices first or compute the exchanged product. A plan without an
// estimate that takes the matrices as they are stored is the only one.
inline Plans plans_of_any_tile(const MatmulVariant& variant, const ProductProblem& problem) {
    Plans plans = plans_as_stored(variant, problem);
    const bool is_final = !plans.empty() && plans.front().ns == 0;
    if (is_plain(problem) || is_final || variant.plans == fastest_plans) return plans;
    for (const Adaptation& way : adaptations_of(problem)) {
        const TransposedCopies copies(problem, way);
        for (Plan& plan : plans_as_stored(variant, way.problem_of(problem)))
            plans.push_back(adapted(problem, way, copies, std::move(plan)));
    }
    return plans;
}

// What --tile names: a tile of whatever shares, or "KEY@SHARES".
inline std::string without_shares(const std::string& key) { return key.substr(0, key.find('@')); }
inline bool is_named(const Plan& plan, const std::string& tile) {
    return plan.key == tile || without_shares(plan.key) == tile;
}

// The keys of a variant's plans, each once; with_shares: those of every way to share tiles, too.
inline std::vector<std::string> keys_of(const MatmulVariant& variant, const ProductProblem& problem,
                                        bool with_shares = false) {
    std::vector<std::string> keys;
    for (const Plan& plan : plans_of_any_tile(variant, problem)) {
        const std::string key = with_shares ? plan.key : without_shares(plan.key);
        if (!key.empty() && std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    return keys;
}

// The plans of a variant, or those that --tile names. Failure(usage): it names none of them.
inline Plans plans_of(const MatmulVariant& variant, const ProductProblem& problem) {
    Plans plans = plans_of_any_tile(variant, problem);
    const std::string& tile = problem.forced_tile;
    if (plans.empty() || tile.empty() || !variant.has_tiles) return plans;
    Plans forced;
    for (Plan& plan : plans)
        if (is_named(plan, tile)) forced.push_back(std::move(plan));
    if (!forced.empty()) return forced;
    std::string list;
    for (const std::string& key : keys_of(variant, problem)) list += (list.empty() ? "" : ", ") + key;
    fail(Exit::usage, "--tile {}: no such tile computes {} in {}; there are {}", tile, problem.shape.name(),
         name_of(problem.dtype), list);
}

// Sorts plans by their estimates, then by the bytes that they copy; those without an estimate come last, the most
// advanced first.
inline void sort_by_estimate(Plans& plans) {
    std::stable_sort(plans.begin(), plans.end(), [](const Plan& one, const Plan& other) {
        const auto cost = [](const Plan& plan) { return plan.ns > 0 ? plan.ns : HUGE_VAL; };
        return std::pair(cost(one), one.workspace_bytes) < std::pair(cost(other), other.workspace_bytes);
    });
}

// The plans of all variants that `fastest` may use, the best estimate first. (For large products of a batch, `batched`
// is a kernel of another variant.)
inline Plans fastest_plans(const ProductProblem& problem) {
    std::set<std::string> kernels;
    Plans all;
    for (auto variant = std::rbegin(matmul_variants); variant != std::rend(matmul_variants); ++variant) {
        if (!variant->for_fastest || (!problem.forced_tile.empty() && !variant->has_tiles)) continue;
        for (Plan& plan : plans_of_any_tile(*variant, problem))
            if ((problem.forced_tile.empty() || is_named(plan, problem.forced_tile)) &&
                kernels.insert(plan.row + plan.name().substr(std::string(plan.variant).size())).second)
                all.push_back(std::move(plan));
    }
    sort_by_estimate(all);
    return all;
}

// The plan that a variant takes without measuring: the one that was measured earlier, else the best estimate. None if
// the variant has none.
inline Plan find_plan(const MatmulVariant& variant, const ProductProblem& problem) {
    Plans plans = plans_of(variant, problem);
    if (plans.empty()) return {};
    if (variant.plans == fastest_plans && problem.wisdom) {
        const std::string known = problem.wisdom->plan_of(wisdom_key(problem));
        for (Plan& plan : plans)
            if (plan.name() == known) return std::move(plan);
    }
    sort_by_estimate(plans);
    return std::move(plans.front());
}

// Why a variant has no plan for a product, and what to do.
inline std::string why_not(const ProductProblem& problem, const MatmulVariant& variant) {
    const std::string type = name_of(problem.dtype);
    const size_t products = problem.form.products();
    if (variant.plans == batched_plans && products < 2) return "it is for --batch 2 or more";
    if (variant.plans && variant.plans == cublasxt_plans) return "it is for --gang without files";
    if (products > most_launched_one_by_one && variant.plans) {
        ProductProblem one = problem;
        one.form.batch.reset();
        if (find_plan(variant, one).launch)
            return text("it takes a launch for each of {} products, and {} at most; choose another --kernel", products,
                        most_launched_one_by_one);
    }
    const bool is_hopper =
        variant.plans && (variant.plans == any_hopper_plans || variant.plans == float8_fast_accum_plans);
    if (is_float8(problem.dtype) && is_hopper && problem.hopper)
        return "it needs n and k that are multiples of 16; choose such a --size, or another --kernel";
    if (variant.plans == thin_plans)
        return text(
            "{} has more than {} rows and columns, more than {} steps along k, and too many products to add up; choose "
            "another --kernel",
            problem.shape.name(), few_rows, few_steps);
    return text("it does not run here for {}; choose another --dtype or --kernel", type);
}

}  // namespace BACKEND
