// SPDX-License-Identifier: MIT
#pragma once
// What the next kernel on a device sees of its result: it would be incomplete if a peer were still writing.
#include <cuda_runtime.h>

#include <cstddef>

#include "common/cuda/launch_shape.cuh"

namespace BACKEND {

/// Any n and grid.
template <typename T>
__global__ void collective_snapshot(const T* result, T* copy, size_t n) {
    const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) copy[i] = result[i];
}

template <typename T>
void launch_snapshot(const T* result, T* copy, size_t n, unsigned multiprocessors, cudaStream_t stream) {
    constexpr unsigned block = 256;
    const unsigned needed = grid_for(n, block), resident = resident_blocks(block, multiprocessors);
    const unsigned grid = needed < resident ? needed : resident;
    collective_snapshot<<<grid, block, 0, stream>>>(result, copy, n);
}

}  // namespace BACKEND
