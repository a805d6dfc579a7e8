// SPDX-License-Identifier: MIT
#pragma once
// What the launches of all ladders get, and what several of their kernels use.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// d_in holds n words. The other members are for some ladders only, as their files say.
struct SharedArguments {
    const unsigned* d_in = nullptr;
    size_t n = 0;
    unsigned* d_out = nullptr;
    unsigned long long* d_totals = nullptr;  ///< offsets: one, queue: two; 0 at first
    unsigned limit = 0;                      ///< search, offsets: words below it are found, or kept
    unsigned bins = 0;                       ///< histogram: words are below it
    unsigned histogram_copies = 0;           ///< histogram: of a block, in shared memory
    unsigned capacity = 0;                   ///< queue: items that fit into shared memory
    unsigned* d_overflow = nullptr;          ///< queue: for each block twice
    size_t overflow_items = 0;               ///< so many items
    void* d_workspace = nullptr;             ///< peers: their temporary memory
    size_t workspace_bytes = 0;
    unsigned block_size = 256;
    unsigned multiprocessors = 1;
    cudaStream_t stream = nullptr;
};

using SharedLaunch = LaunchShape(const SharedArguments&);

constexpr unsigned all_lanes = 0xffffffff;

__device__ inline unsigned lane_index() { return threadIdx.x % lanes_per_warp; }

/// The index of this thread in the grid.
__device__ inline size_t thread_in_grid() { return static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; }

/// The lanes of `lanes` below this one: how many of them come first.
__device__ inline unsigned lanes_before(unsigned lanes) { return __popc(lanes & ((1u << lane_index()) - 1)); }

/// One thread for each of n words: no more than 2^31 - 1 blocks of them.
inline LaunchShape launch_per_word(void (*kernel)(SharedArguments), const SharedArguments& arguments,
                                   unsigned block_size) {
    const unsigned grid = grid_for(arguments.n, block_size);
    kernel<<<grid, block_size, 0, arguments.stream>>>(arguments);
    return {dim3(grid), dim3(block_size), 0, address_of(kernel)};
}

}  // namespace BACKEND
