// SPDX-License-Identifier: MIT
#pragma once
// Elements travel with tags, as in NCCL's LL protocol (Hu et al., Demystifying NCCL, 2025): only one store across a
// link separates one device's input from another's sum.
#include "kernels/collective/signals.cuh"

namespace BACKEND {

constexpr unsigned most_lines = 1u << 16;  // per rank and round

/// Words in the lines that a device has for one of the two parities of a tag.
__host__ __device__ constexpr size_t line_words(unsigned ranks) { return size_t{2} * most_lines * ranks; }

/// Any n; the grid has at most most_lines threads, the same on all devices. In each round a thread sends a line to
/// every device and receives theirs; the round's epoch is the tag. A line overwrites the one of two rounds ago. That is
/// safe: a peer whose line of the round in between has arrived has already read the older one. Hence every thread sends
/// in all rounds of a launch or in none.
/// Outputs may be inputs. At most `most_ranks` ranks: with few, the code is short, and code length is latency, too.
template <typename T, unsigned most_ranks>
__global__ void __launch_bounds__(most_block_size, 1)
    all_reduce_low_latency(AllReduceArguments<T> all, unsigned rounds) {
    constexpr unsigned length = 8 / sizeof(T);
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t threads = static_cast<size_t>(gridDim.x) * blockDim.x;
    if (thread * length >= all.n) return;
    const T* const input = all.inputs.of[all.rank];
    T* const output = all.outputs.of[all.rank];
    const auto words_of = [&](unsigned to, unsigned from, unsigned tag) {
        return all.exchange.lines.of[to] + (tag & 1) * line_words(all.ranks) + 2 * (size_t{most_lines} * from + thread);
    };
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned tag = all.epoch + round;
        const size_t first = (round * threads + thread) * length;
        T elements[length] = {};
#pragma unroll
        for (unsigned k = 0; k < length; ++k)
            if (first + k < all.n) elements[k] = input[first + k];
        unsigned bits[2];
        memcpy(bits, elements, sizeof bits);
        const Line own = Line::holding(bits, tag);
#pragma unroll
        for (unsigned r = 0; r < most_ranks; ++r)
            if (r < all.ranks && r != all.rank) store_line(words_of(r, all.rank, tag), own);

        Line seen[most_ranks];
        bool all_are_there;
        do {
            all_are_there = true;
#pragma unroll
            for (unsigned r = 0; r < most_ranks; ++r)
                if (r < all.ranks && r != all.rank) seen[r] = load_line(words_of(all.rank, r, tag));
#pragma unroll
            for (unsigned r = 0; r < most_ranks; ++r)
                if (r < all.ranks && r != all.rank) all_are_there = all_are_there && seen[r].has(tag);
        } while (!all_are_there && look_again());

        Partials<T, length> partials;
#pragma unroll
        for (unsigned r = 0; r < most_ranks; ++r) {
            if (r >= all.ranks) continue;
            if (r != all.rank) {
                bits[0] = static_cast<unsigned>(seen[r].words[0]);
                bits[1] = static_cast<unsigned>(seen[r].words[1]);
            } else {
                bits[0] = static_cast<unsigned>(own.words[0]);
                bits[1] = static_cast<unsigned>(own.words[1]);
            }
            T theirs[length];
            memcpy(theirs, bits, sizeof bits);
            if (r == 0) partials.set(theirs);
            else partials.add(all.reduction, theirs);
        }
        partials.finish(all.reduction, all.ranks, elements);
#pragma unroll
        for (unsigned k = 0; k < length; ++k)
            if (first + k < all.n) output[first + k] = elements[k];
    }
}

/// Each round uses one epoch.
struct LowLatencyShape {
    unsigned grid, block, rounds;
};

template <typename T>
LowLatencyShape low_latency_shape(const AllReduceArguments<T>& all) {
    const unsigned block = meeting_block(all.block_size);
    const size_t lines = divide_up(all.n, 8 / sizeof(T));
    const unsigned most = most_lines / block, wanted = meeting_grid(lines, block, all.multiprocessors);
    const unsigned grid = wanted < most ? wanted : most;
    return {grid, block, static_cast<unsigned>(divide_up(lines, static_cast<size_t>(grid) * block))};
}

template <typename T>
LaunchShape launch_low_latency(const AllReduceArguments<T>& all) {
    const LowLatencyShape shape = low_latency_shape(all);
    const auto kernel = all.ranks <= 2   ? all_reduce_low_latency<T, 2>
                        : all.ranks <= 4 ? all_reduce_low_latency<T, 4>
                                         : all_reduce_low_latency<T, most_peers>;
    kernel<<<shape.grid, shape.block, 0, all.stream>>>(all, shape.rounds);
    return {dim3(shape.grid), dim3(shape.block), 0};
}

}  // namespace BACKEND
