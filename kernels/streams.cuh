// SPDX-License-Identifier: MIT
#pragma once
// Work for streams to overlap. An element goes through a chain of dependent steps, x -> factor * x + summand modulo
// 2^32. It can be as slow as requested, and is verified exactly: the host computes its end directly (streams_shortcut).
//   streams_iterate   one chain per element. One block of it is a slow kernel that leaves most of a device idle; a grid
//                     of it is the compute stage between two copies
//   streams_join      the same for the sum of three inputs: a kernel that must wait for three others
//   streams_empty     nothing: only the launch is left
//   streams_count     adds one to a counter: proof that a launch took place
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// x -> factor * x + summand modulo 2^32.
struct AffineStep {
    unsigned factor;
    unsigned summand;

    __host__ __device__ constexpr unsigned operator()(unsigned x) const { return factor * x + summand; }
};

/// The generator of "Numerical Recipes". It has full period, so that different elements stay different.
constexpr AffineStep streams_step{1664525U, 1013904223U};

/// `steps` steps combined into one by repeated squaring, for verification.
constexpr AffineStep streams_shortcut(size_t steps) {
    AffineStep result{1, 0};
    AffineStep power = streams_step;
    for (; steps > 0; steps /= 2) {
        if (steps % 2 != 0) result = {power.factor * result.factor, power(result.summand)};
        power = {power.factor * power.factor, power(power.summand)};
    }
    return result;
}

/// One launch: n elements from d_in to d_out, which may be the same array.
struct StreamsArguments {
    const int* d_in;
    int* d_out;
    size_t n;
    unsigned steps;
    unsigned block_size;
    cudaStream_t stream;
};

// The step is an argument: with constants the compiler could fold several steps into one.
__device__ inline unsigned streams_walk(unsigned x, AffineStep step, unsigned steps) {
#pragma unroll 8
    for (unsigned i = 0; i < steps; ++i) x = step(x);
    return x;
}

/// Any grid.
__global__ void streams_iterate(const int* in, int* out, size_t n, AffineStep step, unsigned steps) {
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = first; i < n; i += grid_stride)
        out[i] = static_cast<int>(streams_walk(static_cast<unsigned>(in[i]), step, steps));
}

/// Any grid. The three inputs lie one after another, with n elements each.
__global__ void streams_join(const int* in, int* out, size_t n, AffineStep step, unsigned steps) {
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = first; i < n; i += grid_stride) {
        unsigned sum = 0;
        for (size_t k = 0; k < 3; ++k) sum += static_cast<unsigned>(in[k * n + i]);
        out[i] = static_cast<int>(streams_walk(sum, step, steps));
    }
}

/// Grid 1, block 1.
__global__ void streams_empty() {}

/// Grid 1, block 1.
__global__ void streams_count(unsigned* counter) { ++*counter; }

/// One block for any number of elements: the slow kernel.
inline LaunchShape launch_streams_slow(const StreamsArguments& arguments) {
    streams_iterate<<<1, arguments.block_size, 0, arguments.stream>>>(arguments.d_in, arguments.d_out, arguments.n,
                                                                      streams_step, arguments.steps);
    return {dim3(1), dim3(arguments.block_size), 0};
}

/// One block; d_in holds three inputs.
inline LaunchShape launch_streams_join(const StreamsArguments& arguments) {
    streams_join<<<1, arguments.block_size, 0, arguments.stream>>>(arguments.d_in, arguments.d_out, arguments.n,
                                                                   streams_step, arguments.steps);
    return {dim3(1), dim3(arguments.block_size), 0};
}

/// One thread per element: the compute stage.
inline LaunchShape launch_streams_stage(const StreamsArguments& arguments) {
    const unsigned grid = grid_for(arguments.n, arguments.block_size);
    streams_iterate<<<grid, arguments.block_size, 0, arguments.stream>>>(arguments.d_in, arguments.d_out, arguments.n,
                                                                         streams_step, arguments.steps);
    return {dim3(grid), dim3(arguments.block_size), 0};
}

/// The smallest possible launch.
inline LaunchShape launch_streams_empty(cudaStream_t stream) {
    streams_empty<<<1, 1, 0, stream>>>();
    return {dim3(1), dim3(1), 0};
}

inline LaunchShape launch_streams_count(unsigned* d_counter, cudaStream_t stream) {
    streams_count<<<1, 1, 0, stream>>>(d_counter);
    return {dim3(1), dim3(1), 0};
}

}  // namespace BACKEND
