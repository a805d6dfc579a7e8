// SPDX-License-Identifier: MIT
#pragma once
// c[i] = a[i] + b[i]: the first kernel of every course, and how to move the same bytes with less waiting.
//   vecadd_one_per_thread   a thread per element, and a test for the threads beyond the end
//   vecadd_grid_stride      removes most block launches: a grid that fills the device strides over n
//   vecadd_unroll4          removes most of the waiting: a thread has eight loads in flight before its first addition
//   vecadd_vector4          removes three quarters of the instructions: 16 bytes per load and store
// The ladder ends in common/cuda/streaming_sum.cuh. Adding two floats moves 12 bytes: 8 read, 4 written.
//
// Any n, any block size. Neither input may overlap the output. Integer sums wrap around as the hardware's do.
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/streaming_sum.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/vecadd/arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// Grid ceil(n / block).
template <typename T>
__global__ void vecadd_one_per_thread(const T* a, const T* b, T* c, size_t n) {
    const size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

/// Any grid.
template <typename T>
__global__ void vecadd_grid_stride(const T* a, const T* b, T* c, size_t n) {
    const size_t first = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t grid_stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = first; i < n; i += grid_stride) c[i] = a[i] + b[i];
}

/// Grid ceil(n / (4 * block)). A thread's elements are a block apart, so that each of its loads is coalesced.
template <typename T>
__global__ void vecadd_unroll4(const T* a, const T* b, T* c, size_t n) {
    constexpr unsigned items_per_thread = 4;
    const unsigned stride = blockDim.x;
    const size_t first = static_cast<size_t>(blockIdx.x) * (items_per_thread * stride) + threadIdx.x;
    T left[items_per_thread];
    T right[items_per_thread];
    if (first + (items_per_thread - 1) * stride < n) {
#pragma unroll
        for (unsigned k = 0; k < items_per_thread; ++k) {
            left[k] = a[first + k * stride];
            right[k] = b[first + k * stride];
        }
#pragma unroll
        for (unsigned k = 0; k < items_per_thread; ++k) c[first + k * stride] = left[k] + right[k];
    } else {  // near the end: some of the four may not exist
        for (size_t i = first; i < n; i += stride) c[i] = a[i] + b[i];
    }
}

/// Grid ceil((vectors + edges) / block): a thread for each vector, then one for each element outside them.
/// All three arrays reach a 16-byte boundary after span.head elements.
template <typename T>
__global__ void vecadd_vector4(const T* a, const T* b, T* c, VectorSpan<T> span) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread < span.vectors) {
        const Vector<T> left = reinterpret_cast<const Vector<T>*>(a + span.head)[thread];
        const Vector<T> right = reinterpret_cast<const Vector<T>*>(b + span.head)[thread];
        Vector<T> sum;
#pragma unroll
        for (unsigned k = 0; k < Vector<T>::length; ++k) sum.values[k] = left.values[k] + right.values[k];
        reinterpret_cast<Vector<T>*>(c + span.head)[thread] = sum;
    } else {
        const size_t k = thread - span.vectors;
        if (k < span.edges()) c[span.edge(k)] = a[span.edge(k)] + b[span.edge(k)];
    }
}

template <typename T>
LaunchShape launch_vecadd_one_per_thread(const VecaddArguments<T>& arguments) {
    const unsigned grid = grid_for(arguments.n, arguments.block_size);
    vecadd_one_per_thread<<<grid, arguments.block_size, 0, arguments.stream>>>(arguments.d_a, arguments.d_b,
                                                                               arguments.d_c, arguments.n);
    return {dim3(grid), dim3(arguments.block_size), 0};
}

/// At most as many blocks as the device holds at once.
template <typename T>
LaunchShape launch_vecadd_grid_stride(const VecaddArguments<T>& arguments) {
    const unsigned most_blocks = resident_blocks(arguments.block_size, arguments.multiprocessors);
    const unsigned needed_blocks = grid_for(arguments.n, arguments.block_size);
    const unsigned grid = needed_blocks < most_blocks ? needed_blocks : most_blocks;
    vecadd_grid_stride<<<grid, arguments.block_size, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c,
                                                                            arguments.n);
    return {dim3(grid), dim3(arguments.block_size), 0};
}

template <typename T>
LaunchShape launch_vecadd_unroll4(const VecaddArguments<T>& arguments) {
    const unsigned grid = grid_for(arguments.n, 4 * arguments.block_size);
    vecadd_unroll4<<<grid, arguments.block_size, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c,
                                                                        arguments.n);
    return {dim3(grid), dim3(arguments.block_size), 0};
}

/// Falls back to one element per thread unless all three arrays reach a 16-byte boundary at the same element.
template <typename T>
LaunchShape launch_vecadd_vector4(const VecaddArguments<T>& arguments) {
    if (!share_vector_boundary(arguments.d_a, arguments.d_b, arguments.d_c))
        return launch_vecadd_one_per_thread(arguments);
    const VectorSpan<T> span = split_into_vectors(arguments.d_c, arguments.n);
    const unsigned grid = grid_for(span.vectors + span.edges(), arguments.block_size);
    vecadd_vector4<<<grid, arguments.block_size, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c,
                                                                        span);
    return {dim3(grid), dim3(arguments.block_size), 0};
}

/// Chooses its own block: block_size is not used.
template <typename T>
LaunchShape launch_vecadd_streaming(const VecaddArguments<T>& arguments) {
    return launch_streaming_sum<T>({arguments.d_a, arguments.d_b, arguments.d_c, arguments.n, arguments.stream});
}

}  // namespace BACKEND
