#pragma once
// Our ladder's second step:
//   reduce_single_pass   removes, from the grid-stride loop, three quarters of the load instructions (16 bytes each),
//                        the waiting between them (four in flight), the second launch, and the unfixed order: the block
//                        that finishes last adds all blocks' partials in index order
// Any n, any alignment; block size a multiple of 32. n, block size and grid fix the order: the same bits every time.
// The pattern is the CUDA guide's: partial, fence, ticket; who draws the last ticket sees every partial.
#include "kernels/reduce/per_block.cuh"
#include "common/cuda/launch_shape.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/operators.cuh"
#include "common/cuda/vector_access.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Combines the elements of a vector, from the first to the last.
template <typename Operator, typename T> __device__ inline T combine_vector(T value, const Vector<T>& vector) {
#pragma unroll
    for (unsigned k = 0; k < Vector<T>::length; ++k) value = Operator::combine(value, vector.values[k]);
    return value;
}

/// This thread's share of the input: every grid_stride-th vector, and in block 0 one of the few elements outside them.
template <typename Operator, typename T> __device__ inline T reduce_share(const T* input, VectorSpan<T> span) {
    constexpr unsigned loads_in_flight = 4;
    const auto* vectors = reinterpret_cast<const Vector<T>*>(input + span.head);
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    size_t v = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    T value = Operator::identity();

    for (; v + (loads_in_flight - 1) * grid_stride < span.vectors; v += loads_in_flight * grid_stride) {
        Vector<T> loaded[loads_in_flight];
#pragma unroll
        for (unsigned k = 0; k < loads_in_flight; ++k) loaded[k] = vectors[v + k * grid_stride];
#pragma unroll
        for (unsigned k = 0; k < loads_in_flight; ++k) value = combine_vector<Operator>(value, loaded[k]);
    }
    for (; v < span.vectors; v += grid_stride) value = combine_vector<Operator>(value, vectors[v]);

    if (blockIdx.x == 0 && threadIdx.x < span.edges()) {
        value = Operator::combine(value, input[span.edge(threadIdx.x)]);
    }
    return value;
}

/// partials: one T per block; tickets: 0 before the launch, and again after it.
template <typename T, typename Operator>
__global__ void reduce_single_pass(const T* input, VectorSpan<T> span, T* partials, unsigned* tickets, T* result) {
    __shared__ bool is_last_block;
    const T block_total = block_reduce<Operator>(reduce_share<Operator>(input, span));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = block_total;
        __threadfence(); // the partial is visible to every block before the ticket is drawn
        is_last_block = atomicInc(tickets, gridDim.x - 1) == gridDim.x - 1; // the last ticket wraps the count to 0
        __threadfence(); // and the other blocks' partials are not read before it is
    }
    __syncthreads(); // all threads learn whether theirs is the last block
    if (!is_last_block) return;

    const volatile T* arrived = partials; // volatile: written during this launch, so not to be taken from a cache
    T value = Operator::identity();
    for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
        value = Operator::combine(value, static_cast<T>(arrived[block]));
    }
    value = block_reduce<Operator>(value);
    if (threadIdx.x == 0) *result = value;
}

constexpr size_t single_pass_ticket_bytes = 16; // the counter, and room to keep the partials aligned

/// The block: block_size rounded up to whole warps. The grid: no larger than the device holds at once.
inline LaunchShape single_pass_shape(size_t n, size_t elements_per_thread, unsigned block_size,
                                     unsigned multiprocessors) {
    constexpr unsigned threads_per_multiprocessor = 2048;
    const unsigned block = whole_warps(block_size);
    const unsigned resident_blocks = multiprocessors * (threads_per_multiprocessor / block);
    const size_t needed_blocks = grid_for(n, elements_per_thread * block);
    return {dim3(needed_blocks < resident_blocks ? static_cast<unsigned>(needed_blocks) : resident_blocks), dim3(block),
            0};
}

/// Bytes of workspace, zeroed once by the caller: the ticket counter and one partial per block.
template <typename T, typename Operator>
size_t reduce_single_pass_workspace(size_t n, unsigned block_size, unsigned multiprocessors) {
    const LaunchShape shape = single_pass_shape(n, Vector<T>::length, block_size, multiprocessors);
    return single_pass_ticket_bytes + shape.grid.x * sizeof(T);
}

template <typename T, typename Operator> LaunchShape launch_reduce_single_pass(const ReduceArguments<T>& arguments) {
    const LaunchShape shape =
        single_pass_shape(arguments.n, Vector<T>::length, arguments.block_size, arguments.multiprocessors);
    auto* workspace = static_cast<unsigned char*>(arguments.d_workspace);
    auto* tickets = reinterpret_cast<unsigned*>(workspace);
    auto* partials = reinterpret_cast<T*>(workspace + single_pass_ticket_bytes);
    reduce_single_pass<T, Operator><<<shape.grid, shape.block, 0, arguments.stream>>>(
        arguments.d_input, split_into_vectors(arguments.d_input, arguments.n), partials, tickets, arguments.d_result);
    return shape;
}

} // namespace BACKEND
