// SPDX-License-Identifier: MIT
#pragma once
// C = A B where C has one column and many rows: the time is that of reading A.
//   matmul_one_column   removes, from few_columns, the blocks that share k and B's place in shared memory: a team of
//                       threads computes two rows at once, and teams take turns along A, so that the memory is read from
//                       the beginning to the end, as a sum would read it. B is read from the L1 cache, where only B is
//                       kept if A is read in whole pieces
// Any m and k. Rows that do not begin at 16-byte boundaries are read in smaller units, more of them in flight.
#include "common/cuda/vector_access.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/packed_results.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace BACKEND {

/// How the work is divided: `team` threads, a power of two up to a warp, or a block, compute some rows together.
struct OneColumnPlan {
    size_t m = 0, k = 0;
    unsigned team = 32, blocks = 1;

    unsigned teams() const { return thin_block / team; }  // of a block
};

constexpr int one_column_rows = 2;           // of a team at once
constexpr unsigned one_column_resident = 4;  // blocks per multiprocessor

/// How many loads of a row, of `load_bytes` each, a thread has in flight. (Rows of a team that is no block are short.)
__host__ __device__ constexpr int one_column_in_flight(bool of_block, size_t load_bytes) {
    return of_block ? static_cast<int>(2 * vector_bytes / load_bytes) : load_bytes >= 8 ? 4 : 8;
}

/// How many elements are one load: the most that all rows are multiples of, up to a piece.
template <typename T>
constexpr int one_column_length(size_t k) {
    int length = piece_length<T>;
    while (k % length != 0) length /= 2;
    return length;
}

/// Calls action(length, of_block), whose values are the template arguments of a plan's kernel.
template <typename T, typename Action>
auto with_one_column(const OneColumnPlan& plan, Action action) {
    const auto with_length = [&](auto of_block) {
        const int length = one_column_length<T>(plan.k);
        if constexpr (4 < piece_length<T>)
            if (length == 8) return action(std::integral_constant<int, 8>(), of_block);
        if constexpr (2 < piece_length<T>)
            if (length == 4) return action(std::integral_constant<int, 4>(), of_block);
        if (length == 2) return action(std::integral_constant<int, 2>(), of_block);
        return action(std::integral_constant<int, 1>(), of_block);
    };
    return plan.team == thin_block ? with_length(std::true_type()) : with_length(std::false_type());
}

template <typename T>
OneColumnPlan plan_one_column(size_t m, size_t k, unsigned multiprocessors) {
    OneColumnPlan plan{m, k};
    if (k * sizeof(T) >= thin_block * vector_bytes) {
        plan.team = thin_block;
    } else {  // as few lanes as can have a whole row in flight, up to a warp, so that many rows are
        const size_t length = one_column_length<T>(k);
        plan.team = lanes_for(divide_up(k / length, size_t(one_column_in_flight(false, length * sizeof(T)))));
    }
    const size_t blocks = divide_up(m, size_t{one_column_rows} * plan.teams()),
                 most = size_t{one_column_resident} * multiprocessors;
    plan.blocks = static_cast<unsigned>(blocks < most ? blocks : most);
    return plan;
}

/// What a plan costs in cycles, without the launch. (Rates are fitted to 69 products of four types on an H100; `fixed`
/// and `round` were set by hand after 48 others.)
struct OneColumnCost {
    static constexpr double fixed = 5300, round = 1200;  // of loads, after the first

    template <typename T>
    static double cycles(const OneColumnPlan& plan, unsigned multiprocessors, double memory_speed) {
        const size_t load_bytes = one_column_length<T>(plan.k) * sizeof(T);
        // Of each multiprocessor, where the memory is an H200's: that of other devices is slower or faster.
        const double bytes_per_cycle = (load_bytes < 4 ? 13.9 : 16.6) * memory_speed;
        const size_t loads = plan.k / one_column_length<T>(plan.k);
        const bool of_block = plan.team == thin_block;
        const size_t in_flight = one_column_in_flight(of_block, load_bytes);
        const size_t rounds = divide_up(loads, plan.team * in_flight);
        return fixed + round * double(rounds > 0 ? rounds - 1 : 0) +
               double(plan.m) * double(plan.k * sizeof(T)) / (bytes_per_cycle * multiprocessors);
    }
};

