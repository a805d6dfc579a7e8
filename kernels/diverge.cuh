// SPDX-License-Identifier: MIT
#pragma once
// Kernels in which the lanes of a warp diverge. A thread's path depends on data, so that the same code runs whether the
// lanes of a warp agree or not.
//   diverge_branch, _two_ifs          an if and its else, or two ifs, with bodies of 1 to 256 operations
//   diverge_nested                    nested branches: 2 to 32 paths
//   diverge_switch, _loops, _exit     a switch with 32 cases; loops of unequal length; an early exit
//   diverge_handshake, diverge_lock   lanes that wait for each other: a handshake and a lock
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
    unsigned other = 1;                  // side ^ other is the other side

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

// ---- a branch with two sides of equal length. Short sides need no branch: with predication, all lanes run both sides
// and discard the results of one.
//   diverge_branch     an if and its else
//   diverge_two_ifs    an if, and another one for the threads that have not taken it: each diverges
// Any n; any block; grid ceil(n / block).

template <unsigned operations>
struct BranchRound {
    const DivergePlaces& places;

    __device__ __forceinline__ unsigned operator()(unsigned value, unsigned word, unsigned place,
                                                   unsigned round) const {
        if (places.side_of(place, round)) return diverge_body<operations, 1>(value, word);
        return diverge_body<operations, 0>(value, word);
    }
};

template <unsigned operations>
__global__ void diverge_branch(const DivergeArguments arguments) {
    take_rounds(arguments, BranchRound<operations>{arguments.places});
}

template <unsigned operations>
LaunchShape launch_diverge_branch(const DivergeArguments& arguments) {
    return launch_diverge_kernel(diverge_branch<operations>, arguments, arguments.block_size);
}

/// (That one side is not the other is data, too: a compiler that knew it would make an if and its else of them.)
template <unsigned operations>
struct TwoIfsRound {
    const DivergePlaces& places;

    __device__ __forceinline__ unsigned operator()(unsigned value, unsigned word, unsigned place,
                                                   unsigned round) const {
        const unsigned side = places.side_of(place, round);
        if (side) value = diverge_body<operations, 1>(value, word);
        if (side ^ places.other) value = diverge_body<operations, 0>(value, word);
        return value;
    }
};

template <unsigned operations>
__global__ void diverge_two_ifs(const DivergeArguments arguments) {
    take_rounds(arguments, TwoIfsRound<operations>{arguments.places});
}

template <unsigned operations>
LaunchShape launch_diverge_two_ifs(const DivergeArguments& arguments) {
    return launch_diverge_kernel(diverge_two_ifs<operations>, arguments, arguments.block_size);
}

/// operations: a power of two up to 256.
inline DivergeLaunch* diverge_branch_launch(size_t operations) {
    return diverge_launch_of<1, 2, 4, 8, 16, 32, 64, 128, 256>(
        operations, [](auto number) { return launch_diverge_branch<number>; });
}
inline DivergeLaunch* diverge_two_ifs_launch(size_t operations) {
    return diverge_launch_of<1, 2, 4, 8, 16, 32, 64, 128, 256>(
        operations, [](auto number) { return launch_diverge_two_ifs<number>; });
}

// ---- nested branches: at each level one bit of the path decides, the highest first.
//   diverge_nested   any n; any block; grid ceil(n / block)

/// The `levels` levels of branches below those that have led to `path`.
template <unsigned levels, unsigned path>
__device__ __forceinline__ unsigned take_path(unsigned wanted, unsigned value, unsigned word) {
    if constexpr (levels == 0) {
        return diverge_body<diverge_body_operations, path>(value, word);
    } else {
        constexpr unsigned bit = 1u << (levels - 1);
        if (wanted & bit) return take_path<levels - 1, path + bit>(wanted, value, word);
        return take_path<levels - 1, path>(wanted, value, word);
    }
}

/// depth: 1 to 5.
template <unsigned depth>
struct NestedRound {
    const DivergePlaces& places;

    __device__ __forceinline__ unsigned operator()(unsigned value, unsigned word, unsigned place,
                                                   unsigned round) const {
        return take_path<depth, 0>(places.path_of(place, round, 1u << depth), value, word);
    }
};

