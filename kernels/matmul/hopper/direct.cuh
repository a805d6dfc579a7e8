#pragma once
// C = A B on Hopper in one launch, whatever the alignment of the rows:
//   matmul_direct   removes, from the kernels whose tiles TMA loads, the extra launches that copy matrices whose rows
//                   do not begin at multiples of 16 bytes: such rows are copied to shared memory element by element.
//                   Of 16-bit types, whose elements are too small for that, the aligned pieces that cover a part of a
//                   row are copied as they are and shifted into place there, once for all warps. The blocks of a cluster
//                   share k, and each adds some rows of all their sums
// For products of a few microseconds, where the launches of those copies would take longer than the product. Each warp
// multiplies with mma.sync, which reaches less of the 16-bit types' peak than wgmma does. Any m, n and k.
#include "common/cuda/async_copy.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/warp_product.cuh"
#include "kernels/matmul/tile_order.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// Starts copying 16 bytes, bypassing L1, or zeros if they do not exist (`there`). (The instruction could copy only the
/// part that exists, but memcheck assumes that all 16 bytes are read.)
__device__ inline void copy_async_or_clear(void* shared, const void* global, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)), "l"(global),
                 "r"(there ? 16 : 0)
                 : "memory");
}

/// A matrix whose rows may begin anywhere.
template <typename T>
struct PiecewiseMatrix {
    static constexpr int piece = DirectLayout<T>::piece;
    /// cp.async copies no element of 2 bytes: such rows are read in the aligned 16-byte pieces that cover them, and
    /// shifted into place later.
    static constexpr bool by_covering_pieces = sizeof(T) == 2;
    const T* data;
    size_t rows, columns, stride;  // to the next product's

    __device__ void select(OnlyProduct) {}
    __device__ void select(int product) { data = matrix_of(product, data, stride); }

    __host__ __device__ bool is_shifted() const { return columns % piece != 0; }
    /// Whether copy() leaves rows for straighten() to shift.
    __host__ __device__ bool needs_straightening() const { return by_covering_pieces && is_shifted(); }
    /// The place of a row's first element in its piece.
    __device__ unsigned shift_of(size_t row) const { return static_cast<unsigned>(row * columns % piece); }

    /// Copies `count` rows of `pieces` pieces from (row, column) on, and one more piece per row if it needs straightening;
    /// `column` is a multiple of a piece. Zeros outside.
    template <int count, int pieces, int row_elements, int threads>
    __device__ void copy(T* shared, size_t row, size_t column, int thread) const {
        if (is_shifted()) {
            if constexpr (by_covering_pieces)
                copy_covering_rows<count, pieces, row_elements, threads>(shared, row, column, thread);
            else copy_elements<count, pieces * piece, row_elements, threads>(shared, row, column, thread);
            return;
        }
        static_assert(threads % pieces == 0 && count % (threads / pieces) == 0, "every thread copies as much");
        constexpr int rows_at_once = threads / pieces;
        const int first_r = thread / pieces, p = thread % pieces;
        const size_t x = column + p * piece;
        row += first_r;
        shared += first_r * row_elements + p * piece;
        const T* source = data + row * columns + x;
#pragma unroll
        for (int i = 0; i < count / rows_at_once; ++i) {
            const bool there = row + i * rows_at_once < rows && x < columns;
            copy_async_or_clear(shared + i * rows_at_once * row_elements, there ? source : data, there);
            source += rows_at_once * columns;
        }
    }

    /// The same where rows are read in the pieces that cover them.
    template <int count, int pieces, int row_elements, int threads>
    __device__ void copy_covering_rows(T* shared, size_t row, size_t column, int thread) const {
        constexpr int rows_at_once = threads / pieces;
        const int first_r = thread / pieces, p = thread % pieces;
        const size_t x = column + p * piece;
        row += first_r;
        shared += first_r * row_elements + p * piece;
#pragma unroll 4
        for (int i = 0; i < count / rows_at_once; ++i) {
            T* const target = shared + i * rows_at_once * row_elements;
            copy_covering(target, row + i * rows_at_once, x);
            if (p == pieces - 1) copy_covering(target + piece, row + i * rows_at_once, x + piece);
        }
    }

    /// Copies `count` rows of `elements` elements from (row, column) on, one by one. Zeros outside.
    template <int count, int elements, int row_elements, int threads>
    __device__ void copy_elements(T* shared, size_t row, size_t column, int thread) const {
        static_assert(threads % elements == 0 && count % (threads / elements) == 0, "every thread copies as much");
        constexpr int rows_at_once = threads / elements;
        const int first_r = thread / elements, x = thread % elements;
        row += first_r;
        const T* source = data + row * columns + column + x;
        shared += first_r * row_elements + x;
        const bool in_row = column + x < columns;
#pragma unroll 8
        for (int i = 0; i < count / rows_at_once; ++i) {
            const bool there = in_row && row + i * rows_at_once < rows;
            copy_async(shared + i * rows_at_once * row_elements, there ? source : data, there);
            source += rows_at_once * columns;
        }
    }

