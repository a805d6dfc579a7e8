// SPDX-License-Identifier: MIT
#pragma once
// C = A B where all three are small: the product takes little longer than a launch and one round trip to memory.
//   matmul_lane_dots   a few lanes compute an element of C, or several warps if k is long: eight loads of A and of B
//                      are in flight in each lane, then shuffles add the lanes' sums. Up to a warp there is no shared
//                      memory and no barrier: neither would pay for itself
// Any m, n and k with few multiply-adds: every element of C loads its row of A and its column of B again.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// How the work is divided: `lanes`, a power of two up to 512, compute one element of C.
struct LaneDotsPlan {
    unsigned elements = 0, n = 0, k = 0, lanes = 1;
};

constexpr unsigned lane_dots_block = 128, most_dots_lanes = 512;  // of a block, and of an element
constexpr unsigned lane_dots_in_flight = 8;                       // a lane's loads of A, and of B

/// Whether the kernel may pay: at most 2^19 multiply-adds or, for few elements of C, 2^22.
constexpr bool suits_lane_dots(double elements, double steps) {
    constexpr double most = 1 << 19, most_of_few = 1 << 22, few_elements = 1 << 13;
    return elements * steps <= (elements < few_elements ? most_of_few : most);
}

/// What a plan costs in cycles, without the launch. (Fitted to 712 products of three types on an H100, the root of the
/// mean square error 8 %.)
struct LaneDotsCost {
    static constexpr double fixed = 3220;
    static constexpr double starting = 1.54;   // a lane, for each multiprocessor
    static constexpr double line = 0.24;       // a line of the L1 cache that a load of B touches, likewise
    static constexpr double l2_sector = 0.92;  // added for a sector that the L1 cache does not hold
    static constexpr double barrier = 1040;
    /// Of loads; in f64 shorter for one or two steps along k (set by hand for ten products).
    static constexpr double round(size_t element_bytes, unsigned k) {
        return element_bytes < 8 ? 1840 : k <= 2 ? 1600 : 2540;
    }

    // Without the fixed ones.
    static double busy(const LaneDotsPlan& plan, size_t element_bytes, unsigned multiprocessors) {
        constexpr size_t sector_bytes = 32, line_bytes = 128;
        // The lanes of a warp that work on one element load a column of B; neighbors work on neighboring columns.
        const unsigned of_element = plan.lanes < lanes_per_warp ? plan.lanes : lanes_per_warp;
        const size_t row_bytes = lanes_per_warp / of_element * element_bytes;  // of a warp's load
        const auto touched = [&](size_t piece_bytes) {
            const size_t of_rows = of_element * divide_up(row_bytes, piece_bytes),
                         all = divide_up(of_element * plan.n * element_bytes, piece_bytes);
            return double(of_rows < all ? of_rows : all);
        };
        const double rounds = double(divide_up(plan.k, plan.lanes * lane_dots_in_flight)),
                     lanes_of_each = double(plan.elements) * plan.lanes / multiprocessors,
                     loads_of_each = double(plan.elements) * plan.k / lanes_per_warp / multiprocessors;  // of warps
        const unsigned block_elements = plan.lanes < lane_dots_block ? lane_dots_block / plan.lanes : 1;
        // Those that work on different columns, which are neighbors.
        const size_t warps_side_by_side =
            plan.lanes < lanes_per_warp ? lane_dots_block / lanes_per_warp : block_elements;
        const double first_part = double(divide_up(block_elements * element_bytes, sector_bytes)) /
                                  double(warps_side_by_side * divide_up(row_bytes, sector_bytes));
        // A sector comes from L2 for the first warp of a block that loads it, but not more often than B has sectors.
        const double first_loads = touched(sector_bytes) * loads_of_each * (first_part < 1 ? first_part : 1),
                     of_b = double(plan.k) * double(plan.n * element_bytes) / sector_bytes;
        return round(element_bytes, plan.k) * rounds + starting * lanes_of_each +
               line * touched(line_bytes) * loads_of_each + l2_sector * (first_loads < of_b ? first_loads : of_b) +
               (plan.lanes > lanes_per_warp ? barrier : 0);
    }
};

/// The plan that takes the fewest cycles.
inline LaneDotsPlan plan_lane_dots(size_t m, size_t n, size_t k, size_t element_bytes, unsigned multiprocessors) {
    LaneDotsPlan plan{static_cast<unsigned>(m * n), static_cast<unsigned>(n), static_cast<unsigned>(k)}, best = plan;
    const auto busy = [&](const LaneDotsPlan& of) { return LaneDotsCost::busy(of, element_bytes, multiprocessors); };
    for (; plan.lanes <= most_dots_lanes; plan.lanes *= 2)
        if (busy(plan) < busy(best)) best = plan;
    return best;
}

/// Grid ceil(m n lanes / block); block: 128, or the lanes of an element if those are more.
template <typename T>
__global__ void __launch_bounds__(most_dots_lanes) matmul_lane_dots(const T* a, const T* b, T* c, LaneDotsPlan plan) {
    using Sum = SumOf<T>;
    constexpr unsigned in_flight = lane_dots_in_flight;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned element = thread / plan.lanes, lane = thread % plan.lanes;
    Sum sum = 0;
    if (element < plan.elements) {
        const T* const of_a = a + size_t{element / plan.n} * plan.k;
        const T* const of_b = b + element % plan.n;
        for (unsigned first = lane; first < plan.k; first += in_flight * plan.lanes) {
            T left[in_flight], right[in_flight];
#pragma unroll
            for (unsigned i = 0; i < in_flight; ++i) {
                const unsigned step = first + i * plan.lanes, there = step < plan.k ? step : first;
                left[i] = of_a[there];
                right[i] = of_b[there * plan.n];
            }
#pragma unroll
            for (unsigned i = 0; i < in_flight; ++i)
                if (first + i * plan.lanes < plan.k) sum += static_cast<Sum>(left[i]) * static_cast<Sum>(right[i]);
        }
    }
    for (unsigned distance = (plan.lanes < lanes_per_warp ? plan.lanes : lanes_per_warp) / 2; distance > 0;
         distance /= 2)
        sum += __shfl_xor_sync(0xffffffffU, sum, static_cast<int>(distance));
    if (plan.lanes > lanes_per_warp) {
        __shared__ Sum of_warps[most_dots_lanes / lanes_per_warp];
        if (threadIdx.x % lanes_per_warp == 0) of_warps[threadIdx.x / lanes_per_warp] = sum;
        __syncthreads();  // the sums of all warps are in shared memory
        for (unsigned warp = 1; lane == 0 && warp < plan.lanes / lanes_per_warp; ++warp)
            sum += of_warps[threadIdx.x / lanes_per_warp + warp];
    }
    if (lane == 0 && element < plan.elements) c[element] = static_cast<T>(sum);
}

template <typename T>
struct LaneDots {
    static size_t workspace_bytes(const LaneDotsPlan&) { return 0; }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const LaneDotsPlan& plan) {
        const dim3 block(plan.lanes > lane_dots_block ? plan.lanes : lane_dots_block),
            grid(grid_for(size_t{plan.elements} * plan.lanes, block.x));
        matmul_lane_dots<<<grid, block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, plan);
        return {grid, block, 0, address_of(matmul_lane_dots<T>)};
    }
};

}  // namespace BACKEND
