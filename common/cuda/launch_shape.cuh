// SPDX-License-Identifier: MIT
// What all launch functions share: the shape that they report and how they round.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Grid, block and dynamic shared memory of a launch's main kernel. All zero if a library chose them.
struct LaunchShape {
    dim3 grid{0, 0, 0};
    dim3 block{0, 0, 0};
    size_t dynamic_shared_bytes = 0;
    const void* kernel = nullptr;  // for cudaFuncGetAttributes and the like; null if the launch does not set it
};

template <typename... Parameters>
const void* address_of(void (*kernel)(Parameters...)) {
    return reinterpret_cast<const void*>(kernel);
}

constexpr unsigned lanes_per_warp = 32;
constexpr unsigned largest_block = 1024;
/// A launch with more dynamic shared memory per block than this must request it with cudaFuncSetAttribute().
constexpr size_t most_shared_bytes_without_request = 48 * 1024;

/// count / group, rounded up: how many groups hold `count` elements.
__host__ __device__ constexpr size_t divide_up(size_t count, size_t group) {
    return count / group + (count % group != 0);
}

/// The same, but at least one: a grid needs a block even when there is nothing to do.
__host__ __device__ constexpr unsigned grid_for(size_t count, size_t items_per_block) {
    return count == 0 ? 1U : static_cast<unsigned>(divide_up(count, items_per_block));
}

/// How many blocks of this size the current device holds at once, if registers and shared memory allow: the grid of a
/// kernel that strides over its input.
unsigned resident_blocks(unsigned block_size, unsigned multiprocessors);

/// The block size of a kernel that works in whole warps: `requested` rounded up to a multiple of 32, at most 1024.
constexpr unsigned whole_warps(unsigned requested) {
    const unsigned rounded = (requested + lanes_per_warp - 1) / lanes_per_warp * lanes_per_warp;
    return rounded == 0 ? lanes_per_warp : rounded > largest_block ? largest_block : rounded;
}

/// The block size of a kernel that repeatedly halves its block: `requested` rounded down to a power of two, between
/// `smallest` and 1024.
constexpr unsigned power_of_two_block(unsigned requested, unsigned smallest = lanes_per_warp) {
    unsigned size = largest_block;
    while (size > requested && size > smallest) size /= 2;
    return size;
}

}  // namespace BACKEND
