// SPDX-License-Identifier: MIT
// Chooses how a product of few rows is divided: among one or two warps side by side in a block, warps along k, and
// perhaps blocks along k.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/matmul/thin/cost.cuh"
#include "kernels/matmul/thin/rows.cuh"
#include "tools/matmul/plan/plan.cuh"

namespace BACKEND {

// What a plan costs in cycles, without the launch. (Fitted to 8800 timings of 524 products in f32, f64 and bf16 on an
// H100, weighted by how near a plan is to the product's best. The plan that it chooses takes 3 % longer than the best,
// on average, as it does on an H200.)
struct FewRowsCost {
    static constexpr double fixed = 4215, of_row = 398;     // whatever the work; for each row of C that is computed
    static constexpr double round = 1061;                   // of loads that a warp has in flight together
    static constexpr double wave = 2580;                    // of blocks, after the first
    static constexpr double visible_part = 0.71;            // of the shorter of waiting for rounds and reading
    static constexpr double bytes_per_cycle = 20.5;         // of an H200's memory, for each multiprocessor
    static constexpr double most_bytes_per_cycle = 47.6;    // that one multiprocessor reads
    static constexpr double sharing = 1970, of_share = 93;  // if blocks share k; for each of them
    static constexpr double without_clusters = 2000;        // more, if they are no cluster (an estimate)

    template <typename T>
    static double cycles(const FewRowsPlan& plan, const ProductProblem& problem) {
        const auto multiprocessors = unsigned(problem.device->multiprocessors);
        constexpr double units = 128,  // of a multiprocessor, for multiply-adds
            of_load = by_size<T>(1.33, 0.4, 0.4), of_multiply_add = by_size<T>(1.18, 1.18, 2.36);
        const size_t blocks = size_t{plan.tiles} * plan.shares,
                     at_once = blocks_at_once(problem, plan.clusters ? plan.shares : 1,
                                              few_rows_resident<T>(plan.m, plan.warps)),
                     waves = divide_up(blocks, at_once),
                     blocks_of_busiest = std::max(waves, divide_up(blocks, multiprocessors)),
                     multiplied_k = std::min(plan.share_k, divide_up(plan.k, few_rows_round) * few_rows_round);
        const double rounds = double(plan.share_k) * plan.column_warps / (plan.warps * few_rows_round),
                     rows = few_rows_computed(plan.m),
                     elements_of_busiest = double(blocks_of_busiest) * plan.width * double(multiplied_k),
                     bytes = double(plan.n) * double(plan.k) * sizeof(T),
                     waiting = (round * rounds + wave) * double(waves) - wave,
                     reading = std::max(bytes / (bytes_per_cycle * memory_speed(*problem.device) * multiprocessors),
                                        elements_of_busiest * sizeof(T) / most_bytes_per_cycle),
                     multiplying = elements_of_busiest * (of_load + of_multiply_add * rows) / units,
                     adding = plan.shares == 1
                                  ? 0
                                  : sharing + of_share * plan.shares + (plan.clusters ? 0 : without_clusters);
        return fixed + of_row * rows + std::max(waiting, reading) + visible_part * std::min(waiting, reading) +
               multiplying + adding;
    }
};

// The plan that takes the fewest cycles. More blocks can share k if they are no cluster.
template <typename T>
FewRowsPlan plan_few_rows(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const unsigned multiprocessors = unsigned(problem.device->multiprocessors);
    const bool has_clusters = problem.hopper;
    constexpr unsigned most_shares = 64;  // without clusters
    FewRowsPlan best;
    double fewest = HUGE_VAL;
    const auto consider = [&](const FewRowsPlan& plan) {
        const double cycles = FewRowsCost::cycles<T>(plan, problem);
        if (cycles < fewest) fewest = cycles, best = plan;
    };
    for (const unsigned warps : {few_rows_warps, few_rows_warps / 2})
        for (const unsigned column_warps : {1U, 2U})
            for (unsigned shares = 1; shares <= most_shares; ++shares) {
                const auto divided = [&, m = m, n = n, k = k](bool clusters) {
                    return divide_few_rows<T>(m, n, k, warps, column_warps, shares, clusters);
                };
                const FewRowsPlan plan = divided(false);
                if (plan.shares != shares) continue;  // fewer shares are the same plan
                // There is a ticket per multiprocessor.
                if (shares == 1 || plan.tiles <= multiprocessors) consider(plan);
                const bool gathers = size_t{shares} * plan.m * plan.width <= few_rows_gathered<T>;
                if (has_clusters && shares > 1 && shares <= few_rows_cluster && gathers) consider(divided(true));
            }
    return best;
}

}  // namespace BACKEND
