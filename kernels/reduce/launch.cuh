// SPDX-License-Identifier: MIT
#pragma once
// What the launch functions of the reductions share: their arguments, and a kernel for either operator. The ladders,
// each from slow to fast:
//   textbook/atomic.cuh            a tutorial's: one atomic per block
//   textbook/shared.cuh            a course's: a tree in shared memory
//   textbook/in_place.cuh          a book's: a tree in global memory
//   textbook/grid_sync.cuh         all in one launch, with a barrier for the grid
//   textbook/nested.cuh            the same book's kernels that launch kernels
//   single_pass.cuh, tagged.cuh    our own, for which textbook/atomic.cuh has the first step; tagged.cuh is the fastest
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

template <typename T>
struct Found;

/// Reduce n elements of d_input into *d_result, on `stream`.
/// d_input: aligned as T is, not more. Only the in-place and nested kernels write to it; they say so.
/// d_workspace: workspace_bytes bytes, 16-byte aligned, at least as many as the kernel's workspace function asks for.
///     The caller ZEROES IT ONCE after allocation (some kernels keep a counter or flags there). Every kernel leaves
///     it ready for its own next launch of any size, but not for another kernel's. Launches that share a workspace
///     must not overlap.
/// d_found: kernels that find more than one value write here, not to d_result. `wanted` names the values; the moments
///     are those of the numbers times `scale`, a power of two.
/// block_size: a request, 1 to 1024; each kernel says how it rounds it. smallest_block: to which it may be rounded where
/// the kernel needs no whole warps. grid: the most blocks of kernels that take any number; 0: what suits the device.
/// multiprocessors: of the device in use.
template <typename T>
struct ReduceArguments {
    const T* d_input = nullptr;
    size_t n = 0;
    T* d_result = nullptr;
    Found<T>* d_found = nullptr;
    void* d_workspace = nullptr;
    size_t workspace_bytes = 0;
    Operation operation = Operation::sum;
    Wanted wanted = wants_sum;
    double scale = 1;
    unsigned block_size = 256;
    unsigned smallest_block = lanes_per_warp;
    unsigned grid = 0;
    unsigned multiprocessors = 1;
    cudaStream_t stream = nullptr;
};

/// A kernel template's two instances, one per operator on T. Both pointers are made from the template's name:
/// {reduce_single_pass, reduce_single_pass}. A launch through a pointer costs the same as a launch by name, and the code
/// around it is compiled once for all kernels that take the same parameters.
template <typename T, typename... Parameters>
struct OperatorKernel {
    void (*sum)(Parameters..., Sum<T>);
    void (*extreme)(Parameters..., Extreme<T>);
};

/// Launches the kernel for the arguments' operation.
template <typename T, typename... Parameters>
void launch_operator_kernel(const OperatorKernel<T, Parameters...>& kernel, const LaunchShape& shape,
                            const ReduceArguments<T>& arguments, Parameters... parameters) {
    if (arguments.operation == Operation::sum) {
        const auto sum = kernel.sum;
        sum<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(parameters..., Sum<T>{});
    } else {
        const auto extreme = kernel.extreme;
        extreme<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(
            parameters..., Extreme<T>{arguments.operation == Operation::maximum});
    }
}

/// One thread.
template <typename T>
__global__ void store_value(T* result, T value) {
    *result = value;
}

/// Stores the result of reducing nothing.
template <typename T>
void launch_store_identity(const ReduceArguments<T>& arguments) {
    store_value<T><<<1, 1, 0, arguments.stream>>>(arguments.d_result, identity_of<T>(arguments.operation));
}

/// How a launch divides n values: a block takes block_size * items_per_thread of them, or more if that would make more
/// than most_blocks blocks.
struct PassPlan {
    unsigned block_size;
    unsigned items_per_thread = 1;
    size_t dynamic_shared_bytes = 0;
    unsigned most_blocks = ~0U;

    unsigned grid_of(size_t n) const {
        const unsigned needed = grid_for(n, static_cast<size_t>(block_size) * items_per_thread);
        return needed < most_blocks ? needed : most_blocks;
    }
};

/// The most blocks of a kernel that strides over its input.
template <typename T>
unsigned most_blocks_of(const ReduceArguments<T>& arguments, unsigned block) {
    return arguments.grid > 0 ? arguments.grid : resident_blocks(block, arguments.multiprocessors);
}

}  // namespace BACKEND
