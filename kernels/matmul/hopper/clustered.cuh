// SPDX-License-Identifier: MIT
#pragma once
// bf16 and f16 on Hopper's tensor cores, where products wait for rows of A and B more than for the tensor cores:
//   matmul_hopper_clustered   removes, from matmul_hopper_transposed, up to two thirds of the loading of its tiles of
//                             128 x 128. Tiles are larger: a warpgroup multiplies up to three strips of 64 rows of A,
//                             or of 64 columns of B. And the two or four blocks of a cluster share A, B or both by
//                             multicast
// A row that begins at an odd multiple of 16 bytes takes longest to read. When each multiprocessor of an H100 reads
// boxes of its own rows by TMA from the L2 cache, it receives 41 bytes of such rows in a nanosecond, 53 of aligned
// ones; when all read the same 1024 rows, 44 and 98. The size of the boxes changes neither 41 nor 44. 1000 x 5000 x
// 5000 takes 76 us instead of 88 in tiles of 256 x 160 whose blocks share A in pairs, and 1473 x 1264 x 7960 takes 47
// us instead of 65 in tiles of 128 x 128 whose blocks share both in fours. Sums are in f32.
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/mma.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/transposed_operand.cuh"
#include "kernels/matmul/hopper/transposed_product.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace BACKEND {

/// The side of a tile of C that the tensor cores take in strips of 64: its rows, or its columns in the transposed
/// product.
enum class StripSide { rows, columns };

/// How two warpgroups share a tile: each has half of the strips; or, if their number is odd, half of the other side of
/// all strips. `width`: the other side of what a warpgroup multiplies.
template <int tile_m_, int tile_n_, StripSide side_, typename Cluster_, typename Layouts_>
struct ClusteredShape {
    using Cluster = Cluster_;
    using Layouts = Layouts_;
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, consumers = 2;
    static constexpr StripSide side = side_;
    static constexpr int all_strips = (side == StripSide::rows ? tile_m : tile_n) / 64,
                         all_width = side == StripSide::rows ? tile_n : tile_m;
    static constexpr bool shares_strips = all_strips % consumers == 0;
    static constexpr int strips = shares_strips ? all_strips / consumers : all_strips,
                         width = shares_strips ? all_width : all_width / consumers;
    static_assert(strips * width / 2 <= 192, "the sums of a thread, which has 240 registers");
    static_assert(shares_strips || side == StripSide::columns || Layouts::b_transposed,
                  "half of the columns is no whole box");
    static_assert(side == StripSide::columns || width % 32 == 0, "lanes store 32 columns at a time");
    static_assert(side == StripSide::rows || width >= 64, "a box of results has 64 rows");

    /// The first strip of a warpgroup, and where its part of the other side begins.
    __device__ static int first_strip(int consumer) { return shares_strips ? consumer * strips : 0; }
    __device__ static int first_of_width(int consumer) { return shares_strips ? 0 : consumer * width; }

    /// Columns of results leave through a box in shared memory, rows without.
    static constexpr int box_rows = 64, box_columns = 64;
    static constexpr int box_bytes = side == StripSide::rows ? 0 : consumers * box_rows * box_columns * 2;
    /// A transposed B is one box; else boxes have 64 columns.
    static constexpr int box_n = Layouts::b_transposed ? tile_n : 64;
    static constexpr int stage_bytes = (tile_m + (tile_n + box_n - 1) / box_n * box_n) * 128, barrier_bytes = 1024;
    static constexpr int stages = (most_shared_bytes - box_bytes - barrier_bytes) / stage_bytes;
    static_assert(stages >= 3);
};

template <typename T, typename Shape, StripSide = Shape::side>
struct HopperClusteredShared {
    HopperRing<T, Shape::tile_m, Shape::tile_n, Shape::stages, Shape::box_n> ring;
};
template <typename T, typename Shape>
struct HopperClusteredShared<T, Shape, StripSide::columns> {
    HopperRing<T, Shape::tile_m, Shape::tile_n, Shape::stages, Shape::box_n> ring;
    alignas(1024) T results[Shape::consumers][Shape::box_rows * Shape::box_columns];
};

/// The sums of a thread: of each strip, as wgmma leaves them.
template <typename Shape>
using ClusteredSums = float[Shape::strips][Shape::width / 2];

