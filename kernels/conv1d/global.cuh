// SPDX-License-Identifier: MIT
#pragma once
// The first version of every lecture: each input is loaded once per tap.
//   conv1d_global   one thread per output, all inputs from global memory
#include <cstdint>

#include "kernels/conv1d/arguments.cuh"

namespace BACKEND {

/// Grid ceil(outputs / block), any block.
template <typename T>
__global__ void conv1d_global(Signal<T> signal, T* output, size_t outputs, Taps<T> taps) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= outputs) return;
    const std::int64_t first = static_cast<std::int64_t>(i) - taps.before;
    T sum = 0;
    for (unsigned j = 0; j < taps.count; ++j) sum += taps[j] * signal.at(first + j);
    output[i] = sum;
}

template <typename T>
LaunchShape launch_conv1d_global(const ConvolutionArguments<T>& arguments) {
    const unsigned grid = grid_for(arguments.outputs(), arguments.block_size);
    conv1d_global<<<grid, arguments.block_size, 0, arguments.stream>>>(arguments.signal, arguments.d_output,
                                                                       arguments.outputs(), arguments.taps());
    return {dim3(grid), dim3(arguments.block_size), 0};
}

}  // namespace BACKEND
