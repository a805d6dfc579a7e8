// SPDX-License-Identifier: MIT
#pragma once
// Kernels in which the lanes of a warp diverge. A thread's path depends on data, so that the same code runs whether the
// lanes of a warp agree or not.
//   branch.cuh    an if and its else, with bodies of 1 to 256 operations
//   nested.cuh    nested branches: 2 to 32 paths
//   cases.cuh     a switch with 32 cases; loops of unequal length; an early exit
//   waiting.cuh   lanes that wait for each other: a handshake and a lock
//
// All but the last work on words, one per thread, for any n and block. A thread takes its word through a body, round
// after round; each operation needs the result of the previous one.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace BACKEND {

/// A thread's place, the index of its word in the block, decides which path it takes. Neighbors take different paths;
/// with a shift of 5, all lanes of a warp take the same one.
struct DivergePlaces {
    unsigned shift = 0;
    unsigned mask = ~0u, threshold = 0;  // for the side of a branch
    bool reordered = false;              // the first half of the threads takes the words with even indices

    /// The word that a thread of a block takes. (Computed without a branch, which would be counted.)
    __host__ __device__ unsigned word_of(unsigned thread, unsigned threads) const {
        const unsigned half = (threads + 1) / 2, second = reordered & (thread >= half);
        return ((thread - second * half) << static_cast<unsigned>(reordered)) + second;
    }
    /// One of two sides; the other one in odd rounds.
    __host__ __device__ unsigned side_of(unsigned place, unsigned round) const {
        return static_cast<unsigned>((place >> shift & mask) > threshold) ^ (round & 1);
    }
    /// One of `count` paths, a power of two; the next one in each round.
    __host__ __device__ unsigned path_of(unsigned place, unsigned round, unsigned count) const {
        return ((place >> shift) + round) & (count - 1);
    }
};

/// d_in, d_out: n words. rounds: at least 1.
struct DivergeArguments {
    const unsigned* d_in = nullptr;
    unsigned* d_out = nullptr;
    size_t n = 0;
    unsigned rounds = 1;
    DivergePlaces places = {};
    unsigned block_size = 256;
    cudaStream_t stream = nullptr;
};

/// Operations per body, unless the kernel has its own number.
constexpr unsigned diverge_body_operations = 16;
/// Paths through a switch and through the deepest nested branches, and the turns of the longest loop.
constexpr unsigned diverge_paths = 32;

/// The factor of operation number `step` of a path: odd, and no two are the same.
__host__ __device__ constexpr unsigned diverge_factor(unsigned path, unsigned step) {
    return (path * 256 + step + 1) * 0x9e3779b2u | 1;
}

/// One operation: a multiplication with an addition, or with a subtraction on every other path, so that compilers find
/// no code that two sides of a branch have in common.
__host__ __device__ constexpr unsigned diverge_step(unsigned value, unsigned word, unsigned path, unsigned factor) {
    return path % 2 == 0 ? value * factor + word : value * factor - word;
}

#ifdef __SIMCC__
__constant__ unsigned diverge_nothing = 0;
#endif

/// An operation's factor. On a GPU it is part of the instruction. In the simulator each operation also reads a word of
/// constant memory: its requests count the warps' operations, and the lanes in them are the active ones.
__device__ __forceinline__ unsigned counted_factor(unsigned factor) {
#ifdef __SIMCC__
    return factor ^ *const_cast<const volatile unsigned*>(&diverge_nothing);
#else
    return factor;
#endif
}

template <unsigned path, unsigned first, unsigned... steps>
__device__ __forceinline__ unsigned diverge_steps(unsigned value, unsigned word,
                                                  std::integer_sequence<unsigned, steps...>) {
    ((value = diverge_step(value, word, path, counted_factor(diverge_factor(path, first + steps)))), ...);
    return value;
}

/// `operations` operations in a row, without a loop. (In groups, which compile faster than one by one or all at once.)
template <unsigned operations, unsigned path, unsigned first = 0>
__device__ __forceinline__ unsigned diverge_body(unsigned value, unsigned word) {
    constexpr unsigned group = operations < 16 ? operations : 16;
    value = diverge_steps<path, first>(value, word, std::make_integer_sequence<unsigned, group>());
    if constexpr (operations > group) return diverge_body<operations - group, path, first + group>(value, word);
    else return value;
}

/// Applies round(value, word, place, round number) to a thread's word, round after round. (A Round is a struct, not a
/// lambda, so that it is inlined whatever its length.)
template <typename Round>
__device__ __forceinline__ void take_rounds(const DivergeArguments& arguments, Round round) {
    const unsigned place = arguments.places.word_of(threadIdx.x, blockDim.x);
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + place;
    if (i >= arguments.n) return;
    const unsigned word = arguments.d_in[i];
    unsigned value = word;
#pragma unroll 1
    for (unsigned number = 0; number < arguments.rounds; ++number) value = round(value, word, place, number);
    arguments.d_out[i] = value;
}

template <typename Kernel>
LaunchShape launch_diverge_kernel(Kernel* kernel, const DivergeArguments& arguments, unsigned block_size) {
    const unsigned grid = grid_for(arguments.n, block_size);
    kernel<<<grid, block_size, 0, arguments.stream>>>(arguments);
    return {dim3(grid), dim3(block_size), 0};
}

using DivergeLaunch = LaunchShape(const DivergeArguments& arguments);

/// The launch for `wanted`, known only at run time: one of those that launch_of() makes for each of `numbers`.
template <unsigned... numbers, typename LaunchOf>
DivergeLaunch* diverge_launch_of(size_t wanted, LaunchOf launch_of) {
    DivergeLaunch* found = nullptr;
    ((wanted == numbers ? void(found = launch_of(std::integral_constant<unsigned, numbers>())) : void()), ...);
    return found;
}

}  // namespace BACKEND