template <unsigned depth>
__global__ void diverge_nested(const DivergeArguments arguments) {
    take_rounds(arguments, NestedRound<depth>{arguments.places});
}

template <unsigned depth>
LaunchShape launch_diverge_nested(const DivergeArguments& arguments) {
    return launch_diverge_kernel(diverge_nested<depth>, arguments, arguments.block_size);
}

inline DivergeLaunch* diverge_nested_launch(size_t depth) {
    return diverge_launch_of<1, 2, 3, 4, 5>(depth, [](auto number) { return launch_diverge_nested<number>; });
}

// ---- divergence without an else. Any n; any block; grid ceil(n / block).
//   diverge_switch   32 cases
//   diverge_loops    loops with different trip counts
//   diverge_exit     lanes that exit early

#define DIVERGE_CASE(path) \
    case path:             \
        return diverge_body<diverge_body_operations, path>(value, word)
#define DIVERGE_FOUR_CASES(path) \
    DIVERGE_CASE(path);          \
    DIVERGE_CASE(path + 1);      \
    DIVERGE_CASE(path + 2);      \
    DIVERGE_CASE(path + 3)

__device__ __forceinline__ unsigned take_case(unsigned path, unsigned value, unsigned word) {
    static_assert(diverge_paths == 32, "as many cases as paths");
    switch (path) {
        DIVERGE_FOUR_CASES(0);
        DIVERGE_FOUR_CASES(4);
        DIVERGE_FOUR_CASES(8);
        DIVERGE_FOUR_CASES(12);
        DIVERGE_FOUR_CASES(16);
        DIVERGE_FOUR_CASES(20);
        DIVERGE_FOUR_CASES(24);
        DIVERGE_FOUR_CASES(28);
        default: __builtin_unreachable();
    }
}

#undef DIVERGE_FOUR_CASES
#undef DIVERGE_CASE

struct SwitchRound {
    const DivergePlaces& places;

    __device__ __forceinline__ unsigned operator()(unsigned value, unsigned word, unsigned place,
                                                   unsigned round) const {
        return take_case(places.path_of(place, round, diverge_paths), value, word);
    }
};

__global__ void diverge_switch(const DivergeArguments arguments) {
    take_rounds(arguments, SwitchRound{arguments.places});
}

/// In each round a thread runs the body 1 to 32 times.
struct LoopsRound {
    const DivergePlaces& places;

    __device__ __forceinline__ unsigned operator()(unsigned value, unsigned word, unsigned place,
                                                   unsigned round) const {
        unsigned left = 1 + places.path_of(place, round, diverge_paths);
#pragma unroll 1
        do {
            value = diverge_body<diverge_body_operations, 0>(value, word);
        } while (--left > 0);
        return value;
    }
};

__global__ void diverge_loops(const DivergeArguments arguments) {
    take_rounds(arguments, LoopsRound{arguments.places});
}

/// Half of the threads have nothing to do and exit.
__global__ void diverge_exit(const DivergeArguments arguments) {
    const unsigned place = arguments.places.word_of(threadIdx.x, blockDim.x);
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + place;
    if (i >= arguments.n) return;
    const unsigned word = arguments.d_in[i];
    if (arguments.places.side_of(place, 0)) {
        arguments.d_out[i] = word;
        return;
    }
    unsigned value = word;
#pragma unroll 1
    for (unsigned round = 0; round < arguments.rounds; ++round)
        value = diverge_body<diverge_body_operations, 0>(value, word);
    arguments.d_out[i] = value;
}

inline LaunchShape launch_diverge_switch(const DivergeArguments& arguments) {
    return launch_diverge_kernel(diverge_switch, arguments, arguments.block_size);
}
inline LaunchShape launch_diverge_loops(const DivergeArguments& arguments) {
    return launch_diverge_kernel(diverge_loops, arguments, arguments.block_size);
}
inline LaunchShape launch_diverge_exit(const DivergeArguments& arguments) {
    return launch_diverge_kernel(diverge_exit, arguments, arguments.block_size);
}

