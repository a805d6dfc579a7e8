// SPDX-License-Identifier: MIT
#pragma once
// Each device combines all inputs by itself, from copies that stay valid until the launch after the next.
#include "kernels/collective/signals.cuh"

namespace BACKEND {

/// Any n and grid, whole warps, the same on all devices; n elements fit into copy_vectors. Block b reads only what the
/// devices' blocks b have copied. A device overwrites the copy of two launches ago. That is safe: it met all others in
/// the last launch, which they began after they had read that copy. Outputs may be inputs.
template <typename T>
__global__ void __launch_bounds__(most_block_size, 1) all_reduce_one_shot(AllReduceArguments<T> all) {
    using V = Vector<T>;
    const size_t vectors = all.n / V::length, rest = all.n % V::length;
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
    const size_t half = (all.epoch & 1) * all.exchange.copy_vectors;
    const auto copy_of = [&](unsigned r) { return reinterpret_cast<V*>(all.exchange.copies.of[r] + half); };

    const T* const input = all.inputs.of[all.rank];
    V* const own = copy_of(all.rank);
    for (size_t i = thread; i < vectors; i += threads) own[i] = load_vector(reinterpret_cast<const V*>(input) + i);
    if (thread < rest) own[vectors].values[thread] = input[vectors * V::length + thread];
    meet(all.exchange, Phase::begin, all.rank, all.ranks, all.epoch);

    T* const output = all.outputs.of[all.rank];
    for (size_t i = thread; i < vectors; i += threads) {
        V seen[most_peers];
#pragma unroll
        for (unsigned r = 0; r < most_peers; ++r)  // all in flight before the first is used
            if (r < all.ranks) seen[r] = load_vector(copy_of(r) + i);
        Partials<T, V::length> partials;
        partials.set(seen[0].values);
#pragma unroll
        for (unsigned r = 1; r < most_peers; ++r)
            if (r < all.ranks) partials.add(all.reduction, seen[r].values);
        V result;
        partials.finish(all.reduction, all.ranks, result.values);
        store_vector_global(reinterpret_cast<V*>(output) + i, result);
    }
    if (thread < rest) {
        Partials<T, 1> partial;
        for (unsigned r = 0; r < all.ranks; ++r) {
            const T element[1] = {copy_of(r)[vectors].values[thread]};
            if (r == 0) partial.set(element);
            else partial.add(all.reduction, element);
        }
        T result[1];
        partial.finish(all.reduction, all.ranks, result);
        output[vectors * V::length + thread] = result[0];
    }
}

template <typename T>
LaunchShape launch_one_shot(const AllReduceArguments<T>& all) {
    const unsigned block = meeting_block(all.block_size);
    const unsigned grid = meeting_grid(all.n / Vector<T>::length + 1, block, all.multiprocessors);
    all_reduce_one_shot<<<grid, block, 0, all.stream>>>(all);
    return {dim3(grid), dim3(block), 0};
}

}  // namespace BACKEND
