// SPDX-License-Identifier: MIT
#pragma once
// C = A B on Hopper in one launch, whatever the alignment of the rows:
//   matmul_direct   removes, from the kernels that cannot read such rows through TMA (row_sets.cuh says which can), the
//                   extra launch that copies matrices whose rows do not begin at multiples of 16 bytes: the aligned
//                   pieces that cover a part of a row are copied to shared memory as they are, and warps read their
//                   elements where they lie. (Not in f32, where a lane reads four neighbors at once, and not those of
//                   16-bit types with an even number of elements, which ldmatrix reads: such rows are copied in units
//                   of 8 or 4 bytes.) The blocks of a cluster share k, and each adds some rows of all their sums. If
//                   several clusters share k, they leave their sums in global memory; for each part of the tile, the
//                   last block to finish adds them
// For products of a few microseconds. Each warp multiplies with mma.sync, which reaches less of the 16-bit types' peak
// than wgmma does. Any m, n and k.
#include "common/cuda/async_copy.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/generic/tile_order.cuh"
#include "kernels/matmul/hopper/direct_sums.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/piecewise_matrix.cuh"
#include "kernels/matmul/hopper/warp_product.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace BACKEND {

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
    using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;
    static constexpr int row_c = tile_n + 16 / sizeof(Sum);
    static constexpr int stage_a = tile_m * row_a, stage_b = tile_k * row_b, stage = stage_a + stage_b;  // elements
    static constexpr size_t sums_bytes = sizeof(Sum) * tile_m * row_c;

    static constexpr size_t stages_bytes = sizeof(T) * stage * stages,
                            shared_bytes = stages_bytes > sums_bytes ? stages_bytes : sums_bytes;
    /// In f32 no row is read where it lies: reading B's took up to a tenth longer.
    static constexpr bool only_units = std::is_same_v<T, float> && !tensor;
    /// How rows of so many bytes are copied.
    static constexpr RowCopy copy_of(size_t row_of_a, size_t row_of_b) {
        const auto are_aligned_to = [=](size_t bytes) { return row_of_a % bytes == 0 && row_of_b % bytes == 0; };
        if (are_aligned_to(16)) return RowCopy::pieces;
        return only_units || (sizeof(T) == 2 && are_aligned_to(4)) ? RowCopy::units : RowCopy::shifted;
    }

    /// With few sums a lane, f32 has registers for a loop of 16 steps and for one more block, but not if it copies
    /// units. (3392 x 448 x 192 in tiles of 64 x 64: 23.3 -> 22.0 us on an H100. Else, 8 was best.)
    static constexpr bool few_sums(RowCopy by) {
        return only_units && by == RowCopy::pieces && warp_m * warp_n <= 32 * 32;
    }
    template <RowCopy by>
    using Product = std::conditional_t<only_units, MultiplyAddProduct<tile_n, warp_m, warp_n, few_sums(by) ? 16 : 8>,
                                       WarpProduct<T, tile_n, warp_m, warp_n>>;

    /// Blocks that a multiprocessor holds at least. Each also takes 1 KiB of shared memory for the system.
    static constexpr unsigned resident(RowCopy by) {
        const unsigned registers = few_sums(by) ? 128 : 168;  // that a thread may need
        const unsigned by_registers = 65536 / (threads * registers);
        const auto by_memory = static_cast<unsigned>(most_shared_bytes / (shared_bytes + system_shared_bytes));
        return std::max(1U, std::min(by_registers, by_memory));
    }
};

