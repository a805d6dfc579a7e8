// SPDX-License-Identifier: MIT
#pragma once
// Dependent loads from constant memory: each returns the address of the next. One warp per block.
//   texture_constants<ConstantUniform>    all lanes of all blocks load the same word
//   texture_constants<ConstantPerBlock>   all lanes of a block load the same word
//   texture_constants<ConstantPerThread>  each lane loads a different word: the constant cache serves them one by one
#include <cuda_runtime.h>

#include <cstddef>

#include "common/cuda/launch_shape.cuh"

namespace BACKEND {

/// 1 KiB: the innermost constant cache holds it.
constexpr unsigned texture_chain_words = 256;

/// Each word holds the byte offset of the next one in the chain: a permutation with a single cycle.
__constant__ unsigned texture_chain[texture_chain_words];

/// The word at which a thread begins.
struct ConstantUniform {
    __host__ __device__ static unsigned first(unsigned, unsigned) { return 0; }
};
struct ConstantPerBlock {
    __host__ __device__ static unsigned first(unsigned block, unsigned) { return block % texture_chain_words; }
};
struct ConstantPerThread {
    __host__ __device__ static unsigned first(unsigned block, unsigned lane) {
        return (block + lane) % texture_chain_words;
    }
};

__device__ inline unsigned texture_follow_chain(unsigned place, unsigned steps) {
#pragma unroll 16
    for (unsigned i = 0; i < steps; ++i)
        place = *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(texture_chain) + place);
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(place));  // keeps the compiler from reading the clock before the last load
#endif
    return place;
}

/// Block 32, any grid. Walks the chain once to bring it into the cache, then takes `steps` timed steps. out: each
/// thread's last place; cycles: one number per block.
template <typename Start>
__global__ void texture_constants(unsigned* out, long long* cycles, unsigned steps) {
    const unsigned first = Start::first(blockIdx.x, threadIdx.x) * static_cast<unsigned>(sizeof(unsigned));
    unsigned place = texture_follow_chain(first, texture_chain_words);
    const long long begin = clock64();
    place = texture_follow_chain(place, steps);
    const long long end = clock64();
    out[static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = place;
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}

/// d_out: 32 words per block. d_cycles: one number per block.
struct ConstantArguments {
    unsigned* d_out = nullptr;
    long long* d_cycles = nullptr;
    unsigned blocks = 1;
    unsigned steps = 1;
    cudaStream_t stream = nullptr;
};

template <typename Start>
LaunchShape launch_texture_constants(const ConstantArguments& arguments) {
    texture_constants<Start><<<arguments.blocks, lanes_per_warp, 0, arguments.stream>>>(
        arguments.d_out, arguments.d_cycles, arguments.steps);
    return {dim3(arguments.blocks), dim3(lanes_per_warp), 0};
}

}  // namespace BACKEND
