// SPDX-License-Identifier: MIT
#pragma once
// The last step of our own ladder:
//   reduce_tagged_tile    removes, from the single pass, the fence and the ticket: each 64-bit word of a partial has a
//                         tag that says it has arrived, and the last block waits for it. The hand-over is one store
//                         and one load. Also removes the loop, whose every turn costs a memory latency, as do the
//                         instructions fetched for it: one tile per block, up to four blocks of 1024 threads per
//                         multiprocessor. At four 16-byte loads a thread, 132 multiprocessors take 2^23 floats.
//   reduce_tagged_tiles   the same with a loop, for larger inputs
// Any n, any alignment. Block and grid follow from n and the device, not from block_size. They fix the order, so the
// result is the same bits every time.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/mailbox.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/reduce/cluster.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/one_warp.cuh"
#include "kernels/reduce/operators.cuh"
#include "kernels/reduce/running_vector.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// How many blocks a multiprocessor should hold at once, for __launch_bounds__. Eight loads in flight need more
/// registers than a full multiprocessor has; without this the compiler would keep the occupancy and split the loads.
constexpr unsigned resident_blocks_wanted(unsigned block_size, unsigned loads) {
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
    constexpr unsigned resident_threads = 2048;
#else
    constexpr unsigned resident_threads = 1024;  // what every architecture can hold
#endif
    return (loads > 4 ? 1024 : resident_threads) / block_size;
}

/// One tile per block: block_size threads with `loads` vectors each; grid ceil(span.vectors / (block_size * loads)), at
/// least 1; fewer than 2^32 vectors. one_block: the grid is known to be 1, so there is no partial to wait for.
template <unsigned block_size, unsigned loads, bool one_block, typename T, typename Operator, typename Result>
__global__ void __launch_bounds__(block_size, resident_blocks_wanted(block_size, loads))
    reduce_tagged_tile(const T* input, VectorSpan<T> span, Mailbox<ValueOf<Operator>>* boxes, Result* result,
                       Operator op) {
    const unsigned block = one_block ? 0 : blockIdx.x;
    const unsigned last_block = one_block ? 0 : gridDim.x - 1;
    const auto* vectors = reinterpret_cast<const Vector<T>*>(input + span.head);
    const auto vector_count = static_cast<unsigned>(span.vectors);

    RunningVector<T, Operator> running(op);
    running.template add_before<loads>(vectors, block * (block_size * loads) + threadIdx.x, block_size, vector_count,
                                       op);
    ValueOf<Operator> value = running.total(op);
    if (block == last_block && threadIdx.x < span.edges()) {
        value = op.combine(value, input[span.edge(threadIdx.x)]);
    }

    if (one_block) {  // a launch of a few microseconds, in which every step counts
        value = block_reduce_in_one_warp<block_size>(op, value);
        if (threadIdx.x == 0) *result = value;
        return;
    }
    value = block_reduce<block_size / lanes_per_warp>(op, value);
    if (block != last_block) {
        if (threadIdx.x == 0) put_into(&boxes[block], Mailbox<ValueOf<Operator>>::holding(value));
    } else if (threadIdx.x < lanes_per_warp) {  // few boxes: one warp collects them without a barrier
        if (threadIdx.x != 0) value = op.identity();
        value = warp_reduce(op, collect(value, boxes, threadIdx.x, lanes_per_warp, last_block, op));
        if (threadIdx.x == 0) *result = value;
    }
}

/// Any number of tiles, any grid: the blocks stride over them.
template <unsigned block_size, unsigned loads, typename T, typename Operator, typename Result>
__global__ void __launch_bounds__(block_size, resident_blocks_wanted(block_size, loads))
    reduce_tagged_tiles(const T* input, VectorSpan<T> span, Mailbox<ValueOf<Operator>>* boxes, Result* result,
                        Operator op) {
    constexpr unsigned tile = block_size * loads;
    const unsigned last_block = gridDim.x - 1;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * tile;
    const auto* next = reinterpret_cast<const Vector<T>*>(input + span.head);
    const auto* end = next + span.vectors;
    next += static_cast<size_t>(blockIdx.x) * tile + threadIdx.x;

    RunningVector<T, Operator> running(op);
    constexpr std::ptrdiff_t last_load = (loads - 1) * block_size;
    for (; end - next > last_load; next += grid_stride) running.template add<loads>(next, block_size, op);
    running.template add_before<loads>(next, std::ptrdiff_t{0}, block_size, end - next, op);
    ValueOf<Operator> value = running.total(op);
    if (blockIdx.x == last_block) {  // many boxes: all threads collect them before the block's only reduction
        if (threadIdx.x < span.edges()) value = op.combine(value, input[span.edge(threadIdx.x)]);
        value = collect(value, boxes, threadIdx.x, block_size, last_block, op);
    }

    value = block_reduce<block_size / lanes_per_warp>(op, value);
    if (threadIdx.x == 0) {
        if (blockIdx.x == last_block) {
            *result = value;
        } else {
            put_into(&boxes[blockIdx.x], Mailbox<ValueOf<Operator>>::holding(value));
        }
    }
}

