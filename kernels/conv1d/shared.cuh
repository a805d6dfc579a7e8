// SPDX-License-Identifier: MIT
#pragma once
// The threads of a block load their common inputs once.
//   conv1d_shared   removes most global loads: a block loads a tile with its halo, block + width - 1 elements instead
//                   of block * width
#include <cstdint>

#include "kernels/conv1d/arguments.cuh"

namespace BACKEND {

/// Called by all threads of the block: loads `count` elements from `first` on, and ends with a barrier.
template <typename T>
__device__ inline void load_tile(T* tile, const Signal<T>& signal, std::int64_t first, unsigned count) {
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x) tile[k] = signal.at(first + k);
    __syncthreads();  // a thread reads elements that other threads loaded
}

/// Any block; grid ceil(outputs / block); dynamic shared memory for block + width - 1 elements.
template <typename T>
__global__ void conv1d_shared(Signal<T> signal, T* output, size_t outputs, Taps<T> taps) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* tile = reinterpret_cast<T*>(shared_bytes);
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x;
    if (first >= outputs) return;
    // The last block's tile ends with the halo of the last output.
    const unsigned here = outputs - first < blockDim.x ? static_cast<unsigned>(outputs - first) : blockDim.x;
    load_tile(tile, signal, static_cast<std::int64_t>(first) - taps.before, here + taps.count - 1);
    if (threadIdx.x >= here) return;
    T sum = 0;
    for (unsigned j = 0; j < taps.count; ++j) sum += taps[j] * tile[threadIdx.x + j];
    output[first + threadIdx.x] = sum;
}

template <typename T>
LaunchShape launch_conv1d_shared(const ConvolutionArguments<T>& arguments) {
    const unsigned grid = grid_for(arguments.outputs(), arguments.block_size);
    const size_t shared_bytes = (arguments.block_size + arguments.width - 1) * sizeof(T);
    conv1d_shared<<<grid, arguments.block_size, shared_bytes, arguments.stream>>>(
        arguments.signal, arguments.d_output, arguments.outputs(), arguments.taps());
    return {dim3(grid), dim3(arguments.block_size), shared_bytes};
}

}  // namespace BACKEND
