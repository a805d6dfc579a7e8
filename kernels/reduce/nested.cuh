// SPDX-License-Identifier: MIT
#pragma once
// The third course's recursive reductions, in which kernels launch kernels:
//   reduce_nested (waits)   a block halves its values and launches a child for the rest: log2(block) launches a block,
//                           each followed by a second launch for the work that comes after the child
//   reduce_nested           removes those second launches: the last child stores the block's total
//   reduce_nested_together  removes most launches: one per level for all blocks, log2(block) in all
// In the course each block waits for its child (cudaDeviceSynchronize), which CUDA 12 removed from device code. Here
// the work after the wait is launched into the tail stream and starts once the grid and its children have ended.
// The course's second form also omits the barrier before the launch, but without it the child is guaranteed to see only
// the launching thread's own writes. Its third form launches the next level while other blocks may still be working on
// this one; only a tail launch starts after all of them.
//
// THESE KERNELS DESTROY THEIR INPUT, as those of in_place.cuh do. Any n: each thread of the first level first combines
// the elements that are a grid apart. n and the block size fix the order.
#include "kernels/reduce/in_place.cuh"
#include "kernels/reduce/nested_launches.cuh"

namespace BACKEND {

/// Each thread combines its value with those a whole number of grids further on.
template <typename T, typename Operator>
__device__ inline void fold_grids(T* values, size_t n, Operator op) {
    const size_t grid_size = static_cast<size_t>(gridDim.x) * blockDim.x;
    const size_t mine = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (mine + grid_size >= n) return;
    T total = values[mine];
    for (size_t i = mine + grid_size; i < n; i += grid_size) total = op.combine(total, values[i]);
    values[mine] = total;
}

/// One thread. The work after the child: it copies the child's total to the block's partial.
template <typename T>
__global__ void reduce_nested_join(const T* values, T* partial) {
    *partial = values[0];
}

/// Any block size; any grid. Leaves a partial per block.
template <typename T, typename Operator>
__global__ void reduce_nested(T* values, size_t n, T* partials, bool waits, Operator op) {
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x;
    const unsigned count = elements_in_block(n, first, blockDim.x), half = (count + 1) / 2;
    T* mine = values + first;
    fold_grids(values, n, op);
    __syncthreads();  // the upper half was folded by other threads
    if (threadIdx.x + half < count) mine[threadIdx.x] = op.combine(mine[threadIdx.x], mine[threadIdx.x + half]);
    __syncthreads();  // thread 0 sees all threads' writes, and so does the child that it launches
    if (threadIdx.x > 0) return;
    if (half > 1) {
        reduce_nested<<<1, half>>>(mine, static_cast<size_t>(half), partials + blockIdx.x, waits, op);
        if (waits) reduce_nested_join<<<1, 1, 0, cudaStreamTailLaunch>>>(mine, partials + blockIdx.x);
    } else {
        partials[blockIdx.x] = count > 0 ? mine[0] : op.identity();
    }
}

/// Any grid. The first level has a power-of-two block of `width` threads, each further level half as many; a block's
/// values stay `width` elements from the next block's. Leaves a partial per block.
template <typename T, typename Operator>
__global__ void reduce_nested_together(T* values, size_t n, T* partials, unsigned width, Operator op) {
    const size_t first = static_cast<size_t>(blockIdx.x) * width;
    const unsigned count = elements_in_block(n, first, blockDim.x), half = blockDim.x / 2;
    T* mine = values + first;
    if (blockDim.x == width) {
        fold_grids(values, n, op);
        __syncthreads();  // the upper half was folded by other threads
    }
    if (threadIdx.x < half && threadIdx.x + half < count) {
        mine[threadIdx.x] = op.combine(mine[threadIdx.x], mine[threadIdx.x + half]);
    }
    if (threadIdx.x > 0) return;
    if (half == 1) {
        partials[blockIdx.x] = count > 0 ? mine[0] : op.identity();
    } else if (blockIdx.x == 0) {
        // No barrier: a tail launch starts when all blocks have ended.
        reduce_nested_together<<<gridDim.x, half, 0, cudaStreamTailLaunch>>>(values, n, partials, width, op);
    }
}

/// One block; block size a power of two. Reduces the partials in place.
template <typename T, typename Operator>
__global__ void reduce_nested_partials(T* partials, unsigned count, T* result, Operator op) {
    for (unsigned i = threadIdx.x + blockDim.x; i < count; i += blockDim.x) {
        partials[threadIdx.x] = op.combine(partials[threadIdx.x], partials[i]);
    }
    __syncthreads();  // the upper half was folded by other threads
    for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride && threadIdx.x + stride < count) {
            partials[threadIdx.x] = op.combine(partials[threadIdx.x], partials[threadIdx.x + stride]);
        }
        __syncthreads();  // the next step's upper half was written by other threads
    }
    if (threadIdx.x == 0) *result = partials[0];
}

/// Launches the first level, which launches all others, then reduces the blocks' partials. A grid ends only after its
/// children, so the stream's next launch sees what they wrote.
template <typename T, typename First>
LaunchShape launch_nested(const ReduceArguments<T>& arguments, First launch_first) {
    constexpr unsigned finishing_threads = 128;
    const unsigned block_size = power_of_two_block(arguments.block_size);
    const LaunchShape shape{dim3(nested_grid(arguments.n, block_size)), dim3(block_size)};
    const auto reduce_with = [&](auto op) {
        T* values = const_cast<T*>(arguments.d_input);  // the caller has agreed to lose it
        T* partials = static_cast<T*>(arguments.d_workspace);
        launch_first(shape, values, partials, op);
        reduce_nested_partials<<<1, finishing_threads, 0, arguments.stream>>>(partials, shape.grid.x,
                                                                              arguments.d_result, op);
    };
    if (arguments.operation == Operation::sum) reduce_with(Sum<T>{});
    else reduce_with(Extreme<T>{arguments.operation == Operation::maximum});
    return shape;
}

template <typename T>
LaunchShape launch_reduce_nested(const ReduceArguments<T>& arguments, bool waits) {
    return launch_nested(arguments, [&](const LaunchShape& shape, T* values, T* partials, auto op) {
        reduce_nested<<<shape.grid, shape.block, 0, arguments.stream>>>(values, arguments.n, partials, waits, op);
    });
}

template <typename T>
LaunchShape launch_reduce_nested_together(const ReduceArguments<T>& arguments) {
    return launch_nested(arguments, [&](const LaunchShape& shape, T* values, T* partials, auto op) {
        reduce_nested_together<<<shape.grid, shape.block, 0, arguments.stream>>>(values, arguments.n, partials,
                                                                                 shape.block.x, op);
    });
}

}  // namespace BACKEND
