// SPDX-License-Identifier: MIT
#pragma once
// How the textbook's kernels are launched, with any border. They take zeros beyond the ends. If the border says
// otherwise, another kernel then computes the few outputs that need elements there once more:
//   conv1d_ends   one thread per output, all inputs from global memory
#include <cstdint>

#include "common/cuda/check.cuh"
#include "kernels/conv1d/arguments.cuh"
#include "kernels/conv1d/textbook.cuh"

namespace BACKEND {

static_assert(sizeof constant_tap_memory == largest_width * sizeof(double));

/// Enqueues the copy that must precede launches of kernels that use constant_taps().
template <typename T>
void put_taps_into_constant_memory(const ConvolutionArguments<T>& arguments) {
    CHECK(cudaMemcpyToSymbolAsync(constant_tap_memory, arguments.d_taps, arguments.width * sizeof(T), 0,
                                  cudaMemcpyDeviceToDevice, arguments.stream));
}

/// Grid ceil(ends / block), any block. The ends are the first `before` outputs and, behind those, the last ones.
template <typename T>
__global__ void conv1d_ends(Signal<T> signal, T* output, size_t outputs, unsigned before, Taps<T> taps, size_t ends) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= ends) return;
    const size_t i = thread < before ? thread : outputs - ends + thread;
    T sum = 0;
    for (unsigned j = 0; j < taps.width; ++j) sum += taps[j] * signal.at(static_cast<std::int64_t>(i) - before + j);
    output[i] = sum;
}

/// launch(shape, ...) launches the kernel, and receives all its arguments but the filter. has_tile: the kernel has one in
/// shared memory.
template <typename T, typename Launch>
LaunchShape launch_with_border(const ConvolutionArguments<T>& arguments, unsigned block, bool has_tile, Launch launch) {
    const Signal<T>& signal = arguments.signal;
    const size_t outputs = arguments.outputs();
    const LaunchShape shape{dim3(grid_for(outputs, block)), dim3(block),
                            has_tile ? (block + arguments.width - 1) * sizeof(T) : 0};
    if (outputs == 0) return shape;
    launch(shape, signal.values, signal.n, arguments.d_output, outputs, arguments.before());
    const size_t ends = outputs < arguments.width - 1 ? outputs : arguments.width - 1;
    if (ends > 0 && (signal.border == Border::clamp || signal.border == Border::wrap))
        conv1d_ends<<<grid_for(ends, block), block, 0, arguments.stream>>>(signal, arguments.d_output, outputs,
                                                                           arguments.before(), arguments.taps(), ends);
    return shape;
}

template <typename T>
LaunchShape launch_conv1d_global(const ConvolutionArguments<T>& arguments) {
    return launch_with_border(arguments, arguments.block_size, false, [&](const LaunchShape& shape, auto... most) {
        conv1d_global<<<shape.grid, shape.block, 0, arguments.stream>>>(most..., arguments.taps());
    });
}

template <typename T>
LaunchShape launch_conv1d_shared(const ConvolutionArguments<T>& arguments) {
    return launch_with_border(arguments, arguments.block_size, true, [&](const LaunchShape& shape, auto... most) {
        conv1d_shared<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(most...,
                                                                                                 arguments.taps());
    });
}

template <typename T>
LaunchShape launch_conv1d_constant(const ConvolutionArguments<T>& arguments) {
    return launch_with_border(arguments, arguments.block_size, true, [&](const LaunchShape& shape, auto... most) {
        conv1d_constant<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(most...,
                                                                                                   arguments.width);
    });
}

template <typename T>
LaunchShape launch_conv1d_shuffle(const ConvolutionArguments<T>& arguments) {
    const unsigned block = whole_warps(arguments.block_size);
    return launch_with_border(arguments, block, false, [&](const LaunchShape& shape, auto... most) {
        conv1d_shuffle<<<shape.grid, shape.block, 0, arguments.stream>>>(most..., arguments.width);
    });
}

}  // namespace BACKEND
