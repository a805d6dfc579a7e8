// SPDX-License-Identifier: MIT
#pragma once
// The second step of our own ladder:
//   reduce_single_pass   removes, from the grid-stride loop, three quarters of the load instructions (16 bytes each),
//                        the waiting between them (four in flight), the launch that sets the result to the identity,
//                        and the varying order: the block that finishes last adds all partials in index order
// It continues in tagged.cuh. Any n, any alignment; block size a multiple of 32. n, block size and grid fix the order:
// the same bits every time.
// The pattern is the CUDA guide's: partial, fence, ticket; the block that draws the last ticket sees every partial.
#include "common/cuda/block_reduction.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Combines the elements of a vector, from the first to the last.
template <typename T, typename Operator>
__device__ inline T combine_vector(T value, const Vector<T>& vector, Operator op) {
#pragma unroll
    for (unsigned k = 0; k < Vector<T>::length; ++k) value = op.combine(value, vector.values[k]);
    return value;
}

/// This thread's share of the input: every grid_stride-th vector and, in block 0, one of the few elements outside the
/// vectors.
template <typename T, typename Operator>
__device__ T reduce_share(const T* input, VectorSpan<T> span, Operator op) {
    constexpr unsigned loads_in_flight = 4;
    const auto* vectors = reinterpret_cast<const Vector<T>*>(input + span.head);
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    size_t v = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    T value = op.identity();

    for (; v + (loads_in_flight - 1) * grid_stride < span.vectors; v += loads_in_flight * grid_stride) {
        Vector<T> loaded[loads_in_flight];
#pragma unroll
        for (unsigned k = 0; k < loads_in_flight; ++k) loaded[k] = vectors[v + k * grid_stride];
#pragma unroll
        for (unsigned k = 0; k < loads_in_flight; ++k) value = combine_vector(value, loaded[k], op);
    }
    for (; v < span.vectors; v += grid_stride) value = combine_vector(value, vectors[v], op);

    if (blockIdx.x == 0 && threadIdx.x < span.edges()) {
        value = op.combine(value, input[span.edge(threadIdx.x)]);
    }
    return value;
}

/// Block size a multiple of 32, any grid. partials: one T per block; tickets: 0 before the launch, and again after it.
template <typename T, typename Operator>
__global__ void reduce_single_pass(const T* input, VectorSpan<T> span, T* partials, unsigned* tickets, T* result,
                                   Operator op) {
    __shared__ bool is_last_block;
    const T block_total = block_reduce(op, reduce_share(input, span, op));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = block_total;
        __threadfence();  // the partial is visible to every block before the ticket is drawn
        is_last_block = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1;  // the last ticket wraps the count to 0
        __threadfence();  // the other blocks' partials are read only after the ticket is drawn
    }
    __syncthreads();  // all threads learn whether theirs is the last block
    if (!is_last_block) return;

    const volatile T* arrived = partials;  // volatile: written during this launch, so L1 must not serve them
    T value = op.identity();
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
        value = op.combine(value, static_cast<T>(arrived[block]));
    }
    value = block_reduce(op, value);
    if (threadIdx.x == 0) *result = value;
}

constexpr size_t single_pass_ticket_bytes = 16;  // the counter, and room to keep the partials aligned

/// Block size rounded up to whole warps; grid: one vector per thread, but at most as many blocks as the device holds at
/// once.
template <typename T>
LaunchShape single_pass_shape(const ReduceArguments<T>& arguments) {
    const unsigned block = whole_warps(arguments.block_size);
    const PassPlan plan{block, Vector<T>::length, 0, resident_blocks(block, arguments.multiprocessors)};
    return {dim3(plan.grid_of(arguments.n)), dim3(block), 0};
}

/// Bytes of workspace, zeroed once by the caller: the ticket counter and one partial per block.
template <typename T>
size_t reduce_single_pass_workspace(const ReduceArguments<T>& arguments) {
    return single_pass_ticket_bytes + single_pass_shape(arguments).grid.x * sizeof(T);
}

template <typename T>
LaunchShape launch_reduce_single_pass(const ReduceArguments<T>& arguments) {
    const OperatorKernel<T, const T*, VectorSpan<T>, T*, unsigned*, T*> kernel{reduce_single_pass, reduce_single_pass};
    const LaunchShape shape = single_pass_shape(arguments);
    auto* workspace = static_cast<unsigned char*>(arguments.d_workspace);
    auto* tickets = reinterpret_cast<unsigned*>(workspace);
    auto* partials = reinterpret_cast<T*>(workspace + single_pass_ticket_bytes);
    launch_operator_kernel<T>(kernel, shape, arguments, arguments.d_input,
                              split_into_vectors(arguments.d_input, arguments.n), partials, tickets,
                              arguments.d_result);
    return shape;
}

}  // namespace BACKEND