// ---- threads that wait for each other. Since Volta every thread has its own program counter, so lanes of one warp
// may do so. Before, a warp's lanes shared one: lanes that waited in a loop blocked the lanes they were waiting for.

/// Threads in pairs, `distance` apart, a power of two: one asks, the other answers, `rounds` times. The block is a
/// multiple of twice the distance; grid ceil(n / block). Threads beyond n take part with a word of 0.
__global__ void diverge_handshake(const DivergeArguments arguments, unsigned distance) {
    __shared__ unsigned letters[largest_block];
    __shared__ volatile unsigned turns[largest_block];
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned pair = threadIdx.x & ~distance;  // the index of the pair's letter
    const unsigned word = i < arguments.n ? arguments.d_in[i] : 0;
    unsigned value = word;
    turns[threadIdx.x] = 0;
    __syncthreads();  // all turns are 0 before any thread waits for its turn
    if (threadIdx.x == pair) {
        for (unsigned round = 0; round < arguments.rounds; ++round) {
            while (turns[pair] != 2 * round + 1) {}
            __threadfence_block();
            value = diverge_step(letters[pair], word, 0, diverge_factor(0, 0));
            letters[pair] = value;
            __threadfence_block();
            turns[pair] = 2 * round + 2;
        }
    } else {
        for (unsigned round = 0; round < arguments.rounds; ++round) {
            letters[pair] = value;
            __threadfence_block();
            turns[pair] = 2 * round + 1;
            while (turns[pair] != 2 * round + 2) {}
            __threadfence_block();
            value = letters[pair];
        }
    }
    if (i < arguments.n) arguments.d_out[i] = value;
}

/// The lanes of each warp take a lock in turn to add up their words: all of them get the sum. `inside`: a lane that
/// gets the lock uses and releases it before it leaves the loop. (Otherwise, before Volta, it would wait after the loop
/// for the other lanes, which need the lock to get there.) Block a multiple of 32; grid ceil(n / block).
template <bool inside>
__global__ void diverge_lock(const DivergeArguments arguments) {
    constexpr unsigned most_warps = largest_block / lanes_per_warp;
    __shared__ unsigned locks[most_warps], sums[most_warps];
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned warp = threadIdx.x / lanes_per_warp;
    const unsigned word = i < arguments.n ? arguments.d_in[i] : 0;
    if (threadIdx.x % lanes_per_warp == 0) locks[warp] = sums[warp] = 0;
    __syncthreads();  // the lock is initialized before any lane takes it
    if constexpr (inside) {
        bool waits = true;
        while (waits) {
            if (atomicCAS(&locks[warp], 0u, 1u) == 0) {
                __threadfence_block();
                sums[warp] += word;
                __threadfence_block();
                atomicExch(&locks[warp], 0u);
                waits = false;
            }
        }
    } else {
        while (atomicCAS(&locks[warp], 0u, 1u) != 0) {}
        __threadfence_block();
        sums[warp] += word;
        __threadfence_block();
        atomicExch(&locks[warp], 0u);
    }
    __syncthreads();  // the sum is complete
    if (i < arguments.n) arguments.d_out[i] = sums[warp];
}

/// Rounds the block up to pairs of warps, so that it holds whole pairs of threads, be they in one warp or in two.
template <unsigned distance>
LaunchShape launch_diverge_handshake(const DivergeArguments& arguments) {
    constexpr unsigned two_warps = 2 * lanes_per_warp;
    static_assert(two_warps % (2 * distance) == 0, "whole pairs");
    const unsigned block = static_cast<unsigned>(divide_up(arguments.block_size, two_warps)) * two_warps;
    const unsigned grid = grid_for(arguments.n, block);
    diverge_handshake<<<grid, block, 0, arguments.stream>>>(arguments, distance);
    return {dim3(grid), dim3(block), 0};
}

template <bool inside>
LaunchShape launch_diverge_lock(const DivergeArguments& arguments) {
    return launch_diverge_kernel(diverge_lock<inside>, arguments, whole_warps(arguments.block_size));
}

}  // namespace BACKEND
