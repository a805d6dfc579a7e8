// SPDX-License-Identifier: MIT
#pragma once
// Adding the heights of n trapezoids, and what each step of the ladder removes:
//   trapezoid_atomic          every thread adds its height to one total: n atomics, one after another
//   trapezoid_per_thread      removes all but one atomic per thread: each adds a share of the heights in a register. With
//                             one block of one thread it is the sequential program
//   trapezoid_shuffle         removes 31 of 32 atomics: a warp adds its heights in 5 steps, from lane to lane
//   trapezoid_shuffle_xor     the same from both sides: every lane ends up with the sum, for as many steps
//   trapezoid_dissemination   the same steps through shared memory, as for hardware without shuffles; every lane ends
//                             up with the sum
//   trapezoid_block           removes all but one atomic per block: one warp adds the sums of all warps
//   trapezoid_tree            removes all atomics: the blocks' sums are the leaves of the next launch's trees, and only
//                             the last sum is added to the total, so that n heights take ceil(log2 n) + 1 steps
//   trapezoid_grid_stride     removes the atomics, the clearing of the total, and most blocks: a resident grid strides
//                             over the trapezoids, and the last block collects the others' sums, which carry a tag that
//                             says they have arrived
// All: any n. trapezoid_per_thread and trapezoid_grid_stride take any grid; the others need one thread per trapezoid.
// All but the last add to *result, which the caller has set to 0; those with several atomics in no fixed order: the last
// bits differ from run to run. n, block and grid fix the order of the last two.
// Blocks of 1024 threads must be possible for any function, so the compiler is limited to 64 registers.
//
// This file and all that it includes are also compiled at run time, so they need no header of the standard library.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/mailbox.cuh"

#include <cuda_runtime.h>

#include <cstddef>

// ---- the trapezoidal rule, for every method: the integral is the sum of n heights times the width of one trapezoid

namespace BACKEND {

/// From `from` to `to` in n steps. If n is 0, there are no heights and `step` is 0.
template <typename T>
struct Trapezoids {
    size_t n;
    T from, to, step;

    /// Where the left side of trapezoid i is. It is computed with one rounding from the rounded index and step: the
    /// same number on every device and on the host.
    template <typename Index>
    __host__ __device__ T left_side(Index i) const {
        return fma(static_cast<T>(i), step, from);
    }
};

/// The height that trapezoid i adds. Neighbors share a side, so each side counts once, as the left side of its right
/// neighbor. The first and the last side count half; trapezoid 0 adds both.
template <typename T, typename Function, typename Index>
__host__ __device__ T height(const Trapezoids<T>& rule, const Function& f, Index i) {
    const T value = f(i == 0 ? rule.from : rule.left_side(i));
    return i == 0 ? T(0.5) * (value + f(rule.to)) : value;
}

/// The operator for warp_reduce() and block_reduce().
template <typename T>
struct Addition {
    static constexpr bool has_warp_instruction = false;
    __device__ constexpr T identity() const { return T(0); }
    __device__ constexpr T combine(T a, T b) const { return a + b; }
};

/// The height of the thread's trapezoid, or 0 for a thread beyond the last one.
template <typename T, typename Chosen>
__device__ T own_height(const Trapezoids<T>& rule, const Chosen& integrand) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    T value = 0;
    if (i < rule.n) integrand.apply([&](const auto& f) { value = height(rule, f, i); });
    return value;
}

// ---- the kernels

/// Any block size.
template <typename T, typename Chosen>
__global__ void __launch_bounds__(largest_block, 1) trapezoid_atomic(Trapezoids<T> rule, Chosen integrand, T* result) {
    const T value = own_height(rule, integrand);
    if (static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x < rule.n) atomicAdd(result, value);
}

/// Any block size and grid.
template <typename T, typename Chosen>
__global__ void __launch_bounds__(largest_block, 1)
    trapezoid_per_thread(Trapezoids<T> rule, Chosen integrand, T* result) {
    const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    T sum = 0;
    integrand.apply([&](const auto& f) {
        for (size_t i = first; i < rule.n; i += threads) sum += height(rule, f, i);
    });
    if (first < rule.n) atomicAdd(result, sum);
}

/// Block size a multiple of 32.
template <typename T, typename Chosen>
__global__ void __launch_bounds__(largest_block, 1) trapezoid_shuffle(Trapezoids<T> rule, Chosen integrand, T* result) {
    const T sum = warp_reduce(Addition<T>{}, own_height(rule, integrand));
    if (threadIdx.x % lanes_per_warp == 0) atomicAdd(result, sum);
}

/// Block size a multiple of 32. Two lanes exchange their sums, so both have the sum of the two.
template <typename T, typename Chosen>
__global__ void __launch_bounds__(largest_block, 1)
    trapezoid_shuffle_xor(Trapezoids<T> rule, Chosen integrand, T* result) {
    T sum = own_height(rule, integrand);
#pragma unroll
    for (unsigned distance = lanes_per_warp / 2; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffU, sum, distance);
    if (threadIdx.x % lanes_per_warp == 0) atomicAdd(result, sum);
}

