// SPDX-License-Identifier: MIT
#pragma once
// The first step of our own ladder, and the reduction to write first:
//   reduce_grid_stride   removes, from one element per thread, all trees but one per resident block: a grid that fills
//                        the device strides over the input, and each thread sums in a register
// It continues in single_pass.cuh. Any n, any alignment; block size a multiple of 32, any grid. Each block adds its
// total with one atomic, in no fixed order, so floating-point sums differ in their last bits from run to run.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Block size a multiple of 32; any grid.
template <typename T, typename Operator>
__global__ void reduce_grid_stride(const T* input, size_t n, T* result, Operator op) {
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    T value = op.identity();
    for (size_t i = first; i < n; i += grid_stride) value = op.combine(value, input[i]);

    const T block_total = block_reduce(op, value);
    if (threadIdx.x == 0) op.combine_atomically(result, block_total);
}

/// Block size rounded up to whole warps; at most as many blocks as the device holds at once.
template <typename T>
LaunchShape launch_reduce_grid_stride(const ReduceArguments<T>& arguments) {
    const PassPlan plan{whole_warps(arguments.block_size), 1, 0,
                        resident_blocks(whole_warps(arguments.block_size), arguments.multiprocessors)};
    return launch_onto_identity<T>({reduce_grid_stride, reduce_grid_stride},
                                   {dim3(plan.grid_of(arguments.n)), dim3(plan.block_size), 0}, arguments);
}

}  // namespace BACKEND