/// Grid: plan.blocks; block 256. `length` elements are one load: k is a multiple of it. `of_block`: a team is a block.
template <typename T, int length, bool of_block>
__global__ void __launch_bounds__(thin_block, one_column_resident)
    matmul_one_column(const T* a, const T* b, T* c, OneColumnPlan plan) {
    using Sum = SumOf<T>;
    using Words = LoadedWords<T, length>;
    constexpr int rows = one_column_rows, in_flight = one_column_in_flight(of_block, sizeof(Words));
    __shared__ Sum of_warps[2][rows][thin_warps];  // of a block: two turns' sums
    const unsigned team = of_block ? thin_block : plan.team, place = threadIdx.x % team, lane = place % lanes_per_warp;
    const auto loads = static_cast<unsigned>(plan.k / length);
    const auto* const all_of_a = reinterpret_cast<const Words*>(a);
    const auto* const all_of_b = reinterpret_cast<const Words*>(b);
    const size_t of_turn = size_t{thin_block / team} * rows;  // rows of a block
    unsigned turn = 0;
    for (size_t first = blockIdx.x * of_turn; first < plan.m; first += gridDim.x * of_turn, turn ^= 1) {
        const size_t row = first + threadIdx.x / team * rows;
        Sum sums[rows] = {};
#pragma unroll 1
        for (unsigned at = place; at < loads; at += in_flight * team) {
            Words left[in_flight][rows], right[in_flight];
#pragma unroll
            for (int s = 0; s < in_flight; ++s) {
                const bool exists = at + s * team < loads;
                right[s] = exists ? load_neighbors<false, T, length>(all_of_b + at + s * team) : Words{};
#pragma unroll
                for (int r = 0; r < rows; ++r)
                    left[s][r] = exists && row + r < plan.m
                                     ? load_neighbors<true, T, length>(all_of_a + (row + r) * loads + at + s * team)
                                     : Words{};
            }
#pragma unroll
            for (int s = 0; s < in_flight; ++s) {
                const auto of_b = neighbors_of<T, length>(right[s]);
#pragma unroll
                for (int r = 0; r < rows; ++r) {
                    const auto of_a = neighbors_of<T, length>(left[s][r]);
#pragma unroll
                    for (int e = 0; e < length; ++e)
                        sums[r] += static_cast<Sum>(of_a.values[e]) * static_cast<Sum>(of_b.values[e]);
                }
            }
        }
#pragma unroll
        for (int r = 0; r < rows; ++r)
            for (unsigned distance = (of_block ? lanes_per_warp : team) / 2; distance > 0; distance /= 2)
                sums[r] += __shfl_xor_sync(0xffffffffU, sums[r], static_cast<int>(distance));
        if constexpr (of_block) {
#pragma unroll
            for (int r = 0; r < rows; ++r)
                if (lane == 0) of_warps[turn][r][threadIdx.x / lanes_per_warp] = sums[r];
            __syncthreads();  // all warps' sums are there, and those of the turn before have been read
            if (place >= rows || row + place >= plan.m) continue;
            Sum total = 0;
#pragma unroll
            for (int w = 0; w < thin_warps; ++w) total += of_warps[turn][place][w];
            c[row + place] = static_cast<T>(total);
        } else {
#pragma unroll
            for (int r = 0; r < rows; ++r)
                if (place == 0 && row + r < plan.m) c[row + r] = static_cast<T>(sums[r]);
        }
    }
}

template <typename T>
struct OneColumn {
    static size_t workspace_bytes(const OneColumnPlan&) { return 0; }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const OneColumnPlan& plan) {
        return with_one_column<T>(plan, [&](auto length, auto of_block) {
            const dim3 grid(plan.blocks), block(thin_block);
            const auto kernel = matmul_one_column<T, length(), of_block()>;
            kernel<<<grid, block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, plan);
            return LaunchShape{grid, block, 0, address_of(kernel)};
        });
    }
};

}  // namespace BACKEND
