// SPDX-License-Identifier: MIT
#pragma once
// A warp needs no tile: its lanes hold 32 neighboring inputs at a time and read each other's registers.
//   conv1d_shuffle   removes shared memory and its barrier; a warp loads ceil((31 + width) / 32) inputs per lane
#include <cstdint>

#include "kernels/conv1d/constant.cuh"

namespace BACKEND {

/// Grid ceil(outputs / block); block a multiple of 32.
template <typename T>
__global__ void conv1d_shuffle(Signal<T> signal, T* output, size_t outputs, unsigned width, unsigned before) {
    constexpr unsigned all_lanes = 0xffffffff;
    const unsigned lane = threadIdx.x % lanes_per_warp;
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t first_of_warp = i - lane;
    if (first_of_warp >= outputs) return;  // the whole warp
    // No lane loads beyond the halo of the warp's last output.
    const size_t end =
        (outputs - first_of_warp < lanes_per_warp ? outputs : first_of_warp + lanes_per_warp) + width - 1;
    const auto load = [&](size_t k) { return k < end ? signal.at(static_cast<std::int64_t>(k) - before) : T(0); };
    T near = load(i), sum = 0;
    for (unsigned begin = 0; begin < width; begin += lanes_per_warp) {
        const T far = load(i + begin + lanes_per_warp);
        const unsigned taps_here = width - begin < lanes_per_warp ? width - begin : lanes_per_warp;
        for (unsigned j = 0; j < taps_here; ++j) {
            // Tap j of lane l meets input l + j: one of the next 32 inputs, if that is beyond the warp.
            const T input = __shfl_sync(all_lanes, lane < j ? far : near, (lane + j) % lanes_per_warp);
            sum += constant_taps<T>()[begin + j] * input;
        }
        near = far;
    }
    if (i < outputs) output[i] = sum;
}

template <typename T>
LaunchShape launch_conv1d_shuffle(const ConvolutionArguments<T>& arguments) {
    const unsigned block_size = whole_warps(arguments.block_size);
    const unsigned grid = grid_for(arguments.outputs(), block_size);
    conv1d_shuffle<<<grid, block_size, 0, arguments.stream>>>(arguments.signal, arguments.d_output, arguments.outputs(),
                                                              arguments.width, arguments.before());
    return {dim3(grid), dim3(block_size), 0};
}

}  // namespace BACKEND
