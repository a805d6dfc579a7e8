// SPDX-License-Identifier: MIT
#pragma once
// Reduce-scatter and all-gather in one pass: the device that combines a share stores it into all outputs.
#include "kernels/collective/signals.cuh"

namespace BACKEND {

constexpr unsigned two_shot_vectors = 4;  // in flight per thread and rank

/// Combines vectors first, first + stride, ... of the ranks' inputs in rank order and stores them into all outputs.
template <unsigned count, typename T>
__device__ __forceinline__ void combine_to_all(const AllReduceArguments<T>& all, size_t first, size_t stride) {
    using V = Vector<T>;
    Partials<T, V::length> partials[count];
    for (unsigned r = 0; r < all.ranks; ++r) {
        const auto* const vectors = reinterpret_cast<const V*>(all.inputs.of[r]) + first;
        V seen[count];
#pragma unroll
        for (unsigned k = 0; k < count; ++k) seen[k] = load_vector(vectors + k * stride);
#pragma unroll
        for (unsigned k = 0; k < count; ++k) {
            if (r == 0) partials[k].set(seen[k].values);
            else partials[k].add(all.reduction, seen[k].values);
        }
    }
    V results[count];
#pragma unroll
    for (unsigned k = 0; k < count; ++k) partials[k].finish(all.reduction, all.ranks, results[k].values);
    for (unsigned turn = 0; turn < all.ranks; ++turn) {  // each begins with its own, so that no link is congested
        const unsigned r = (all.rank + turn) % all.ranks;
        auto* const vectors = reinterpret_cast<V*>(all.outputs.of[r]) + first;
#pragma unroll
        for (unsigned k = 0; k < count; ++k) store_vector_global(vectors + k * stride, results[k]);
    }
}

/// Any n and grid, whole warps, the same on all devices. Only the owner of a share reads it, and does so before it
/// stores there, so outputs may be inputs.
template <typename T>
__global__ void __launch_bounds__(most_block_size, 1) all_reduce_two_shot(AllReduceArguments<T> all) {
    meet(all.exchange, Phase::begin, all.rank, all.ranks, all.epoch);  // all inputs are ready, all outputs free
    const size_t vectors = all.n / Vector<T>::length;
    const size_t end = vectors / all.ranks * (all.rank + 1) + vectors % all.ranks * (all.rank + 1) / all.ranks;
    size_t i = vectors / all.ranks * all.rank + vectors % all.ranks * all.rank / all.ranks;
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
    i += thread;
    for (; i + (two_shot_vectors - 1) * threads < end; i += two_shot_vectors * threads)
        combine_to_all<two_shot_vectors>(all, i, threads);
    for (; i < end; i += threads) combine_to_all<1>(all, i, threads);
    // The last device takes the elements that do not fill a vector.
    const size_t rest = vectors * Vector<T>::length + thread;
    if (all.rank == all.ranks - 1 && rest < all.n) {
        Partials<T, 1> partial;
        for (unsigned r = 0; r < all.ranks; ++r) {
            const T element[1] = {all.inputs.of[r][rest]};
            if (r == 0) partial.set(element);
            else partial.add(all.reduction, element);
        }
        T result[1];
        partial.finish(all.reduction, all.ranks, result);
        for (unsigned r = 0; r < all.ranks; ++r) all.outputs.of[r][rest] = result[0];
    }
    meet(all.exchange, Phase::end, all.rank, all.ranks, all.epoch);  // this device's output is complete
}

template <typename T>
LaunchShape launch_two_shot(const AllReduceArguments<T>& all) {
    const unsigned block = meeting_block(all.block_size);
    const size_t share = all.n / Vector<T>::length / all.ranks;
    const unsigned grid = meeting_grid(share / two_shot_vectors + 1, block, all.multiprocessors);
    all_reduce_two_shot<<<grid, block, 0, all.stream>>>(all);
    return {dim3(grid), dim3(block), 0};
}

}  // namespace BACKEND
