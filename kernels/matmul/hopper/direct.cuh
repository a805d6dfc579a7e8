#pragma once
// C = A B on Hopper in one launch, whatever the alignment of the rows:
//   matmul_direct   removes, from the kernels whose tiles TMA loads, the extra launches that copy matrices whose rows
//                   do not begin at multiples of 16 bytes: such rows are copied to shared memory in units of 8 or 4
//                   bytes. If rows of a 16-bit type have an odd number of elements, the aligned pieces that cover a part
//                   of a row are copied as they are and shifted into place there, once for all warps. The blocks of a
//                   cluster share k, and each adds some rows of all their sums. If more blocks share k, several clusters
//                   leave their sums in global memory, and the last one adds them
// For products of a few microseconds, where the launches of those copies would take longer than the product. Each warp
// multiplies with mma.sync, which reaches less of the 16-bit types' peak than wgmma does. Any m, n and k.
#include "common/cuda/async_copy.cuh"
#include "common/cuda/last_block.cuh"
#include "common/cuda/vector_access.cuh"
#include "kernels/matmul/arguments.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
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
    const T* data;
    size_t rows, columns, stride;  // to the next product's

    __device__ void select(OnlyProduct) {}
    __device__ void select(int product) { data = matrix_of(product, data, stride); }

    /// Whether all rows begin at multiples of so many bytes.
    __host__ __device__ bool is_aligned_to(size_t bytes) const { return columns * sizeof(T) % bytes == 0; }
    /// Whether rows have an odd number of 16-bit elements: cp.async copies at least two. copy() then leaves rows for
    /// straighten() to shift into place.
    __host__ __device__ bool needs_straightening() const { return !is_aligned_to(4); }

    /// Copies `count` rows of `pieces` pieces from (row, column) on; `column` is a multiple of a piece. Zeros outside.
    template <int count, int pieces, int row_elements, int threads>
    __device__ void copy(T* shared, size_t row, size_t column, int thread) const {
        if (is_aligned_to(16)) copy_pieces<count, pieces, row_elements, threads>(shared, row, column, thread);
        else if (is_aligned_to(8))
            copy_units<uint2, count, pieces * 2, row_elements, threads>(shared, row, column, thread);
        else if constexpr (sizeof(T) < 8) {
            if (!needs_straightening())
                copy_units<unsigned, count, pieces * 4, row_elements, threads>(shared, row, column, thread);
            else if constexpr (sizeof(T) == 2)
                copy_covering_rows<count, pieces, row_elements, threads>(shared, row, column, thread);
        }
    }

    /// The same where rows begin at multiples of 16 bytes.
    template <int count, int pieces, int row_elements, int threads>
    __device__ void copy_pieces(T* shared, size_t row, size_t column, int thread) const {
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

    /// Copies `count` rows of `units` units (of 4 or 8 bytes) from (row, column) on, one by one. Zeros outside.
    template <typename Unit, int count, int units, int row_elements, int threads>
    __device__ void copy_units(T* shared, size_t row, size_t column, int thread) const {
        static_assert(threads % units == 0 && count % (threads / units) == 0, "every thread copies as much");
        constexpr int rows_at_once = threads / units, unit = sizeof(Unit) / sizeof(T);
        const int first_r = thread / units, x = thread % units * unit;
        row += first_r;
        const T* source = data + row * columns + column + x;
        shared += first_r * row_elements + x;
        const bool in_row = column + x < columns;
#pragma unroll 4
        for (int i = 0; i < count / rows_at_once; ++i) {
            const bool there = in_row && row + i * rows_at_once < rows;
            copy_async(reinterpret_cast<Unit*>(shared + i * rows_at_once * row_elements),
                       reinterpret_cast<const Unit*>(there ? source : data), there);
            source += rows_at_once * columns;
        }
    }

    /// The place of a row's first element in its piece.
    __device__ unsigned shift_of(size_t row) const { return static_cast<unsigned>(row * columns % piece); }

    /// The same where rows are read in the pieces that cover them, one more per row.
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

    /// Blocks per multiprocessor: each also takes 1 KiB of shared memory for the system.
    static constexpr int by_memory = static_cast<int>(most_shared_bytes / (shared_bytes(sizeof(T) == 2) + 1024)),
                         by_registers = 65536 / (threads * 168),
                         resident = by_registers < 1           ? 1
                                    : by_registers < by_memory ? by_registers
                                                               : by_memory;
};

