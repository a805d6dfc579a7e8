// SPDX-License-Identifier: MIT
#pragma once
// What a launch costs, depending on who makes it: grids of one thread that do nearly nothing.
//   mark_grid          the grid that is launched
//   one_thread_marks   one thread launches all grids, into its block's null stream, where each waits for the previous
//                      one, or as fire-and-forget or tail launches
//   blocks_mark        one block launches each: the null streams of different blocks do not wait for each other
//   threads_mark       one thread launches each, fire-and-forget
//   chain_marks        each grid launches the next: depth
#include "kernels/nested/launches.cuh"

namespace BACKEND {

__device__ inline void note_error(const NestedArguments& arguments) {
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) *arguments.d_error = static_cast<unsigned>(error);
}

__device__ inline void leave_mark(const NestedArguments& arguments, unsigned i) {
    atomicAdd(&arguments.d_marks[i], mark_of(arguments.seed, i));
}

/// One thread.
__global__ void mark_grid(NestedArguments arguments, unsigned i) { leave_mark(arguments, i); }

/// One thread.
__global__ void one_thread_marks(NestedArguments arguments, NestedStream stream) {
    for (unsigned i = 0; i < arguments.count; ++i) {
        switch (stream) {
            case NestedStream::null: mark_grid<<<1, 1>>>(arguments, i); break;
            case NestedStream::fire_and_forget: mark_grid<<<1, 1, 0, cudaStreamFireAndForget>>>(arguments, i); break;
            case NestedStream::tail_launch: mark_grid<<<1, 1, 0, cudaStreamTailLaunch>>>(arguments, i); break;
        }
    }
    note_error(arguments);
}

/// Grid `count`, block 1: each block launches a grid.
__global__ void blocks_mark(NestedArguments arguments) {
    if (blockIdx.x < arguments.count) mark_grid<<<1, 1>>>(arguments, blockIdx.x);
    note_error(arguments);
}

/// Any block; grid ceil(count / block): each thread launches a grid.
__global__ void threads_mark(NestedArguments arguments) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < arguments.count) mark_grid<<<1, 1, 0, cudaStreamFireAndForget>>>(arguments, i);
    note_error(arguments);
}

/// One thread.
__global__ void chain_marks(NestedArguments arguments, unsigned depth, bool tails) {
    leave_mark(arguments, depth);
    if (depth == arguments.count) return;
    if (tails) chain_marks<<<1, 1, 0, cudaStreamTailLaunch>>>(arguments, depth + 1, tails);
    else chain_marks<<<1, 1>>>(arguments, depth + 1, tails);
    note_error(arguments);
}

LaunchShape launch_grids_from_host(const NestedArguments& arguments) {
    for (unsigned i = 0; i < arguments.count; ++i) mark_grid<<<1, 1, 0, arguments.stream>>>(arguments, i);
    return {dim3(1), dim3(1)};
}

LaunchShape launch_grids_by_one_thread(const NestedArguments& arguments, NestedStream stream) {
    one_thread_marks<<<1, 1, 0, arguments.stream>>>(arguments, stream);
    return {dim3(1), dim3(1)};
}

LaunchShape launch_grids_by_blocks(const NestedArguments& arguments) {
    const LaunchShape shape{dim3(grid_for(arguments.count, 1)), dim3(1)};
    blocks_mark<<<shape.grid, shape.block, 0, arguments.stream>>>(arguments);
    return shape;
}

LaunchShape launch_grids_by_threads(const NestedArguments& arguments) {
    constexpr unsigned block_size = 32;
    const LaunchShape shape{dim3(grid_for(arguments.count, block_size)), dim3(block_size)};
    threads_mark<<<shape.grid, shape.block, 0, arguments.stream>>>(arguments);
    return shape;
}

LaunchShape launch_chain(const NestedArguments& arguments, bool tails) {
    chain_marks<<<1, 1, 0, arguments.stream>>>(arguments, 0, tails);
    return {dim3(1), dim3(1)};
}

}  // namespace BACKEND
