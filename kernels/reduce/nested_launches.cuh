// SPDX-License-Identifier: MIT
#pragma once
// The launch functions of the recursive reductions. Their kernels launch kernels and are a translation unit of their
// own (tools/reduce/device_launches.cu), for float, double, int32_t and int64_t.
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"

namespace BACKEND {

/// The grid of the first level: at most as many blocks as keep all launches that can be pending at once, two for each
/// level of each block, within the device's default limit.
constexpr unsigned nested_grid(size_t n, unsigned block_size) {
    constexpr unsigned pending_launches = 2048;
    unsigned levels = 0;
    for (unsigned left = block_size; left > 1; left /= 2) ++levels;
    const unsigned most = pending_launches / (2 * levels), needed = grid_for(n, block_size);
    return needed < most ? needed : most;
}

/// Block size rounded down to a power of two from 32. Destroys its input.
template <typename T>
LaunchShape launch_reduce_nested(const ReduceArguments<T>& arguments, bool waits);

/// Block size rounded down to a power of two from 32. Destroys its input.
template <typename T>
LaunchShape launch_reduce_nested_together(const ReduceArguments<T>& arguments);

/// Bytes of workspace for both: a partial per block.
template <typename T>
size_t nested_workspace(const ReduceArguments<T>& arguments) {
    return nested_grid(arguments.n, power_of_two_block(arguments.block_size)) * sizeof(T);
}

}  // namespace BACKEND