    /// Copies the aligned piece that begins at the row's element x or, if the row is shifted, up to a piece before it.
    __device__ void copy_covering(T* shared, size_t row, size_t x) const {
        const size_t elements = rows * columns, start = row * columns, shift = start % piece, first = start - shift + x;
        const bool there = row < rows && x < columns + shift && first < elements;
        if (there && elements - first < piece) {  // the matrix ends within this piece
#pragma unroll
            for (size_t e = 0; e < piece; ++e) shared[e] = first + e < elements ? data[first + e] : T(0.0f);
            return;
        }
        copy_async_or_clear(shared, there ? data + first : data, there);
    }

    /// Copies those rows to `target`, shifted into place. Elements of the next row become zero.
    template <int count, int pieces, int row_elements, int threads>
    __device__ void straighten(const T* shared, T* target, size_t row, size_t column, int thread) const {
#pragma unroll 2
        for (int i = thread; i < count * pieces; i += threads) {
            const int r = i / pieces, p = i % pieces;
            const uint4* raw = reinterpret_cast<const uint4*>(shared + r * row_elements) + p;
            const unsigned bytes = shift_of(row + r) * sizeof(T);
            const uint4 low = raw[0], high = raw[1];
            std::uint32_t words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
            if (bytes & 8) {
#pragma unroll
                for (int w = 0; w < 6; ++w) words[w] = words[w + 2];
            }
            if (bytes & 4) {
#pragma unroll
                for (int w = 0; w < 5; ++w) words[w] = words[w + 1];
            }
            if (bytes & 2) {
#pragma unroll
                for (int w = 0; w < 4; ++w) words[w] = __funnelshift_r(words[w], words[w + 1], 16);
            }
            Vector<T> shifted;
            *reinterpret_cast<uint4*>(&shifted) = make_uint4(words[0], words[1], words[2], words[3]);
            const size_t x = column + p * piece;
            if (x + piece > columns) {
#pragma unroll
                for (int e = 0; e < piece; ++e)
                    if (x + e >= columns) shifted.values[e] = static_cast<T>(0.0f);
            }
            *reinterpret_cast<Vector<T>*>(target + r * row_elements + p * piece) = shifted;
        }
    }
};

/// A block's tile, its warps' tiles, and the ring of stages.
template <typename T_, bool tensor_, int tile_m_, int tile_n_, int warps_m_, int warps_n_, int stages_>
struct DirectShape {
    using T = T_;
    using Layout = DirectLayout<T>;
    static constexpr bool tensor = tensor_;
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, tile_k = Layout::tile_k, warps_m = warps_m_,
                         warps_n = warps_n_, stages = stages_, threads = warps_m * warps_n * 32;
    static constexpr int warp_m = tile_m / warps_m, warp_n = tile_n / warps_n, row_a = Layout::row_a,
                         row_b = Layout::row_b(tile_n);
    using Product = WarpProduct<T, tensor, tile_n, warp_m, warp_n>;
    using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
    static constexpr int row_c = tile_n + 16 / sizeof(Sum);
    static constexpr int stage_a = tile_m * row_a, stage_b = tile_k * row_b, stage = stage_a + stage_b;  // elements
    static constexpr size_t sums_bytes = sizeof(Sum) * tile_m * row_c;

    static constexpr size_t shared_bytes(bool straightens) {
        const size_t bytes = sizeof(T) * stage * (stages + (straightens ? 1 : 0));
        return bytes > sums_bytes ? bytes : sums_bytes;
    }
};

