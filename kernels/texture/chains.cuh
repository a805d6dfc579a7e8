// SPDX-License-Identifier: MIT
#pragma once
// Dependent loads of words that no thread writes: each returns the address of the next. One warp per block. The memory:
//   ConstantMemory  __constant__: a cache of its own, which serves one address of a warp after the other
//   GlobalMemory    ordinary loads from global memory
//   ReadOnlyMemory  the same by __ldg: `const unsigned* __restrict__`
// and the word at which a thread begins:
//   ChainUniform    all threads at the same, as in array[0]
//   ChainPerBlock   all threads of a block at the same, as in array[blockIdx.x]
//   ChainPerThread  lanes at neighboring words, as in array[threadIdx.x]
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// 1 KiB: the innermost constant cache holds it.
constexpr unsigned texture_chain_words = 256;

/// Each word holds the byte offset of the next one in its chain. There is a chain for each lane, through word `lane` of
/// all rows of 32 words: lanes that begin in a row go to the next row together.
__constant__ unsigned texture_chain[texture_chain_words];

struct ChainUniform {
    __host__ __device__ static unsigned first(unsigned, unsigned) { return 0; }
};
struct ChainPerBlock {
    __host__ __device__ static unsigned first(unsigned block, unsigned) { return block % texture_chain_words; }
};
struct ChainPerThread {
    __host__ __device__ static unsigned first(unsigned, unsigned lane) { return lane; }
};

__device__ inline const unsigned* texture_word(const unsigned* words, unsigned place) {
    return reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(words) + place);
}
struct ConstantMemory {
    __device__ static unsigned load(const unsigned*, unsigned place) { return *texture_word(texture_chain, place); }
};
struct GlobalMemory {
    __device__ static unsigned load(const unsigned* words, unsigned place) { return *texture_word(words, place); }
};
struct ReadOnlyMemory {
    __device__ static unsigned load(const unsigned* words, unsigned place) { return __ldg(texture_word(words, place)); }
};

template <typename Memory>
__device__ unsigned texture_follow_chain(const unsigned* words, unsigned place, unsigned steps) {
#pragma unroll 16
    for (unsigned i = 0; i < steps; ++i) place = Memory::load(words, place);
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(place));  // keeps the compiler from reading the clock before the last load
#endif
    return place;
}

/// Block 32, any grid. Walks `texture_chain_words` steps to bring the chain into the cache, then takes `steps` timed
/// ones. out: each thread's last place; cycles: one number per block. Each load needs the one before, so that the
/// compiler can make none of them an operand of another instruction, and the time is that of one load.
/// words: the chain in global memory; not declared __restrict__, which would make ordinary loads read-only ones.
template <typename Memory, typename Start>
__global__ void texture_chains(const unsigned* words, unsigned* out, long long* cycles, unsigned steps) {
    const unsigned first = Start::first(blockIdx.x, threadIdx.x) * static_cast<unsigned>(sizeof(unsigned));
    unsigned place = texture_follow_chain<Memory>(words, first, texture_chain_words);
    const long long begin = clock64();
    place = texture_follow_chain<Memory>(words, place, steps);
    const long long end = clock64();
    out[static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x] = place;
    if (threadIdx.x == 0) cycles[blockIdx.x] = end - begin;
}

/// d_words: the chain in global memory. d_out: 32 words per block. d_cycles: one number per block.
struct ChainArguments {
    const unsigned* d_words = nullptr;
    unsigned* d_out = nullptr;
    long long* d_cycles = nullptr;
    unsigned blocks = 1;
    unsigned steps = 1;
    cudaStream_t stream = nullptr;
};

template <typename Memory, typename Start>
LaunchShape launch_texture_chains(const ChainArguments& arguments) {
    texture_chains<Memory, Start><<<arguments.blocks, lanes_per_warp, 0, arguments.stream>>>(
        arguments.d_words, arguments.d_out, arguments.d_cycles, arguments.steps);
    return {dim3(arguments.blocks), dim3(lanes_per_warp), 0};
}

}  // namespace BACKEND
