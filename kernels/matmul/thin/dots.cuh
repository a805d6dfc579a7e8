#pragma once
// C = A B where all three are small: the product takes little longer than a launch and one round trip to memory.
//   matmul_lane_dots   a few lanes compute an element of C: all their loads are in flight at once, then shuffles add
//                      their sums. No shared memory and no barrier: neither would pay for itself
// Any m, n and k with few multiply-adds: every element of C loads its row of A and its column of B again.
#include "common/cuda/launch_shape.cuh"
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/thin/pieces.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// How the work is divided: `lanes`, a power of two, compute one element of C.
struct LaneDotsPlan {
    unsigned elements = 0, n = 0, k = 0, lanes = 1;
};

constexpr unsigned lane_dots_block = 128, lane_dots_in_flight = 8;  // a lane's loads of A, and of B
constexpr size_t most_lane_dots = size_t{1} << 19;                  // m n k

inline LaneDotsPlan plan_lane_dots(size_t m, size_t n, size_t k) {
    return {static_cast<unsigned>(m * n), static_cast<unsigned>(n), static_cast<unsigned>(k),
            lanes_for(divide_up(k, lane_dots_in_flight))};
}

/// Grid ceil(m n lanes / 128), block 128.
template <typename T>
__global__ void __launch_bounds__(lane_dots_block) matmul_lane_dots(const T* a, const T* b, T* c, LaneDotsPlan plan) {
    using Sum = SumOf<T>;
    constexpr unsigned in_flight = lane_dots_in_flight;
    const unsigned thread = blockIdx.x * lane_dots_block + threadIdx.x;
    const unsigned element = thread / plan.lanes, lane = thread % plan.lanes;
    Sum sum = 0;
    if (element < plan.elements) {
        const T* const of_a = a + element / plan.n * plan.k;
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
    for (unsigned distance = plan.lanes / 2; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffU, sum, static_cast<int>(distance));
    if (lane == 0 && element < plan.elements) c[element] = static_cast<T>(sum);
}

template <typename T>
struct LaneDots {
    static size_t workspace_bytes(const LaneDotsPlan&) { return 0; }

    static LaunchShape enqueue(const MatmulArguments<T>& arguments, const LaneDotsPlan& plan) {
        const dim3 grid(grid_for(size_t{plan.elements} * plan.lanes, lane_dots_block)), block(lane_dots_block);
        matmul_lane_dots<<<grid, block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, plan);
        return {grid, block, 0, address_of(matmul_lane_dots<T>)};
    }
};

}  // namespace BACKEND
