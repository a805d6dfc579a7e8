// SPDX-License-Identifier: MIT
#pragma once
// The end of the ladder: chooses by the window's bytes, that is, by width, type and alignment.
#include "kernels/conv1d/async_tile.cuh"
#include "kernels/conv1d/register_tile.cuh"
#include "kernels/conv1d/vectors.cuh"

namespace BACKEND {

/// Up to 9 floats, and a few more if their alignment allows, L1 is fast enough for windows without a tile. Beyond that,
/// floats gain from tiles that bypass the registers; doubles do not, since their sums take twice as long. block_size is
/// not used.
template <typename T>
LaunchShape launch_conv1d_fastest(const ConvolutionArguments<T>& arguments) {
    const VectorSpan<T> span = split_into_vectors(arguments.d_output, arguments.outputs());
    const WindowPlace window = place_windows(arguments, span);
    if (window.vectors <= 3) return launch_conv1d_vectors<3>(arguments, span, window.shift);
    if constexpr (sizeof(T) == sizeof(float)) {
        return launch_conv1d_async_tile(arguments);
    } else {
        if (window.vectors <= 5) return launch_conv1d_vectors<5>(arguments, span, window.shift);
        if (window.vectors <= 6) return launch_conv1d_vectors<6>(arguments, span, window.shift);
        return launch_conv1d_register_tile(arguments);
    }
}

}  // namespace BACKEND