/// d (+)= a stage of A times a stage of B, as far as the warpgroup `consumer` has it: starts a group of wgmmas.
template <typename T, typename Shape>
__device__ inline void start_stage(ClusteredSums<Shape>& d, const T* stage_of_a, const T* stage_of_b, int consumer,
                                   bool accumulate) {
    constexpr bool transposed = Shape::side == StripSide::columns, b_along_k = Shape::Layouts::b_transposed;
    using OfA = StageOperand<true>;
    using OfB = StageOperand<b_along_k>;
    using OfStrips = std::conditional_t<transposed, OfB, OfA>;
    using OfOther = std::conditional_t<transposed, OfA, OfB>;
    constexpr int strip_elements = 64 * 64;  // of A's rows and of B's columns, however they are stored
    constexpr std::uint64_t next_strip = strip_elements * sizeof(T) / 16;
    const std::uint64_t strips = OfStrips::descriptor((transposed ? stage_of_b : stage_of_a) +
                                                      Shape::first_strip(consumer) * strip_elements),
                        other = OfOther::descriptor((transposed ? stage_of_a : stage_of_b) +
                                                    Shape::first_of_width(consumer) * 64);
    wgmma_fence();
#pragma unroll
    for (int i = 0; i < 4; ++i)  // 16 along k
#pragma unroll
        for (int strip = 0; strip < Shape::strips; ++strip)
            Wgmma<T, Shape::width>::template multiply<!transposed || b_along_k, transposed || b_along_k>(
                d[strip], strips + strip * next_strip + i * OfStrips::next, other + i * OfOther::next,
                accumulate || i > 0);
    wgmma_commit();
}

/// Transposes a square of 4 x 4 words, of which each of four neighboring lanes has a column: afterwards it has a row.
__device__ inline void transpose_among_lanes(std::uint32_t (&word)[4], int lane) {
#pragma unroll
    for (int distance = 1; distance < 4; distance *= 2)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if (i & distance) continue;
            const bool is_upper = (lane & distance) != 0;
            const std::uint32_t received =
                __shfl_xor_sync(~0U, is_upper ? word[i] : word[i + distance], static_cast<unsigned>(distance));
            (is_upper ? word[i] : word[i + distance]) = received;
        }
}

/// Stores a warpgroup's 64 x width results straight from registers: a lane gets eight neighboring columns of a row, and
/// four lanes store 64 bytes of it. Rows of C are aligned. `row`, `column`: the corner.
template <int width, typename T>
__device__ inline void store_rows(const float (&d)[width / 2], T* c, int row, int column, int m, int n, int thread) {
    const int lane = thread % 32, first_row = row + thread / 32 * 16 + lane / 4, first_column = column + lane % 4 * 8;
#pragma unroll
    for (int columns = 0; columns < width; columns += 32)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            std::uint32_t pairs[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const float* const pair = &d[columns / 2 + 4 * i + 2 * half];
                pairs[i] = pack_pair(pair[0], pair[1], T{});
            }
            transpose_among_lanes(pairs, lane);
            const int r = first_row + 8 * half, first = first_column + columns;
            if (r < m && first < n)
                *reinterpret_cast<uint4*>(c + static_cast<size_t>(r) * n + first) =
                    make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
        }
}

/// Stores a warpgroup's results of 64 columns and `width` rows, transposed, 64 rows at a time; the last of these may
/// have been stored before. `row`, `column`: the corner.
template <int width, typename T, typename Product>
__device__ inline void store_columns(const float (&d)[width / 2], T* box, const CUtensorMap& map_c, int row, int column,
                                     Product product, unsigned consumer, unsigned thread) {
    constexpr int rows = 64;
#pragma unroll
    for (int first = 0; first < width; first += rows) {
        const int begin = first < width - rows ? first : width - rows;
        wait_for_box(consumer, thread);
        fill_box_transposed<rows>(box, &d[begin / 2], thread);
        copy_filled_box_out(box, map_c, row + begin, column, product, consumer, thread);
    }
}

