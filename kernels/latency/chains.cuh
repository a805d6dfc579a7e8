// SPDX-License-Identifier: MIT
#pragma once
// The same work in more or fewer chains of dependent steps at once. A thread follows `chains` of them, none of which waits
// for another: instruction-level parallelism. More threads follow more: thread-level parallelism.
//   multiply_add_chains    a step is a product and a sum in f32, which needs the one before
//   load_chains            a step is a load from global memory, whose address needs the word before
//
// Any block of up to 1024 threads, and any grid with which the steps of all chains are at most 2^31: what counts them, and
// the chains, has 32 bits. Chain c of thread t has the number c * threads + t, so that a warp's loads are neighbors. All
// chains take the same number of steps, and leave their end in ends[number].
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Which chains: this many in each of grid * block threads.
struct ChainShape {
    unsigned chains_per_thread = 1, grid = 1, block = 32;

    size_t chains() const { return size_t{chains_per_thread} * grid * block; }
};

constexpr float chain_factor = 0.9990234375f, chain_summand = 0.5f;
/// Where a chain of arithmetic begins: one of eight numbers.
__host__ __device__ inline float chain_start(unsigned chain) { return static_cast<float>(chain % 8); }

/// factor and summand are arguments, so that the compiler cannot merge two steps. Turns of the loop share one test for its
/// end, which would cost as much as a step.
template <unsigned chains>
__global__ __launch_bounds__(1024) void multiply_add_chains(unsigned steps, float factor, float summand, float* ends) {
    const unsigned threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    float x[chains];
    for (unsigned c = 0; c < chains; ++c) x[c] = chain_start(c * threads + thread);
#pragma unroll 16
    for (unsigned step = 0; step < steps; ++step)
#pragma unroll
        for (unsigned c = 0; c < chains; ++c) x[c] = fmaf(x[c], factor, summand);
    for (unsigned c = 0; c < chains; ++c) ends[c * threads + thread] = x[c];
}

/// words[i] is i, which the compiler does not know: a chain goes from word to word, as many further as there are chains.
template <unsigned chains>
__global__ __launch_bounds__(1024) void load_chains(unsigned steps, const unsigned* words, unsigned* ends) {
    const unsigned threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at[chains];
    for (unsigned c = 0; c < chains; ++c) at[c] = c * threads + thread;
    for (unsigned step = 0; step < steps; ++step)
#pragma unroll
        for (unsigned c = 0; c < chains; ++c) at[c] = words[at[c]] + chains * threads;
    for (unsigned c = 0; c < chains; ++c) ends[c * threads + thread] = at[c];
}

/// The words that load_chains() goes through. Any grid and block; n up to 2^32.
__global__ void number_words(unsigned* words, size_t n) {
    const size_t threads = size_t{gridDim.x} * blockDim.x;
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads)
        words[i] = static_cast<unsigned>(i);
}

// ---- launches, with 1, 2, 4 or 8 chains per thread

inline void launch_multiply_add_chains(ChainShape shape, unsigned steps, float* d_ends, cudaStream_t stream) {
    const auto kernel = shape.chains_per_thread == 1   ? multiply_add_chains<1>
                        : shape.chains_per_thread == 2 ? multiply_add_chains<2>
                        : shape.chains_per_thread == 4 ? multiply_add_chains<4>
                                                       : multiply_add_chains<8>;
    kernel<<<shape.grid, shape.block, 0, stream>>>(steps, chain_factor, chain_summand, d_ends);
}

inline void launch_load_chains(ChainShape shape, unsigned steps, const unsigned* d_words, unsigned* d_ends,
                               cudaStream_t stream) {
    const auto kernel = shape.chains_per_thread == 1   ? load_chains<1>
                        : shape.chains_per_thread == 2 ? load_chains<2>
                        : shape.chains_per_thread == 4 ? load_chains<4>
                                                       : load_chains<8>;
    kernel<<<shape.grid, shape.block, 0, stream>>>(steps, d_words, d_ends);
}

}  // namespace BACKEND