/// Grid: tiles * `blocks`, the blocks of a cluster, which share k; block Shape::threads. `many`: for the products of a
/// batch.
template <typename Shape, bool many>
__global__ void __launch_bounds__(Shape::threads, 1)
    matmul_direct(PiecewiseMatrix<typename Shape::T> a, PiecewiseMatrix<typename Shape::T> b, typename Shape::T* c,
                  size_t stride_c, TileOrder order, unsigned blocks) {
#if HOPPER_CODE
    using T = typename Shape::T;
    using Sum = typename Shape::Sum;
    constexpr int piece = Shape::Layout::piece, a_pieces = Shape::tile_k / piece, b_pieces = Shape::tile_n / piece;
    extern __shared__ __align__(1024) unsigned char memory[];
    T* const ring = reinterpret_cast<T*>(memory);
    T* const straight = ring + Shape::stages * Shape::stage;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const unsigned rank = blockIdx.x % blocks;
    unsigned tile_row = 0, tile_column = 0;
    ProductNumber<many> number{};
    order.place(blockIdx.x / blocks, tile_row, tile_column, number);
    a.select(number);
    b.select(number);
    c = matrix_of(number, c, stride_c);
    const size_t row = size_t{tile_row} * Shape::tile_m, column = size_t{tile_column} * Shape::tile_n;
    const size_t steps = (a.columns + Shape::tile_k - 1) / Shape::tile_k, first = steps * rank / blocks;
    const int count = static_cast<int>(steps * (rank + 1) / blocks - first);
    const bool shifts_a = a.needs_straightening(), shifts_b = b.needs_straightening();
    const auto copy = [&](int step, int slot) {
        T* const stage = ring + slot * Shape::stage;
        const size_t k = (first + step) * Shape::tile_k;
        if (step < count) {
            a.template copy<Shape::tile_m, a_pieces, Shape::row_a, Shape::threads>(stage, row, k, thread);
            b.template copy<Shape::tile_k, b_pieces, Shape::row_b, Shape::threads>(stage + Shape::stage_a, k, column,
                                                                                   thread);
        }
        commit_copies();
    };

    typename Shape::Product product;
    const int warp_row = warp / Shape::warps_n * Shape::warp_m, warp_column = warp % Shape::warps_n * Shape::warp_n;
#pragma unroll
    for (int s = 0; s < Shape::stages - 1; ++s) copy(s, s);
    int now = 0, next = Shape::stages - 1;
    for (int step = 0; step < count; ++step) {
        wait_copies<Shape::stages - 2>();  // this thread's part of the stage has arrived
        __syncthreads();  // all threads' parts have, and all are done with the previous stage, which is refilled next
        const T *stage_a = ring + now * Shape::stage, *stage_b = stage_a + Shape::stage_a;
        if (shifts_a || shifts_b) {
            const size_t k = (first + step) * Shape::tile_k;
            if (shifts_a) {
                a.template straighten<Shape::tile_m, a_pieces, Shape::row_a, Shape::threads>(stage_a, straight, row, k,
                                                                                             thread);
                stage_a = straight;
            }
            if (shifts_b) {
                b.template straighten<Shape::tile_k, b_pieces, Shape::row_b, Shape::threads>(
                    stage_b, straight + Shape::stage_a, k, column, thread);
                stage_b = straight + Shape::stage_a;
            }
            __syncthreads();  // all shifted pieces are in place
        }
        product.multiply(stage_a + warp_row * Shape::row_a, stage_b + warp_column, lane,
                         [&] { copy(step + Shape::stages - 1, next); });
        now = now + 1 == Shape::stages ? 0 : now + 1;
        next = next + 1 == Shape::stages ? 0 : next + 1;
    }

    wait_copies<0>();
    __syncthreads();  // the stages are no longer read or written: their place is free for the sums
    auto* const sums = reinterpret_cast<Sum*>(memory);
    product.store(sums + warp_row * Shape::row_c + warp_column, Shape::row_c, lane);
    if (blocks == 1) __syncthreads();  // all warps' sums are in shared memory
    else cluster_barrier();            // all blocks' sums are
    constexpr int length = 16 / sizeof(Sum), vectors = Shape::tile_n / length;
    struct alignas(length * sizeof(T)) Results {
        T values[length];
    };
    const int rows = Shape::tile_m / static_cast<int>(blocks), first_row = static_cast<int>(rank) * rows;
    for (int i = thread; i < rows * vectors; i += Shape::threads) {
        const int r = first_row + i / vectors, x = i % vectors * length;
        if (row + r >= a.rows || column + x >= b.columns) continue;
        const Sum* const place = sums + r * Shape::row_c + x;
        Vector<Sum> total = *reinterpret_cast<const Vector<Sum>*>(place);
        if (blocks > 1) {
            total = {};
            for (unsigned block = 0; block < blocks; ++block) {
                const float4 bits = load_from_block(reinterpret_cast<const float*>(place), block);
                const auto& more = reinterpret_cast<const Vector<Sum>&>(bits);
#pragma unroll
                for (int e = 0; e < length; ++e) total.values[e] += more.values[e];
            }
        }
        T* const target = c + (row + r) * b.columns + column + x;
        Results results;
#pragma unroll
        for (int e = 0; e < length; ++e) results.values[e] = static_cast<T>(total.values[e]);
        if (b.columns % length == 0) {
            *reinterpret_cast<Results*>(target) = results;
        } else {
#pragma unroll
            for (int e = 0; e < length; ++e)
                if (column + x + e < b.columns) target[e] = results.values[e];
        }
    }
    if (blocks > 1) cluster_barrier();  // no block reads the shared memory of one that has exited
#endif
}

/// The most blocks that share k; their number is a power of two.
constexpr unsigned most_direct_blocks = 16;

/// `takes_batch`: also compiled for many products at once.
template <typename Shape, bool takes_batch>
LaunchShape launch_direct(const MatmulArguments<void>& untyped, unsigned blocks) {
    using T = typename Shape::T;
    constexpr unsigned group = 8;
    const MatmulArguments<T> arguments = untyped.as<T>();
    const TileOrder order = order_of(arguments, Shape::tile_m, Shape::tile_n, group);
    const PiecewiseMatrix<T> a{arguments.d_a, arguments.m, arguments.k, arguments.stride_a},
        b{arguments.d_b, arguments.k, arguments.n, arguments.stride_b};
    const auto kernel =
        kernel_of<takes_batch>(arguments, matmul_direct<Shape, false>, matmul_direct<Shape, takes_batch>);
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    return launch_hopper(kernel, order.tiles() * blocks, Shape::threads,
                         Shape::shared_bytes(a.needs_straightening() || b.needs_straightening()), blocks,
                         arguments.stream, a, b, arguments.d_c, arguments.stride_c, order, blocks);
}

}  // namespace BACKEND
