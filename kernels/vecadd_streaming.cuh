#pragma once
// The last step of the ladder of vecadd.cuh, at every size at least as fast as CUB's DeviceTransform on an H200:
//   vecadd_vectors   for arrays that fit into L2: 16 bytes per thread, read without displacing anything from L1
//   vecadd_tiles     for arrays that do not: removes the registers that loads in flight wait in. On Hopper a block's
//                    tile comes as one bulk copy per array into shared memory, asked for by one thread, so that even a
//                    few small blocks keep the memory busy; more than needed in flight would make it slower again
// What limits large arrays is the memory itself: 92 % of its nominal bandwidth, since it must turn around between
// reading and writing.
#include "common/launch_shape.cuh"
#include "common/vecadd_arguments.cuh"
#include "common/vector_access.cuh"

#include <cuda_runtime.h>

#if defined(__CUDACC__) && !defined(__SIMCC__)
#include "common/hopper_async.cuh"
#endif

#include <cstddef>
#include <cstdint>

namespace BACKEND {

template <typename T> __device__ __forceinline__ T add(T left, T right) { return left + right; }

template <typename T> __device__ __forceinline__ Vector<T> add(Vector<T> left, const Vector<T>& right) {
#pragma unroll
    for (unsigned k = 0; k < Vector<T>::length; ++k) left.values[k] += right.values[k];
    return left;
}

constexpr unsigned streaming_block = 256;

/// A thread for each vector, then one for each element outside them; grid ceil((vectors + edges) / 256). All three
/// arrays reach a 16-byte boundary after span.head elements.
template <typename T>
__global__ void __launch_bounds__(streaming_block) vecadd_vectors(const T* a, const T* b, T* c, VectorSpan<T> span) {
    const size_t thread = static_cast<size_t>(blockIdx.x) * streaming_block + threadIdx.x;
    if (thread < span.vectors) {
        const Vector<T> left = load_once(reinterpret_cast<const Vector<T>*>(a + span.head) + thread);
        const Vector<T> right = load_once(reinterpret_cast<const Vector<T>*>(b + span.head) + thread);
        reinterpret_cast<Vector<T>*>(c + span.head)[thread] = add(left, right);
    } else {
        const size_t k = thread - span.vectors;
        if (k < span.edges()) c[span.edge(k)] = a[span.edge(k)] + b[span.edge(k)];
    }
}

#if defined(__CUDACC__) && !defined(__SIMCC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define HAVE_BULK_COPY 1
/// Asks for `bytes` of global memory in shared memory; the barrier counts them as they come. Both addresses and the
/// number are multiples of 16.
__device__ __forceinline__ void copy_bytes_in(void* shared, const void* global, unsigned bytes,
                                              std::uint64_t* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(shared_address(shared)), "l"(__cvta_generic_to_global(global)), "r"(bytes),
                   "r"(shared_address(barrier))
                 : "memory");
}
#else
#define HAVE_BULK_COPY 0
#endif

/// A tile of tile_bytes per block of 256 threads; grid ceil(n * sizeof(T) / tile_bytes). Any n.
/// Unit is what a thread adds at a time: T, with any alignment of each array, or Vector<T>, with all three aligned.
/// Before Hopper the tile goes straight through registers, as it does everywhere at the two ends of the arrays, where
/// copies of multiples of 16 bytes could reach beyond them.
template <typename T, typename Unit, unsigned tile_bytes>
__global__ void __launch_bounds__(streaming_block) vecadd_tiles(const T* a, const T* b, T* c, size_t n) {
    static_assert(tile_bytes % vector_bytes == 0 && tile_bytes % sizeof(T) == 0);
    constexpr unsigned tile = tile_bytes / sizeof(T);
    const size_t first = static_cast<size_t>(blockIdx.x) * tile;

#if HAVE_BULK_COPY
    // A copy starts at the 16-byte boundary before the tile and, if that is not where the tile starts, ends after it:
    // by less than 16 bytes, which must exist.
    if (blockIdx.x > 0 && first + tile + Vector<T>::length <= n) {
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
            fence_shared_for_copies(); // the copy engine sees the barrier; a wider fence would cost more than the tile
            barrier_arrive_and_expect(&arrived, a_copied + b_copied);
            copy_bytes_in(a_bytes, reinterpret_cast<const unsigned char*>(a + first) - a_offset, a_copied, &arrived);
            copy_bytes_in(b_bytes, reinterpret_cast<const unsigned char*>(b + first) - b_offset, b_copied, &arrived);
        }
        __syncthreads(); // nobody waits at the barrier before it is one
        barrier_wait(&arrived, 0);

        const auto* left = reinterpret_cast<const Unit*>(a_bytes + a_offset);
        const auto* right = reinterpret_cast<const Unit*>(b_bytes + b_offset);
        auto* sum = reinterpret_cast<Unit*>(c + first);
#pragma unroll 1
        for (unsigned i = threadIdx.x; i < tile_bytes / sizeof(Unit); i += streaming_block) {
            sum[i] = add(left[i], right[i]);
        }
        return;
    }
#endif
    for (unsigned i = threadIdx.x; i < tile && first + i < n; i += streaming_block) {
        c[first + i] = a[first + i] + b[first + i];
    }
}

template <typename T, typename Unit, unsigned tile_bytes>
LaunchShape launch_vecadd_tiles(const VecaddArguments<T>& arguments) {
    const unsigned grid = grid_for(arguments.n, tile_bytes / sizeof(T));
    vecadd_tiles<T, Unit, tile_bytes>
        <<<grid, streaming_block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c, arguments.n);
    return {dim3(grid), dim3(streaming_block), 0};
}

/// Chooses by size and alignment, from measurements on an H200; block_size is not used. Tiles of 3 or 4 KiB are the
/// smallest whole number of elements per thread with which eight resident blocks have 48 KiB in flight, and up to
/// that size smaller is better; between L2 and 256 MiB vectors from slightly larger ones are.
template <typename T> LaunchShape launch_vecadd_streaming(const VecaddArguments<T>& arguments) {
    constexpr size_t mebibyte = 1024 * 1024;
    const size_t array_bytes = arguments.n * sizeof(T);
    if (array_bytes < 32 * mebibyte && share_vector_boundary(arguments)) {
        const VectorSpan<T> span = split_into_vectors(arguments.d_c, arguments.n);
        const unsigned grid = grid_for(span.vectors + span.edges(), streaming_block);
        vecadd_vectors<<<grid, streaming_block, 0, arguments.stream>>>(arguments.d_a, arguments.d_b, arguments.d_c,
                                                                      span);
        return {dim3(grid), dim3(streaming_block), 0};
    }
    const bool aligned = share_vector_boundary(arguments) && split_into_vectors(arguments.d_c, arguments.n).head == 0;
    if (array_bytes < 256 * mebibyte && aligned) return launch_vecadd_tiles<T, Vector<T>, 4096>(arguments);
    constexpr unsigned elements_per_thread = sizeof(T) == 4 ? 3 : 2;
    return launch_vecadd_tiles<T, T, streaming_block * elements_per_thread * sizeof(T)>(arguments);
}

} // namespace BACKEND