/// Grid: whole clusters, at most as many as run at once. Block 384: a producer warpgroup, which loads tiles, and two
/// consumers. `order` has the sets of tiles that the blocks of a cluster work on at the same time; some of a set may
/// lie beyond C. If B is stored transposed, the products of a batch have Cs that are stride_c elements apart.
template <typename T, typename Shape>
__global__ void __launch_bounds__(384, 1)
    matmul_hopper_clustered(const __grid_constant__ OperandMaps maps, const __grid_constant__ CUtensorMap map_c, T* c,
                            size_t stride_c, int m, int n, int steps, TileOrder order) {
#if HOPPER_CODE
    using Cluster = typename Shape::Cluster;
    using Pipeline =
        HopperPipeline<T, Shape::tile_m, Shape::tile_n, Shape::stages, Shape::box_n, Cluster, typename Shape::Layouts>;
    extern __shared__ __align__(1024) unsigned char memory[];
    auto& shared = *reinterpret_cast<HopperClusteredShared<T, Shape>*>(memory);
    typename Pipeline::Position position;
    Pipeline::begin(shared.ring, maps.first_a(), maps.b, Shape::consumers);

    const unsigned cluster = blockIdx.x / Cluster::blocks, clusters = gridDim.x / Cluster::blocks;
    ProductNumber<Shape::Layouts::only_many> product{};
    const auto corner_of = [&](unsigned set, int& row, int& column) {
        unsigned set_row = 0, set_column = 0;
        order.place(set, set_row, set_column, product);
        row = (static_cast<int>(set_row) * Cluster::rows + Cluster::row()) * Shape::tile_m;
        column = (static_cast<int>(set_column) * Cluster::columns + Cluster::column()) * Shape::tile_n;
    };
    int row = 0, column = 0;
    if (threadIdx.x < 128) {
        give_up_registers<24>();
        if (threadIdx.x >= 32 || !is_elected_lane()) return;
        for (unsigned set = cluster; set < order.tiles(); set += clusters) {
            corner_of(set, row, column);
            Pipeline::produce(shared.ring, position, maps, row, column, 0, steps, product);
        }
        return;
    }
    take_registers<240>();
    // The shuffle tells the compiler that this is uniform: it then computes the operands' addresses once per warp.
    const unsigned consumer = __shfl_sync(~0U, threadIdx.x / 128 - 1, 0), thread = threadIdx.x % 128;
    int refills = Pipeline::refills(order.tiles_of(cluster, clusters) * static_cast<unsigned>(steps));
    for (unsigned set = cluster; set < order.tiles(); set += clusters) {
        ClusteredSums<Shape> d;
        int previous = 0;
        for (int step = 0; step < steps; ++step) {
            const int stage = position.stage;
            barrier_wait(&shared.ring.filled[stage], position.parity);
            start_stage<T, Shape>(d, shared.ring.a[stage], shared.ring.b[stage][0], static_cast<int>(consumer),
                                  step > 0);
            if (step > 0) {
                wgmma_wait<1>();  // the previous group has read its stage
                Pipeline::release(shared.ring, previous, thread, refills);
            }
            previous = stage;
            position.advance();
        }
        wgmma_wait<0>();
#pragma unroll
        for (auto& of_strip : d) wgmma_settle(of_strip);
        Pipeline::release(shared.ring, previous, thread, refills);
        corner_of(set, row, column);
#pragma unroll
        for (int strip = 0; strip < Shape::strips; ++strip) {
            const int offset = (Shape::first_strip(static_cast<int>(consumer)) + strip) * 64,
                      of_width = Shape::first_of_width(static_cast<int>(consumer));
            if constexpr (Shape::side == StripSide::rows)
                store_rows<Shape::width>(d[strip], matrix_of(product, c, stride_c), row + offset, column + of_width, m,
                                         n, static_cast<int>(thread));
            else
                store_columns<Shape::width>(d[strip], shared.results[consumer], map_c, row + of_width, column + offset,
                                            product, consumer, thread);
        }
    }
    if (thread == 0) wait_copies_out_read<0>();  // shared memory must outlive the copies that read it
#endif
}

template <typename T, int tile_m_, int tile_n_, StripSide side, int cluster_rows_ = 1, int cluster_columns_ = 1,
          typename Layouts_ = PlainLayouts>
struct ClusteredTile : HopperTile {
    using Element = T;
    using Shape = ClusteredShape<tile_m_, tile_n_, side, ClusterOf<cluster_rows_, cluster_columns_>, Layouts_>;
    using Layouts = Layouts_;
    static constexpr unsigned tile_m = tile_m_, tile_n = tile_n_, cluster_rows = cluster_rows_,
                              cluster_columns = cluster_columns_;
    static constexpr bool needs_aligned_rows = true, takes_batch = Layouts::only_many;
    static_assert(!Layouts::a_transposed && !Layouts::c_transposed);
    static_assert(sizeof(HopperClusteredShared<T, Shape>) <= most_shared_bytes);

    static LaunchShape enqueue(const MatmulArguments<T>& arguments) {
        constexpr unsigned band = 4 / cluster_rows;  // sets of tiles; other heights made no difference
        using Pipeline =
            HopperPipeline<T, tile_m_, tile_n_, Shape::stages, Shape::box_n, typename Shape::Cluster, Layouts>;
        const HopperOperands<T> operands(arguments);
        const TileOrder sets = order_of(arguments, tile_m * cluster_rows, tile_n * cluster_columns, band);
        const OperandMaps maps = operands.maps(tile_m, Pipeline::b_box_rows, tensor_map_type<T>, cluster_columns);
        const unsigned clusters = persistent_grid(sets, arguments.clusters);
        return launch_hopper(matmul_hopper_clustered<T, Shape>, clusters * Shape::Cluster::blocks, 384,
                             sizeof(HopperClusteredShared<T, Shape>), Shape::Cluster::blocks, operands.stream(), maps,
                             map_of_c(arguments, Shape::box_rows, Shape::box_columns), arguments.d_c,
                             arguments.stride_c, int(arguments.m), int(arguments.n),
                             static_cast<int>(divide_up(arguments.k, hopper_tile_k<T>)), sets);
    }
};

}  // namespace BACKEND