/// Grid: tiles * shares.blocks(); block Shape::threads. `many`: for the products of a batch.
template <typename Shape, bool many, RowCopy by>
__global__ void __launch_bounds__(Shape::threads, Shape::resident(by))
    matmul_direct(PiecewiseMatrix<typename Shape::T> a, PiecewiseMatrix<typename Shape::T> b, typename Shape::T* c,
                  size_t stride_c, TileOrder order, DirectShares shares) {
#if HOPPER_CODE
    using T = typename Shape::T;
    using Sum = typename Shape::Sum;
    constexpr int piece = Shape::Layout::piece, a_pieces = Shape::tile_k / piece, b_pieces = Shape::tile_n / piece;
    extern __shared__ __align__(1024) unsigned char memory[];
    T* const ring = reinterpret_cast<T*>(memory);
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
    constexpr bool shifted = by == RowCopy::shifted;
    StageCopies<T, shifted, true, Shape::tile_m, a_pieces, Shape::row_a, Shape::threads> copies_of_a(
        a, row, first * Shape::tile_k, thread);
    StageCopies<T, shifted, false, Shape::tile_k, b_pieces, Shape::row_b, Shape::threads> copies_of_b(
        b, first * Shape::tile_k, column, thread);
    const auto copy = [&](int step, int slot) {
        T* const stage = ring + slot * Shape::stage;
        const size_t k = (first + step) * Shape::tile_k;
        if (step < count) {
            if constexpr (by == RowCopy::units) {
                a.template copy<Shape::tile_m, a_pieces, Shape::row_a, Shape::threads>(stage, row, k, thread);
                b.template copy<Shape::tile_k, b_pieces, Shape::row_b, Shape::threads>(stage + Shape::stage_a, k,
                                                                                       column, thread);
            } else {
                copies_of_a.template copy<Shape::tile_k>(stage, a.columns - k);
                copies_of_b.template copy<Shape::tile_k>(stage + Shape::stage_a, a.columns - k);
            }
        }
        commit_copies();
    };

    typename Shape::template Product<by> product;
    const int warp_row = warp / Shape::warps_n * Shape::warp_m, warp_column = warp % Shape::warps_n * Shape::warp_n;
    const unsigned step_of_lane = step_of<T>(lane);
    const RowShifts shifts{a.shift_of(lane / 4), {b.shift_of(step_of_lane), b.shift_of(step_of_lane + 1)}};
#pragma unroll 1
    for (int s = 0; s < Shape::stages - 1; ++s) copy(s, s);
    int now = 0, next = Shape::stages - 1;
#pragma unroll 1
    for (int step = 0; step < count; ++step) {
        wait_copies<Shape::stages - 2>();  // this thread's part of the stage has arrived
        __syncthreads();  // all threads' parts have, and all are done with the previous stage, which is refilled next
        const T *stage_a = ring + now * Shape::stage, *stage_b = stage_a + Shape::stage_a;
        const auto meanwhile = [&] { copy(step + Shape::stages - 1, next); };
        stage_a += warp_row * Shape::row_a;
        stage_b += warp_column;
        const size_t left = a.columns - (first + step) * Shape::tile_k;
        const int existing = left < Shape::tile_k ? static_cast<int>(left) : Shape::tile_k;
        if constexpr (shifted) product.multiply_shifted(stage_a, stage_b, lane, shifts, meanwhile);
        else product.multiply(stage_a, stage_b, lane, existing, meanwhile);
        now = now + 1 == Shape::stages ? 0 : now + 1;
        next = next + 1 == Shape::stages ? 0 : next + 1;
    }

    wait_copies<0>();
    __syncthreads();  // the stages are no longer read or written: their place is free for the sums
    auto* const sums = reinterpret_cast<Sum*>(memory);
    product.store(sums + warp_row * Shape::row_c + warp_column, Shape::row_c, lane);
    const auto row_of = [&](unsigned block) { return static_cast<int>(Shape::tile_m * block / shares.cluster); };
    const int first_row = row_of(rank % shares.cluster), rows = row_of(rank % shares.cluster + 1) - first_row;
    const DirectPart<Shape> part{sums, first_row, rows, row, column, a.rows, b.columns};
    if (shares.cluster > 1) part.add_blocks(shares.cluster, thread);
    else __syncthreads();  // all warps' sums are in shared memory
    if (shares.clusters > 1 && !part.add_clusters(shares, tile, rank, thread)) return;
    part.store(c, thread);
#endif
}

/// The most blocks of a cluster. More that share k are several such clusters; all blocks of one then add as many rows.
constexpr unsigned most_direct_cluster = 16;

/// Whether so many blocks can share k in a product of so many tiles of `tile_elements`: there are a ticket and a place
/// for a tile's sums per multiprocessor.
constexpr bool can_share(unsigned blocks, size_t tiles, size_t tile_elements, size_t sum_bytes,
                         unsigned multiprocessors) {
    if (blocks <= most_direct_cluster) return true;
    return tiles * most_direct_cluster <= multiprocessors &&
           tiles * (blocks / most_direct_cluster) * tile_elements * sum_bytes <=
               multiprocessors * partial_tile_elements * sizeof(float);
}

template <typename Shape, bool takes_batch, RowCopy by>
auto direct_kernel(const MatmulArguments<typename Shape::T>& arguments) {
    return kernel_of<takes_batch>(arguments, matmul_direct<Shape, false, by>, matmul_direct<Shape, takes_batch, by>);
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
    const RowCopy by = Shape::copy_of(a.columns * sizeof(T), b.columns * sizeof(T));
    auto kernel = direct_kernel<Shape, takes_batch, RowCopy::pieces>(arguments);
    if constexpr (sizeof(T) == 2 || Shape::only_units)
        if (by == RowCopy::units) kernel = direct_kernel<Shape, takes_batch, RowCopy::units>(arguments);
    if constexpr (!Shape::only_units)
        if (by == RowCopy::shifted) kernel = direct_kernel<Shape, takes_batch, RowCopy::shifted>(arguments);
    CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    const unsigned cluster = blocks < most_direct_cluster ? blocks : most_direct_cluster;
    const PartialSums partial = partial_sums(arguments);
    const DirectShares shares{cluster, blocks / cluster, partial.d_sums, partial.d_counters};
    return launch_hopper(kernel, order.tiles() * blocks, Shape::threads, Shape::shared_bytes, cluster, arguments.stream,
                         a, b, arguments.d_c, arguments.stride_c, order, shares);
}

}  // namespace BACKEND