/// The grid of reduce_tagged_tiles: more blocks than are resident, so that a faster multiprocessor takes more of them.
constexpr unsigned tagged_loop_grid(size_t tiles, unsigned multiprocessors, unsigned blocks_per_multiprocessor) {
    const size_t wanted = static_cast<size_t>(multiprocessors) * blocks_per_multiprocessor;
    return static_cast<unsigned>(tiles < wanted ? tiles : wanted);
}

constexpr unsigned most_blocks_per_multiprocessor = 32;

/// Bytes of workspace, zeroed once by the caller: a mailbox for every block of the largest grid, whatever n is.
template <typename T>
size_t reduce_tagged_workspace(const ReduceArguments<T>& arguments) {
    return most_blocks_per_multiprocessor * arguments.multiprocessors * sizeof(Mailbox<T>);
}

template <typename T>
using TaggedKernel = OperatorKernel<T, const T*, VectorSpan<T>, Mailbox<T>*, T*>;

template <typename T>
LaunchShape launch_tagged(const TaggedKernel<T>& kernel, unsigned grid, unsigned block_size, VectorSpan<T> span,
                          const ReduceArguments<T>& arguments) {
    const LaunchShape shape{dim3(grid), dim3(block_size), 0};
    launch_operator_kernel<T>(kernel, shape, arguments, arguments.d_input, span,
                              static_cast<Mailbox<T>*>(arguments.d_workspace), arguments.d_result);
    return shape;
}

template <unsigned block_size, unsigned loads, bool one_block, typename T>
LaunchShape launch_tagged_tile(const ReduceArguments<T>& arguments, VectorSpan<T> span) {
    return launch_tagged(
        {reduce_tagged_tile<block_size, loads, one_block>, reduce_tagged_tile<block_size, loads, one_block>},
        grid_for(span.vectors, block_size * loads), block_size, span, arguments);
}

template <unsigned block_size, unsigned loads, typename T>
LaunchShape launch_tagged_tiles(const ReduceArguments<T>& arguments, VectorSpan<T> span,
                                unsigned blocks_per_multiprocessor) {
    const size_t tiles = divide_up(span.vectors, block_size * loads);
    return launch_tagged({reduce_tagged_tiles<block_size, loads>, reduce_tagged_tiles<block_size, loads>},
                         tagged_loop_grid(tiles, arguments.multiprocessors, blocks_per_multiprocessor), block_size,
                         span, arguments);
}

/// Chooses by size, from measurements on an H200: one warp; one block; a cluster; one tile per block on the whole
/// device; then loops, first with small tiles, which balance better, then with large ones, which wait less often.
template <typename T>
LaunchShape launch_reduce_tagged(const ReduceArguments<T>& arguments) {
    const VectorSpan<T> span = split_into_vectors(arguments.d_input, arguments.n);
    const size_t multiprocessors = arguments.multiprocessors;
    const auto fits = [&](size_t tile, size_t blocks) { return span.vectors <= tile * blocks; };
    if (fits(32 * 8, 1)) return launch_tagged_tile<32, 8, true>(arguments, span);
    if (fits(256 * 4, 1)) return launch_tagged_tile<256, 4, true>(arguments, span);
    if (fits(512 * 8, 1)) return launch_tagged_tile<512, 8, true>(arguments, span);
#if defined(__CUDACC__) && !defined(__SIMCC__)
    if (fits(1024 * 4, blocks_in_cluster)) {
        const bool small = fits(512 * 4, blocks_in_cluster);
        const ClusterKernel<T> kernel = small ? ClusterKernel<T>{reduce_cluster<512, 4>, reduce_cluster<512, 4>}
                                              : ClusterKernel<T>{reduce_cluster<1024, 4>, reduce_cluster<1024, 4>};
        if (runs_in_cluster(kernel)) return launch_cluster(kernel, small ? 512 : 1024, span, arguments);
    }
#endif
    if (fits(256 * 4, multiprocessors / 2)) return launch_tagged_tile<256, 4, false>(arguments, span);
    if (fits(512 * 4, multiprocessors * 2)) return launch_tagged_tile<512, 4, false>(arguments, span);
    if (fits(1024 * 4, multiprocessors * 4)) return launch_tagged_tile<1024, 4, false>(arguments, span);
    if (fits(1024 * 8, multiprocessors * most_blocks_per_multiprocessor)) {
        return launch_tagged_tiles<512, 4>(arguments, span, 8);
    }
    return launch_tagged_tiles<1024, 8>(arguments, span, most_blocks_per_multiprocessor);
}

}  // namespace BACKEND
