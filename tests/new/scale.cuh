// SPDX-License-Identifier: MIT
#pragma once
// b[i] = 2 a[i], and what a first improvement looks like.
//   scale_one_per_thread   a thread per element, and a test for the threads beyond the end
//   scale_grid_stride      removes the launching of most blocks: a grid as large as the device strides over n
//
// Any n, any block size. The vectors do not overlap.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// The arguments of every launch. block_size: 1 to 1024. multiprocessors: of the device in use.
struct ScaleArguments {
    const float* d_a = nullptr;
    float* d_b = nullptr;
    size_t n = 0;
    unsigned block_size = 256;
    unsigned multiprocessors = 1;
    cudaStream_t stream = nullptr;
};

/// Grid ceil(n / block).
__global__ void scale_one_per_thread(const float* a, float* b, size_t n) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) b[i] = 2 * a[i];
}

/// Any grid.
__global__ void scale_grid_stride(const float* a, float* b, size_t n) {
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = first; i < n; i += grid_stride) b[i] = 2 * a[i];
}

inline LaunchShape launch_scale_one_per_thread(const ScaleArguments& arguments) {
    const unsigned grid = grid_for(arguments.n, arguments.block_size);
    scale_one_per_thread<<<grid, arguments.block_size, 0, arguments.stream>>>(arguments.d_a, arguments.d_b,
                                                                              arguments.n);
    return {dim3(grid), dim3(arguments.block_size), 0};
}

/// At most as many blocks as the device holds at once.
inline LaunchShape launch_scale_grid_stride(const ScaleArguments& arguments) {
    constexpr unsigned threads_per_multiprocessor = 2048;
    const unsigned resident_blocks = arguments.multiprocessors * (threads_per_multiprocessor / arguments.block_size);
    const unsigned needed_blocks = grid_for(arguments.n, arguments.block_size);
    const unsigned grid = needed_blocks < resident_blocks ? needed_blocks : resident_blocks;
    scale_grid_stride<<<grid, arguments.block_size, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.n);
    return {dim3(grid), dim3(arguments.block_size), 0};
}

}  // namespace BACKEND
