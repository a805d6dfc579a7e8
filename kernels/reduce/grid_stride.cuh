#pragma once
// Our ladder's first step, and the form to write first:
//   reduce_grid_stride   removes, from the one-element-per-thread tree, all but one climb of the tree per resident
//                        block: a grid as large as the device strides over the input, each thread summing in a register
// Any n, any alignment; block size a multiple of 32, any grid. The blocks' totals meet in one atomic each, in an order
// that is not fixed: floating sums differ in their last bits from run to run. single_pass.cuh removes that.
#include "kernels/reduce/per_block.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

template <typename T, typename Operator> __global__ void reduce_grid_stride(const T* input, size_t n, T* result) {
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    T value = Operator::identity();
    for (size_t i = first; i < n; i += grid_stride) value = Operator::combine(value, input[i]);

    const T block_total = block_reduce<Operator>(value);
    if (threadIdx.x == 0) Operator::combine_atomically(result, block_total);
}

/// Block size rounded up to whole warps; at most as many blocks as the device holds at once.
template <typename T, typename Operator> LaunchShape launch_reduce_grid_stride(const ReduceArguments<T>& arguments) {
    constexpr unsigned threads_per_multiprocessor = 2048;
    const unsigned block = whole_warps(arguments.block_size);
    const unsigned resident_blocks = arguments.multiprocessors * (threads_per_multiprocessor / block);
    const unsigned needed_blocks = grid_for(arguments.n, block);
    const unsigned grid = needed_blocks < resident_blocks ? needed_blocks : resident_blocks;

    store_identity<T, Operator><<<1, 1, 0, arguments.stream>>>(arguments.d_result);
    reduce_grid_stride<T, Operator>
        <<<grid, block, 0, arguments.stream>>>(arguments.d_input, arguments.n, arguments.d_result);
    return {dim3(grid), dim3(block), 0};
}

} // namespace BACKEND
