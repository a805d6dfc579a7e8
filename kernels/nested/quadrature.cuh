// SPDX-License-Identifier: MIT
#pragma once
// The second case in which some of the work must be done to know what is left: the integral of a narrow peak. Few
// intervals have to be short, and which ones is known only after longer ones have been tried.
//   quadrature_even        makes all intervals as short as the shortest that is needed
//   quadrature_round       removes most intervals: a warp divides each interval of a list; those that are not exact
//                          enough form the next list, whose length the host reads before it launches the next round
//   quadrature_intervals   removes the rounds: a thread whose interval is not exact enough launches a warp to divide it
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/nested/peak.cuh"

#include <algorithm>

namespace BACKEND {

/// Any block; grid-stride over `count` intervals of this level.
__global__ void quadrature_even(QuadratureArguments of, size_t count, unsigned level) {
    __shared__ double sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();  // the sum is initialized before other threads add to it
    double own = 0;
    const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
        own += estimate_interval(of.sharpness, i, level).value;
    atomicAdd(&sum, own);
    __syncthreads();  // the block's sum is complete
    if (threadIdx.x != 0) return;
    atomicAdd(of.d_sum, sum);
    if (blockIdx.x == 0) of.d_tally->grids = 1, of.d_tally->intervals = count;
}

__device__ inline void tell_grid(const QuadratureArguments& of, unsigned depth) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    atomicAdd(&of.d_tally->grids, 1U);
    atomicMax(&of.d_tally->depth, depth);
    atomicAdd(&of.d_tally->intervals, static_cast<unsigned long long>(gridDim.x) * blockDim.x);
}

/// Called by a whole warp: adds its values to the integral.
__device__ inline void add_of_warp(const QuadratureArguments& of, double value) {
    for (unsigned distance = quadrature_parts / 2; distance > 0; distance /= 2)
        value += __shfl_down_sync(~0U, value, distance);
    if (threadIdx.x == 0) atomicAdd(of.d_sum, value);
}

__device__ inline double integrate_alone(const QuadratureArguments& of, size_t interval, unsigned level) {
    const PartsSum sum = integrate_parts(of.sharpness, of.allowed, interval, level);
    atomicAdd(&of.d_tally->intervals, sum.divided * quadrature_parts);
    return sum.value;
}

/// Block 32; grid: one block per interval of the list, or of the first level if `intervals` is null.
__global__ void __launch_bounds__(quadrature_parts)
    quadrature_round(QuadratureArguments of, const size_t* intervals, size_t* next, unsigned* count, unsigned level) {
    tell_grid(of, 0);
    const size_t i = (intervals ? intervals[blockIdx.x] : blockIdx.x) * quadrature_parts + threadIdx.x;
    const IntervalEstimate estimate = estimate_interval(of.sharpness, i, level);
    double value = estimate.value;
    if (!is_exact_enough(estimate, of.allowed, level)) {
        const unsigned place = atomicAdd(count, 1U);
        value = 0;
        if (place < quadrature_list) next[place] = i;
        else value = integrate_alone(of, i, level);  // the list is full
    }
    add_of_warp(of, value);
}

/// Block 32, any grid: one thread per interval from `first` on.
__global__ void __launch_bounds__(quadrature_parts)
    quadrature_intervals(QuadratureArguments of, size_t first, unsigned level, unsigned depth) {
    tell_grid(of, depth);
    const size_t i = first + static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const IntervalEstimate estimate = estimate_interval(of.sharpness, i, level);
    double value = estimate.value;
    if (!is_exact_enough(estimate, of.allowed, level)) {
        quadrature_intervals<<<1, quadrature_parts, 0, cudaStreamFireAndForget>>>(of, i * quadrature_parts, level + 1,
                                                                                  depth + 1);
        // The launch fails if too many are pending.
        value = cudaGetLastError() == cudaSuccess ? 0 : integrate_alone(of, i, level);
    }
    add_of_warp(of, value);
}

LaunchShape launch_quadrature_even(const QuadratureArguments& arguments) {
    constexpr size_t most_blocks = 4096;
    const size_t count = size_t{1} << (quadrature_bits * arguments.shortest);
    const auto blocks = static_cast<unsigned>(std::min(divide_up(count, arguments.block_size), most_blocks));
    const LaunchShape shape{dim3(blocks), dim3(arguments.block_size)};
    quadrature_even<<<shape.grid, shape.block, 0, arguments.stream>>>(arguments, count, arguments.shortest);
    return shape;
}

LaunchShape launch_quadrature_rounds(const QuadratureArguments& arguments) {
    unsigned count = quadrature_parts;
    const size_t* intervals = nullptr;
    for (unsigned level = quadrature_first; count > 0; ++level) {
        size_t* const next = arguments.d_lists + level % 2 * quadrature_list;
        unsigned* const d_count = arguments.d_counts + level;
        quadrature_round<<<std::min(count, quadrature_list), quadrature_parts, 0, arguments.stream>>>(
            arguments, intervals, next, d_count, level);
        CHECK(cudaMemcpyAsync(&count, d_count, sizeof count, cudaMemcpyDeviceToHost, arguments.stream));
        CHECK(cudaStreamSynchronize(arguments.stream));
        intervals = next;
    }
    return {dim3(quadrature_parts), dim3(quadrature_parts)};
}

LaunchShape launch_quadrature_intervals(const QuadratureArguments& arguments) {
    quadrature_intervals<<<quadrature_parts, quadrature_parts, 0, arguments.stream>>>(arguments, 0, quadrature_first,
                                                                                      0);
    return {dim3(quadrature_parts), dim3(quadrature_parts)};
}

}  // namespace BACKEND
