// SPDX-License-Identifier: MIT
#pragma once
// Divergence without an else. Any n; any block; grid ceil(n / block).
//   diverge_switch   32 cases
//   diverge_loops    loops with different trip counts
//   diverge_exit     lanes that exit early
#include "kernels/diverge/arguments.cuh"

namespace BACKEND {

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

}  // namespace BACKEND