/// Block size a multiple of 32; one T of dynamic shared memory per thread.
template <typename T, typename Chosen>
__global__ void __launch_bounds__(largest_block, 1)
    trapezoid_dissemination(Trapezoids<T> rule, Chosen integrand, T* result) {
    T* values = dynamic_shared<T>() + threadIdx.x / lanes_per_warp * lanes_per_warp;
    const unsigned lane = threadIdx.x % lanes_per_warp;
    T sum = own_height(rule, integrand);
#pragma unroll
    for (unsigned distance = lanes_per_warp / 2; distance > 0; distance /= 2) {
        values[lane] = sum;
        __syncwarp();  // all sums of this step are in shared memory
        const T others = values[(lane + distance) % lanes_per_warp];
        __syncwarp();  // they have been read before the next step overwrites them
        sum += others;
    }
    if (lane == 0) atomicAdd(result, sum);
}

/// Block size a multiple of 32.
template <typename T, typename Chosen>
__global__ void __launch_bounds__(largest_block, 1) trapezoid_block(Trapezoids<T> rule, Chosen integrand, T* result) {
    const T sum = block_reduce(Addition<T>{}, own_height(rule, integrand));
    if (threadIdx.x == 0) atomicAdd(result, sum);
}

/// A block's sum: where there are other blocks, for the next launch; the last one of all is added to the total.
template <typename T>
__device__ void hand_on(T sum, T* sums, T* result) {
    if (threadIdx.x != 0) return;
    if (gridDim.x > 1) sums[blockIdx.x] = sum;
    else *result += sum;
}

/// Block size a multiple of 32. sums: one for each block, if there are several.
template <typename T, typename Chosen>
__global__ void __launch_bounds__(largest_block, 1)
    trapezoid_tree(Trapezoids<T> rule, Chosen integrand, T* result, T* sums) {
    hand_on(block_reduce(Addition<T>{}, own_height(rule, integrand)), sums, result);
}

/// The same for the n sums of a launch before.
template <typename T>
__global__ void trapezoid_tree_of_sums(const T* sums_before, unsigned n, T* result, T* sums) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    hand_on(block_reduce(Addition<T>{}, i < n ? sums_before[i] : T(0)), sums, result);
}

/// A float represents exactly every index below this, and every multiple of it by up to this factor.
constexpr size_t exact_indices = size_t{1} << 24;

/// The sum of every grid_stride-th height, from the thread's own on. Converting an integer index would cost more than
/// everything else for a simple function, so indices are counted in floating point. A float counts exactly only up to
/// 2^24: beyond, a second float holds the rest, and their sum is rounded as a conversion would round it.
template <typename T, typename Function>
__device__ T grid_stride_sum(const Trapezoids<T>& rule, const Function& f) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned grid_stride = gridDim.x * blockDim.x;
    T sum = thread == 0 && rule.n > 0 ? height(rule, f, 0U) : T(0);
    for (size_t origin = 0; origin < rule.n; origin += exact_indices) {
        const size_t left = rule.n - origin;
        const unsigned end = static_cast<unsigned>(left < exact_indices ? left : exact_indices);
        const unsigned first = origin == 0 && thread == 0 ? grid_stride : thread;  // the sum has height 0 already
        const unsigned turns = first < end ? (end - first - 1) / grid_stride + 1 : 0;
        if constexpr (sizeof(T) == sizeof(float)) {
            const T rest = static_cast<T>(origin);
            T index = static_cast<T>(first);
#pragma unroll 4
            for (unsigned turn = 0; turn < turns; ++turn) {
                sum += f(fma(rest + index, rule.step, rule.from));
                index += static_cast<T>(grid_stride);
            }
        } else {
            T index = static_cast<T>(origin + first);
#pragma unroll 4
            for (unsigned turn = 0; turn < turns; ++turn) {
                sum += f(fma(index, rule.step, rule.from));
                index += static_cast<T>(grid_stride);
            }
        }
    }
    return sum;
}

/// Block size a multiple of 32, at most 2^24 threads in the grid. boxes: one for every block but the last; empty before
/// the launch, and again after it.
template <typename T, typename Chosen>
__global__ void __launch_bounds__(largest_block, 1)
    trapezoid_grid_stride(Trapezoids<T> rule, Chosen integrand, T* result, Mailbox<T>* boxes) {
    const unsigned last_block = gridDim.x - 1;
    T sum = 0;
    integrand.apply([&](const auto& f) { sum = grid_stride_sum(rule, f); });
    if (blockIdx.x == last_block) sum = collect(sum, boxes, threadIdx.x, blockDim.x, last_block, Addition<T>{});
    sum = block_reduce(Addition<T>{}, sum);
    if (threadIdx.x != 0) return;
    if (blockIdx.x == last_block) *result = sum;
    else put_into(&boxes[blockIdx.x], Mailbox<T>::holding(sum));
}

}  // namespace BACKEND
