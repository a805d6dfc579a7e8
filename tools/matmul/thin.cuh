// Thin products: few columns, few rows or few steps along k. They take as long as it takes to move their largest
// matrix.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "common/io/dtype.hpp"
#include "common/io/text.hpp"
#include "kernels/matmul/thin/columns.cuh"
#include "kernels/matmul/thin/rows.cuh"
#include "kernels/matmul/thin/steps.cuh"
#include "tools/matmul/method.cuh"

#ifndef __SIMCC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace BACKEND {

// What thin products cost in cycles, without the launch; measured on an H200.
struct ThinCost {
    static constexpr double bytes_per_cycle = 17;   // of the memory, for each multiprocessor
    static constexpr double round_cycles = 1200;    // of loads that are in flight together
    static constexpr double sharing_cycles = 4000;  // until the last block begins to add the others' sums
    double fixed;                                   // of a block: staging, adding the sums of its lanes
    double rounds;                                  // of a block, one after another
    double adding_rounds;                           // of the last block, where blocks share k; else 0
    double multiply_adds_per_cycle;                 // of a multiprocessor, where they take longer than the memory

    double cycles(const ProductShape& shape, size_t element_bytes, unsigned multiprocessors) const {
        const double moving = shape.elements() * double(element_bytes) / (bytes_per_cycle * multiprocessors),
                     multiplying = shape.flop() / 2 / (multiply_adds_per_cycle * multiprocessors);
        return fixed + std::max({moving, multiplying, rounds * round_cycles}) +
               (adding_rounds > 0 ? sharing_cycles + adding_rounds * round_cycles : 0);
    }
};

// The value for T: a 16-bit type, f32 or f64.
template <typename T>
constexpr double by_size(double of_16_bits, double of_32_bits, double of_64_bits) {
    return sizeof(T) == 2 ? of_16_bits : sizeof(T) == 4 ? of_32_bits : of_64_bits;
}

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

inline std::string thin_tile(size_t m, size_t n, size_t k, unsigned shares) {
    return text("{}x{}x{}", m, n, k) + (shares > 1 ? text("/{}", shares) : "");
}

// The rounds of adding up `sums` sums from each of `shares` shares.
template <typename T>
double adding_rounds(unsigned shares, double sums) {
    if (shares == 1) return 0;
    return double(divide_up(shares, 8)) * std::ceil(sums / (thin_block * Vector<SumOf<T>>::length));
}

template <typename T>
ProductMethod thin_method_for(const ProductProblem& problem) {
    const auto [m, n, k] = problem.shape;
    const auto multiprocessors = unsigned(problem.device->multiprocessors);
    if (m == 0 || n == 0 || k == 0) return {};
    if (n <= few_columns) {
        const FewColumnsPlan plan = plan_few_columns<T>(m, n, k, multiprocessors);
        const std::string tile = thin_tile(plan.block_rows, n, plan.share_pieces * piece_length<T>, plan.shares);
        const ThinCost cost = {3500 + 1300.0 * lanes_for(n), double(plan.share_pieces) / (plan.lanes * plan.k_warps),
                               adding_rounds<T>(plan.shares, double(plan.block_rows * n)), by_size<T>(22, 15, 9)};
        return thin_method_of<FewColumns, T>(problem, plan, tile, cost);
    }
    if (m <= few_rows) {
        const FewRowsPlan plan = plan_few_rows<T>(m, n, k, multiprocessors);
        const double ahead = m <= 2 ? few_rows_ahead<1> : few_rows_ahead<few_rows>;
        const ThinCost cost = {4000 + by_size<T>(1300, 900, 700) * lanes_for(m),
                               double(plan.share_k) / (plan.streams * ahead),
                               adding_rounds<T>(plan.shares, double(m * plan.width)), by_size<T>(47, 30, 13)};
        return thin_method_of<FewRows, T>(problem, plan, thin_tile(m, plan.width, plan.share_k, plan.shares), cost);
    }
    if (k <= few_steps) {
        const FewStepsPlan plan = plan_few_steps<T>(m, n, k, multiprocessors);
        const size_t rows = thin_block / plan.lanes * few_steps_rows * plan.rounds;
        const ThinCost cost = {4000 + by_size<T>(900, 300, 400) * double(k), 0, 0, by_size<T>(35, 33, 15)};
        return thin_method_of<FewSteps, T>(problem, plan, thin_tile(rows, plan.lanes * piece_length<T>, k, 1), cost);
    }
    return {};
}

// None if the product is not thin. tf32 is computed in f32, which is as fast here.
inline ProductMethod thin_method(const ProductProblem& problem) {
    switch (problem.dtype) {
        case DType::f32: return thin_method_for<float>(problem);
        case DType::f64: return thin_method_for<double>(problem);
#ifndef __SIMCC__
        case DType::tf32: return thin_method_for<float>(problem);
        case DType::f16: return thin_method_for<__half>(problem);
        case DType::bf16: return thin_method_for<__nv_bfloat16>(problem);
#endif
        default: return {};
    }
}

}  // namespace BACKEND