/// Blocks that share k: `blocks` in clusters of `cluster`, `clusters` of them. If there are several, d_sums has room for a
/// tile of each, and d_tickets is zero between launches and has one for each tile and each block of a cluster.
struct DirectShares {
    unsigned cluster = 1, clusters = 1;
    void* d_sums = nullptr;
    unsigned* d_tickets = nullptr;

    __host__ __device__ unsigned blocks() const { return cluster * clusters; }
};

/// Grid: tiles * shares.blocks(); block Shape::threads. `many`: for the products of a batch.
template <typename Shape, bool many>
__global__ void __launch_bounds__(Shape::threads, Shape::resident)
    matmul_direct(PiecewiseMatrix<typename Shape::T> a, PiecewiseMatrix<typename Shape::T> b, typename Shape::T* c,
                  size_t stride_c, TileOrder order, DirectShares shares) {
#if HOPPER_CODE
    using T = typename Shape::T;
    using Sum = typename Shape::Sum;
    constexpr int piece = Shape::Layout::piece, a_pieces = Shape::tile_k / piece, b_pieces = Shape::tile_n / piece;
    extern __shared__ __align__(1024) unsigned char memory[];
    T* const ring = reinterpret_cast<T*>(memory);
    T* const straight = ring + Shape::stages * Shape::stage;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    const unsigned blocks = shares.blocks(), tile = blockIdx.x / blocks, rank = blockIdx.x % blocks;
    unsigned tile_row = 0, tile_column = 0;
    ProductNumber<many> number{};
    order.place(tile, tile_row, tile_column, number);
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
#pragma unroll 1
    for (int s = 0; s < Shape::stages - 1; ++s) copy(s, s);
    int now = 0, next = Shape::stages - 1;
#pragma unroll 1
    for (int step = 0; step < count; ++step) {
        wait_copies<Shape::stages - 2>();  // this thread's part of the stage has arrived
        __syncthreads();  // all threads' parts have, and all are done with the previous stage, which is refilled next
        const T *stage_a = ring + now * Shape::stage, *stage_b = stage_a + Shape::stage_a;
        if constexpr (sizeof(T) == 2) {
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
            if (shifts_a || shifts_b) __syncthreads();  // all shifted pieces are in place
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
    // This block's part of the tile: some rows, whose sums it adds up at their place in its own shared memory.
    constexpr int length = 16 / sizeof(Sum), vectors = Shape::tile_n / length;
    const unsigned cluster_rank = rank % shares.cluster;
    const int rows = Shape::tile_m / static_cast<int>(shares.cluster),
              first_row = static_cast<int>(cluster_rank) * rows;
    const auto place_of = [&](int i) {
        return reinterpret_cast<Vector<Sum>*>(sums + (first_row + i / vectors) * Shape::row_c + i % vectors * length);
    };
    const auto exists = [&](int r, int x) { return row + r < a.rows && column + x < b.columns; };
    const auto add = [&](Vector<Sum>& total, const float4& bits) {
        const auto& more = reinterpret_cast<const Vector<Sum>&>(bits);
#pragma unroll
        for (int e = 0; e < length; ++e) total.values[e] += more.values[e];
    };
    if (shares.cluster > 1) {
        cluster_barrier();  // all blocks' sums are in shared memory
#pragma unroll 1
        for (int i = thread; i < rows * vectors; i += Shape::threads) {
            if (!exists(first_row + i / vectors, i % vectors * length)) continue;
            Vector<Sum> total = {};
#pragma unroll 4
            for (unsigned block = 0; block < shares.cluster; ++block)
                add(total, load_from_block(reinterpret_cast<const float*>(place_of(i)), block));
            *place_of(i) = total;
        }
        cluster_barrier();  // the totals are in place, and no block reads the shared memory of one that has exited
    } else {
        __syncthreads();  // all warps' sums are in shared memory
    }
    if (shares.clusters > 1) {
        const size_t part = size_t(rows) * vectors, tile_part = part * shares.cluster;
        float4* const d_sums =
            static_cast<float4*>(shares.d_sums) + tile * shares.clusters * tile_part + cluster_rank * part;
#pragma unroll 1
        for (int i = thread; i < rows * vectors; i += Shape::threads)
            __stcg(d_sums + rank / shares.cluster * tile_part + i, *reinterpret_cast<const float4*>(place_of(i)));
        __syncthreads();  // all threads have written their sums
        if (!is_last_block(shares.d_tickets + tile * shares.cluster + cluster_rank, shares.clusters)) return;
#pragma unroll 1
        for (int i = thread; i < rows * vectors; i += Shape::threads) {
            Vector<Sum> total = {};
#pragma unroll 8
            for (unsigned cluster = 0; cluster < shares.clusters; ++cluster)
                add(total, __ldcg(d_sums + cluster * tile_part + i));
            *place_of(i) = total;
        }
        __syncthreads();  // the sums of all clusters are in place
    }
    if (b.columns % length == 0) {
        struct alignas(length * sizeof(T)) Results {
            T values[length];
        };
#pragma unroll 2
        for (int i = thread; i < rows * vectors; i += Shape::threads) {
            const int r = first_row + i / vectors, x = i % vectors * length;
            if (!exists(r, x)) continue;
            const Vector<Sum> total = *place_of(i);
            Results results;
#pragma unroll
            for (int e = 0; e < length; ++e) results.values[e] = static_cast<T>(total.values[e]);
            *reinterpret_cast<Results*>(c + (row + r) * b.columns + column + x) = results;
        }
    } else {  // neighboring lanes store neighboring elements
        constexpr int of_lane = Shape::tile_n / 32;
#pragma unroll 4
        for (int r = first_row + warp; r < first_row + rows; r += Shape::threads / 32) {
            if (row + r >= a.rows) break;
            T* const target = c + (row + r) * b.columns + column + lane;
#pragma unroll
            for (int i = 0; i < of_lane; ++i)
                if (column + lane + i * 32 < b.columns)
                    target[i * 32] = static_cast<T>(sums[r * Shape::row_c + lane + i * 32]);
        }
    }
#endif
}

/// The most blocks of a cluster, and the most that share k; their numbers are powers of two.
constexpr unsigned most_direct_cluster = 16, most_direct_blocks = 128;

/// Whether so many blocks can share k in a product of so many tiles of `tile_elements`: there are a ticket and a place
/// for a tile's sums per multiprocessor.
constexpr bool can_share(unsigned blocks, size_t tiles, size_t tile_elements, size_t sum_bytes,
                         unsigned multiprocessors) {
    if (blocks <= most_direct_cluster) return true;
    return tiles * most_direct_cluster <= multiprocessors &&
           tiles * (blocks / most_direct_cluster) * tile_elements * sum_bytes <=
               multiprocessors * partial_tile_elements * sizeof(float);
}

/// `blocks` share k. `takes_batch`: also compiled for many products at once.
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
    const unsigned cluster = blocks < most_direct_cluster ? blocks : most_direct_cluster;
    const PartialSums partial = partial_sums(arguments);
    const DirectShares shares{cluster, blocks / cluster, partial.d_sums, partial.d_ready};
    return launch_hopper(kernel, order.tiles() * blocks, Shape::threads,
                         Shape::shared_bytes(a.needs_straightening() || b.needs_straightening()), cluster,
                         arguments.stream, a, b, arguments.d_c, arguments.stride_c, order, shares);
}

}  // namespace BACKEND
