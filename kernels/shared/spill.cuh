// SPDX-License-Identifier: MIT
#pragma once
// 72 values per thread that are all needed until the end. Launch bounds promise the compiler how many threads share the
// registers of a multiprocessor, and what a thread cannot have in registers it spills: it stores it in local memory and
// loads it back. Of 65,536 registers, as current GPUs have:
//   spill_none      __launch_bounds__(256): up to 255 registers per thread, and no spills
//   spill_little    __launch_bounds__(1024): up to 64
//   spill_much      __launch_bounds__(1024, 2): up to 32, fewer than there are values. (Where a multiprocessor holds
//                   less than 2048 threads, ptxas warns, and ignores the second number.)
//
// Any n; one thread per word; block up to 256, for all alike; grid ceil(n / block). d_out[i] is the fold of word i.
#include "kernels/shared/arguments.cuh"

namespace BACKEND {

constexpr unsigned spill_values = 72, spill_rounds = 8, spill_largest_block = 256;

__host__ __device__ inline unsigned spill_first(unsigned word, unsigned k) { return (word ^ k) * 0x9e3779b9u; }
__host__ __device__ inline unsigned spill_next(unsigned value, unsigned neighbor) {
    return value * 0x85ebca6bu + (neighbor ^ value >> 13);
}

/// Every value depends on its neighbor of the round before, so that all are needed until the last round.
__device__ __forceinline__ unsigned spill_fold(unsigned word) {
    unsigned values[spill_values];
#pragma unroll
    for (unsigned k = 0; k < spill_values; ++k) values[k] = spill_first(word, k);
#pragma unroll 1
    for (unsigned round = 0; round < spill_rounds; ++round) {
        const unsigned first = values[0];
#pragma unroll
        for (unsigned k = 0; k < spill_values; ++k)
            values[k] = spill_next(values[k], k + 1 < spill_values ? values[k + 1] : first);
    }
    unsigned fold = 0;
#pragma unroll
    for (unsigned k = 0; k < spill_values; ++k) fold ^= values[k];
    return fold;
}

__device__ __forceinline__ void spill_word(const SharedArguments& arguments) {
    const size_t i = thread_in_grid();
    if (i < arguments.n) arguments.d_out[i] = spill_fold(arguments.d_in[i]);
}

__global__ void __launch_bounds__(256) spill_none(const SharedArguments arguments) { spill_word(arguments); }
__global__ void __launch_bounds__(1024) spill_little(const SharedArguments arguments) { spill_word(arguments); }
__global__ void __launch_bounds__(1024, 2) spill_much(const SharedArguments arguments) { spill_word(arguments); }

inline LaunchShape launch_spill(void (*kernel)(SharedArguments), const SharedArguments& arguments) {
    const unsigned block = arguments.block_size < spill_largest_block ? arguments.block_size : spill_largest_block;
    return launch_per_word(kernel, arguments, block);
}

inline LaunchShape launch_spill_none(const SharedArguments& arguments) { return launch_spill(spill_none, arguments); }
inline LaunchShape launch_spill_little(const SharedArguments& arguments) {
    return launch_spill(spill_little, arguments);
}
inline LaunchShape launch_spill_much(const SharedArguments& arguments) { return launch_spill(spill_much, arguments); }

}  // namespace BACKEND
