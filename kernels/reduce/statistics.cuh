// SPDX-License-Identifier: MIT
#pragma once
//   reduce_statistics   everything that one pass over numbers can tell: sum, spread, extremes with their places, NaNs
// A branch that never diverges skips what is not wanted. Doing all of it takes longer than the loads: on an H200 the
// kernel took 1.5 to 2.6 times as long as a plain sum at large sizes, and 3.7 to 4.9 times at 2^20 numbers.
// Any n, any alignment, any grid; the block a power of two from 32 to 256. Block and grid fix the order of additions.
#include "common/cuda/arrivals.cuh"
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/check.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/reduce/found.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/summary.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// This thread's share of the input, as in reduce_single_pass.
template <typename T>
__device__ Summary<T> summarize_share(const T* input, VectorSpan<T> span, Wanted wanted, double scale) {
    constexpr unsigned loads_in_flight = 4;
    const auto* vectors = reinterpret_cast<const Vector<T>*>(input + span.head);
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    RunningSummary<T> running(wanted, scale);
    // A thread takes its numbers in index order: the few before the vectors first.
    const auto add_edge = [&](size_t edge) {
        const T value[] = {input[edge]};
        running.add(value, edge);
    };
    if (blockIdx.x == 0 && threadIdx.x < span.head) add_edge(threadIdx.x);
    for (size_t v = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; v < span.vectors;
         v += loads_in_flight * grid_stride) {
        Vector<T> loaded[loads_in_flight];
#pragma unroll
        for (unsigned k = 0; k < loads_in_flight; ++k) {
            if (v + k * grid_stride < span.vectors) loaded[k] = load_once(vectors + v + k * grid_stride);
        }
#pragma unroll
        for (unsigned k = 0; k < loads_in_flight; ++k) {
            const size_t first = span.head + (v + k * grid_stride) * Vector<T>::length;
            if (v + k * grid_stride < span.vectors) running.add(loaded[k].values, first);
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < span.tail) add_edge(span.edge(span.head + threadIdx.x));
    return running.summary();
}

/// Leaves the block's summary in summaries[0], of one per thread. Only thread 0 may read it without a barrier.
template <typename T>
__device__ void merge_in_block(Summary<T>* summaries) {
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();  // the upper half is complete
        if (threadIdx.x < half) summaries[threadIdx.x].merge(summaries[threadIdx.x + half]);
    }
}

constexpr unsigned largest_statistics_block = 256;

/// Block a power of two from 32 to 256, any grid. partials: one per block; tickets: 0 before the launch, and again
/// after it. Dynamic shared memory: one summary per thread.
template <typename T>
__global__ void __launch_bounds__(largest_statistics_block, 3)
    reduce_statistics(const T* input, VectorSpan<T> span, Wanted wanted, double scale, Summary<T>* partials,
                      unsigned* tickets, Summary<T>* result) {
    auto* summaries = dynamic_shared<Summary<T>>();
    summaries[threadIdx.x] = summarize_share(input, span, wanted, scale);
    merge_in_block(summaries);
    if (threadIdx.x == 0) partials[blockIdx.x] = summaries[0];
    if (!is_last_block(tickets, gridDim.x)) return;

    Summary<T> merged = Summary<T>::of_nothing();
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) merged.merge(partials[block]);
    summaries[threadIdx.x] = merged;
    merge_in_block(summaries);
    if (threadIdx.x == 0) *result = summaries[0];
}

/// Block size rounded down to a power of two, at most 256; at most as many blocks as are resident at once.
template <typename T>
LaunchShape statistics_shape(const ReduceArguments<T>& arguments) {
    const unsigned rounded = power_of_two_block(arguments.block_size);
    const unsigned block = rounded < largest_statistics_block ? rounded : largest_statistics_block;
    const PassPlan plan{block, Vector<T>::length, 0, resident_blocks(2 * block, arguments.multiprocessors)};
    return {dim3(plan.grid_of(arguments.n)), dim3(block), block * sizeof(Summary<T>)};
}

constexpr size_t statistics_ticket_bytes = 16;  // the counter, and room to keep the partials aligned

/// Bytes of workspace, zeroed once by the caller: the ticket counter and one partial per block.
template <typename T>
size_t reduce_statistics_workspace(const ReduceArguments<T>& arguments) {
    return statistics_ticket_bytes + statistics_shape(arguments).grid.x * sizeof(Summary<T>);
}

template <typename T>
LaunchShape launch_reduce_statistics(const ReduceArguments<T>& arguments) {
    const LaunchShape shape = statistics_shape(arguments);
    auto* workspace = static_cast<unsigned char*>(arguments.d_workspace);
    const auto kernel = reduce_statistics<T>;
    // Without this there may be room for only one or two blocks.
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared));
    kernel<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(
        arguments.d_input, split_into_vectors(arguments.d_input, arguments.n), arguments.wanted, arguments.scale,
        reinterpret_cast<Summary<T>*>(workspace + statistics_ticket_bytes), reinterpret_cast<unsigned*>(workspace),
        &arguments.d_found->summary);
    return shape;
}

}  // namespace BACKEND
