// Divides a product of few rows: blocks of one or two warps' columns, whose warps or whose cluster share k.
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/matmul/thin/cost.cuh"
#include "kernels/matmul/thin/rows.cuh"
#include "tools/matmul/product_cost.cuh"

namespace BACKEND {

// What a plan costs in cycles, without the launch. (Fitted to 12000 timings of 535 products in f32, f64 and bf16 on an
// H100, weighted by how near a plan is to the product's best. The plan that it chooses takes 2.8 % longer than the
// best, on average.)
struct FewRowsCost {
    static constexpr double fixed = 4215, of_row = 398;
    static constexpr double round = 1061;         // of loads that a warp has in flight together
    static constexpr double wave = 2580;          // of blocks, after the first
    static constexpr double visible_part = 0.71;  // of the shorter of waiting for rounds and reading
    static constexpr double bytes_per_cycle = 20.5, of_busiest = 47.6;  // for each multiprocessor; of one alone
    static constexpr double sharing = 1970, of_share = 93;

    template <typename T>
    static double cycles(const FewRowsPlan& plan, const DeviceModel& device) {
        constexpr double lanes = 128, of_load = by_size<T>(1.33, 0.4, 0.4),
                         of_multiply_add = by_size<T>(1.18, 1.18, 2.36);
        const size_t blocks = size_t{plan.tiles} * plan.shares,
                     at_once = device.blocks_at_once(plan.shares, few_rows_resident<T>(plan.m, plan.warps)),
                     waves = divide_up(blocks, at_once),
                     of_each = std::max(waves, divide_up(blocks, device.multiprocessors));  // of the busiest
        const double rounds = double(plan.share_k) * plan.column_warps / (plan.warps * few_rows_in_flight),
                     rows = few_rows_computed(plan.m),
                     elements_of_busiest = double(of_each) * plan.width * double(plan.share_k),
                     bytes = double(plan.n) * double(plan.k) * sizeof(T),
                     waiting = (round * rounds + wave) * double(waves) - wave,
                     reading = std::max(bytes / (bytes_per_cycle * device.memory_speed * device.multiprocessors),
                                        elements_of_busiest * sizeof(T) / of_busiest),
                     multiplying = elements_of_busiest * (of_load + of_multiply_add * rows) / lanes;
        return fixed + of_row * rows + overlapped(waiting, reading, visible_part) + multiplying +
               (plan.shares > 1 ? sharing + of_share * plan.shares : 0);
    }
};

// The plan that takes the fewest cycles. Without clusters, blocks do not share k.
template <typename T>
FewRowsPlan plan_few_rows(size_t m, size_t n, size_t k, const DeviceModel& device, bool has_clusters) {
    FewRowsPlan best;
    double fewest = HUGE_VAL;
    for (const unsigned warps : {few_rows_warps, few_rows_warps / 2})
        for (const unsigned column_warps : {1U, 2U})
            for (unsigned shares = 1; shares <= (has_clusters ? few_rows_shares : 1); ++shares) {
                const FewRowsPlan plan = few_rows_plan<T>(m, n, k, warps, column_warps, shares);
                if (plan.shares != shares) continue;  // another number of shares has this plan
                if (shares > 1 && size_t{shares} * m * plan.width > few_rows_gathered<T>) continue;
                const double cycles = FewRowsCost::cycles<T>(plan, device);
                if (cycles < fewest) fewest = cycles, best = plan;
            }
    return best;
}

}  // namespace BACKEND
