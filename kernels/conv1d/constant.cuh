// SPDX-License-Identifier: MIT
#pragma once
// Every thread of a warp needs the same tap at the same time, which is what constant memory is for.
//   conv1d_constant   removes the loads of the taps: they come through the constant cache, one word for all lanes
#include <cstdint>

#include "common/cuda/check.cuh"
#include "kernels/conv1d/shared.cuh"

namespace BACKEND {

/// The taps of the next launch: room for largest_width of any type.
__constant__ double constant_tap_memory[largest_width];

template <typename T>
__device__ inline const T* constant_taps() {
    return reinterpret_cast<const T*>(constant_tap_memory);
}

/// Enqueues the copy that must precede launches of kernels that use constant_taps().
template <typename T>
void put_taps_into_constant_memory(const ConvolutionArguments<T>& arguments) {
    CHECK(cudaMemcpyToSymbolAsync(constant_tap_memory, arguments.d_taps, arguments.width * sizeof(T), 0,
                                  cudaMemcpyDeviceToDevice, arguments.stream));
}

/// Grid and shared memory as for conv1d_shared().
template <typename T>
__global__ void conv1d_constant(Signal<T> signal, T* output, size_t outputs, unsigned width, unsigned before) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    T* tile = reinterpret_cast<T*>(shared_bytes);
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x;
    if (first >= outputs) return;
    const unsigned here = outputs - first < blockDim.x ? static_cast<unsigned>(outputs - first) : blockDim.x;
    load_tile(tile, signal, static_cast<std::int64_t>(first) - before, here + width - 1);
    if (threadIdx.x >= here) return;
    T sum = 0;
    for (unsigned j = 0; j < width; ++j) sum += constant_taps<T>()[j] * tile[threadIdx.x + j];
    output[first + threadIdx.x] = sum;
}

template <typename T>
LaunchShape launch_conv1d_constant(const ConvolutionArguments<T>& arguments) {
    const unsigned grid = grid_for(arguments.outputs(), arguments.block_size);
    const size_t shared_bytes = (arguments.block_size + arguments.width - 1) * sizeof(T);
    conv1d_constant<<<grid, arguments.block_size, shared_bytes, arguments.stream>>>(
        arguments.signal, arguments.d_output, arguments.outputs(), arguments.width, arguments.before());
    return {dim3(grid), dim3(arguments.block_size), shared_bytes};
}

}  // namespace BACKEND
