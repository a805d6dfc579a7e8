// SPDX-License-Identifier: MIT
// The fastest elementwise sum of two arrays: the last step of vecadd's ladder, and of matadd's, since a matrix without
// gaps is a vector. It chooses by size:
//   sum_vectors   for arrays below 256 MiB: 16 bytes per thread; if L2 can hold the arrays, the loads evict nothing
//                 from L1
//   sum_tiles     for larger ones: no registers wait for loads in flight. On Hopper one thread requests a block's
//                 tile: TMA makes one bulk copy per array into shared memory. A certain number of bytes in flight
//                 keeps the memory busy, and more would make it slower again
// There is nothing left to gain: the memory reaches 92 % of its nominal bandwidth and spends the rest on refresh and on
// turnarounds between reads and writes.
#pragma once

#include <cuda_runtime.h>

#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"

#if defined(__CUDACC__) && !defined(__SIMCC__)
#include "common/cuda/bulk_copy.cuh"
#endif

#include <cstddef>
#include <cstdint>

namespace BACKEND {

constexpr unsigned streaming_block = 256;

/// One thread per vector, then one per element outside the vectors; grid ceil((vectors + edges) / 256). All three
/// arrays reach a 16-byte boundary after span.head elements. spare_l1: whether loads leave L1 alone.
template <typename T, bool spare_l1>
__global__ void __launch_bounds__(streaming_block) sum_vectors(const T* a, const T* b, T* c, VectorSpan<T> span) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * streaming_block + threadIdx.x;
    if (thread < span.vectors) {
        const auto* left_vector = reinterpret_cast<const Vector<T>*>(a + span.head) + thread;
        const auto* right_vector = reinterpret_cast<const Vector<T>*>(b + span.head) + thread;
        Vector<T> sum = spare_l1 ? load_once(left_vector) : *left_vector;
        const Vector<T> right = spare_l1 ? load_once(right_vector) : *right_vector;
#pragma unroll
        for (unsigned k = 0; k < Vector<T>::length; ++k) sum.values[k] += right.values[k];
        reinterpret_cast<Vector<T>*>(c + span.head)[thread] = sum;
    } else {
        const size_t k = thread - span.vectors;
        if (k < span.edges()) c[span.edge(k)] = a[span.edge(k)] + b[span.edge(k)];
    }
}

#if defined(__CUDACC__) && !defined(__SIMCC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define HAVE_BULK_COPY 1
#else
#define HAVE_BULK_COPY 0
#endif

/// How many elements a thread adds in sum_tiles: the fewest that give eight resident blocks of 256 threads 48 KiB in
/// flight. An H200 needs that much per multiprocessor, and much more makes it slower.
template <typename T>
constexpr unsigned streaming_items = sizeof(T) == 4 ? 3 : 2;

/// One tile of 256 * streaming_items elements per block; grid ceil(n / tile). Any n, any alignment of each array.
/// Before Hopper the elements go straight through registers. So do those at the two ends of the arrays everywhere:
/// copies of multiples of 16 bytes could reach beyond the arrays there.
template <typename T>
__global__ void __launch_bounds__(streaming_block) sum_tiles(const T* a, const T* b, T* c, size_t n) {
    constexpr unsigned tile = streaming_block * streaming_items<T>;
    const size_t first = static_cast<size_t>(blockIdx.x) * tile;

#if HAVE_BULK_COPY
    // A copy starts at the last 16-byte boundary at or before the tile. If the tile does not start there, the copy ends
    // less than 16 bytes after it, and those bytes must exist.
    if (blockIdx.x > 0 && first + tile + Vector<T>::length <= n) {
        constexpr unsigned tile_bytes = tile * sizeof(T);
        constexpr unsigned shared_bytes = tile_bytes + vector_bytes;
        __shared__ __align__(128) unsigned char a_bytes[shared_bytes];
        __shared__ __align__(128) unsigned char b_bytes[shared_bytes];
        __shared__ std::uint64_t arrived;
        const auto a_offset = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(a) % vector_bytes);
        const auto b_offset = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(b) % vector_bytes);
        if (threadIdx.x == 0) {
            const unsigned a_copied = a_offset == 0 ? tile_bytes : shared_bytes;
            const unsigned b_copied = b_offset == 0 ? tile_bytes : shared_bytes;
            barrier_init(&arrived, 1);
            fence_shared_for_copies();  // TMA sees the barrier; a fence for global memory, too, costs 5 %
            barrier_arrive_and_expect(&arrived, a_copied + b_copied);
            copy_bytes_in(a_bytes, reinterpret_cast<const unsigned char*>(a + first) - a_offset, a_copied, &arrived);
            copy_bytes_in(b_bytes, reinterpret_cast<const unsigned char*>(b + first) - b_offset, b_copied, &arrived);
        }
        __syncthreads();  // no thread waits at the barrier before it is initialized
        barrier_wait(&arrived, 0);

        const T* left = reinterpret_cast<const T*>(a_bytes + a_offset);
        const T* right = reinterpret_cast<const T*>(b_bytes + b_offset);
#pragma unroll 1
        for (unsigned i = threadIdx.x; i < tile; i += streaming_block) c[first + i] = left[i] + right[i];
        return;
    }
#endif
    for (unsigned i = threadIdx.x; i < tile && first + i < n; i += streaming_block) {
        c[first + i] = a[first + i] + b[first + i];
    }
}

/// The arrays need only T's alignment. Neither input may overlap the output.
template <typename T>
struct StreamingSum {
    const T* d_a = nullptr;
    const T* d_b = nullptr;
    T* d_c = nullptr;
    size_t n = 0;
    cudaStream_t stream = nullptr;
};

/// Whether all three arrays are equally far from a 16-byte boundary, so that vectors of one are vectors of all.
template <typename T>
bool share_vector_boundary(const T* a, const T* b, const T* c) {
    const auto offset = [](const T* address) { return reinterpret_cast<std::uintptr_t>(address) % vector_bytes; };
    return offset(a) == offset(c) && offset(b) == offset(c);
}

template <bool spare_l1, typename T>
LaunchShape launch_sum_vectors(const StreamingSum<T>& sum) {
    const VectorSpan<T> span = split_into_vectors(sum.d_c, sum.n);
    const unsigned grid = grid_for(span.vectors + span.edges(), streaming_block);
    const auto kernel = sum_vectors<T, spare_l1>;
    kernel<<<grid, streaming_block, 0, sum.stream>>>(sum.d_a, sum.d_b, sum.d_c, span);
    return {dim3(grid), dim3(streaming_block), 0, address_of(kernel)};
}

/// Chooses by size and alignment; the limits were measured on an H200.
template <typename T>
LaunchShape launch_streaming_sum(const StreamingSum<T>& sum) {
    constexpr size_t mebibyte = 1024 * 1024;
    const size_t array_bytes = sum.n * sizeof(T);
    if (array_bytes < 256 * mebibyte && share_vector_boundary(sum.d_a, sum.d_b, sum.d_c)) {
        if (array_bytes < 32 * mebibyte) return launch_sum_vectors<true>(sum);
        return launch_sum_vectors<false>(sum);
    }
    const unsigned grid = grid_for(sum.n, streaming_block * streaming_items<T>);
    const auto kernel = sum_tiles<T>;
    kernel<<<grid, streaming_block, 0, sum.stream>>>(sum.d_a, sum.d_b, sum.d_c, sum.n);
    return {dim3(grid), dim3(streaming_block), 0, address_of(kernel)};
}

}  // namespace BACKEND
