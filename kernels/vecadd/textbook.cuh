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
#include "kernels/vecadd/arguments.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// Grid ceil(n / block).
template <typename T>
__global__ void vecadd_one_per_thread(const T* a, const T* b, T* c, size_t n) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

/// Any grid.
template <typename T>
__global__ void vecadd_grid_stride(const T* a, const T* b, T* c, size_t n) {
    const size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) c[i] = a[i] + b[i];
}

/// Grid ceil(n / (4 * block)). A thread's elements are a block apart, so that each of its loads is coalesced.
template <typename T>
__global__ void vecadd_unroll4(const T* a, const T* b, T* c, size_t n) {
    const unsigned stride = blockDim.x;
    const size_t first = size_t(blockIdx.x) * (4 * stride) + threadIdx.x;
    if (first + 3 * stride < n) {
        T left[4], right[4];
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) {
            left[k] = a[first + k * stride];
            right[k] = b[first + k * stride];
        }
#pragma unroll
        for (unsigned k = 0; k < 4; ++k) c[first + k * stride] = left[k] + right[k];
    } else {  // near the end: some of the four may not exist
        for (size_t i = first; i < n; i += stride) c[i] = a[i] + b[i];
    }
}

/// 16 bytes, which one instruction loads or stores.
template <typename T>
struct alignas(16) SixteenBytes {
    T values[16 / sizeof(T)];
};

/// Grid ceil((n / length + n % length) / block), where 16 bytes are `length` elements. The arrays begin at multiples of
/// 16 bytes.
template <typename T>
__global__ void vecadd_vector4(const T* a, const T* b, T* c, size_t n) {
    constexpr unsigned length = 16 / sizeof(T);
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x, vectors = n / length;
    if (i < vectors) {
        const auto left = reinterpret_cast<const SixteenBytes<T>*>(a)[i];
        const auto right = reinterpret_cast<const SixteenBytes<T>*>(b)[i];
        SixteenBytes<T> sum;
#pragma unroll
        for (unsigned k = 0; k < length; ++k) sum.values[k] = left.values[k] + right.values[k];
        reinterpret_cast<SixteenBytes<T>*>(c)[i] = sum;
    } else {  // a thread for each of the few elements that are left
        const size_t k = i + vectors * (length - 1);
        if (k < n) c[k] = a[k] + b[k];
    }
}

template <typename T>
LaunchShape launch_vecadd_one_per_thread(const VecaddArguments<T>& arguments) {
    const auto [a, b, c, n, block, multiprocessors, stream] = arguments;
    const unsigned grid = grid_for(n, block);
    vecadd_one_per_thread<<<grid, block, 0, stream>>>(a, b, c, n);
    return {dim3(grid), dim3(block), 0};
}

/// At most as many blocks as the device holds at once.
template <typename T>
LaunchShape launch_vecadd_grid_stride(const VecaddArguments<T>& arguments) {
    const auto [a, b, c, n, block, multiprocessors, stream] = arguments;
    const unsigned most_blocks = resident_blocks(block, multiprocessors), needed_blocks = grid_for(n, block);
    const unsigned grid = needed_blocks < most_blocks ? needed_blocks : most_blocks;
    vecadd_grid_stride<<<grid, block, 0, stream>>>(a, b, c, n);
    return {dim3(grid), dim3(block), 0};
}

template <typename T>
LaunchShape launch_vecadd_unroll4(const VecaddArguments<T>& arguments) {
    const auto [a, b, c, n, block, multiprocessors, stream] = arguments;
    const unsigned grid = grid_for(n, 4 * block);
    vecadd_unroll4<<<grid, block, 0, stream>>>(a, b, c, n);
    return {dim3(grid), dim3(block), 0};
}

/// Falls back to one element per thread unless all three arrays begin at multiples of 16 bytes.
template <typename T>
LaunchShape launch_vecadd_vector4(const VecaddArguments<T>& arguments) {
    const auto [a, b, c, n, block, multiprocessors, stream] = arguments;
    for (const T* array : {a, b, static_cast<const T*>(c)})
        if (reinterpret_cast<std::uintptr_t>(array) % 16 != 0) return launch_vecadd_one_per_thread(arguments);
    constexpr unsigned length = 16 / sizeof(T);
    const unsigned grid = grid_for(n / length + n % length, block);
    vecadd_vector4<<<grid, block, 0, stream>>>(a, b, c, n);
    return {dim3(grid), dim3(block), 0};
}

/// Chooses its own block: block_size is not used.
template <typename T>
LaunchShape launch_vecadd_streaming(const VecaddArguments<T>& arguments) {
    return launch_streaming_sum<T>({arguments.d_a, arguments.d_b, arguments.d_c, arguments.n, arguments.stream});
}

}  // namespace BACKEND
