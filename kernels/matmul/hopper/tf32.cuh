// SPDX-License-Identifier: MIT
#pragma once
// f32 inputs on Hopper's tensor cores as tf32 (10 bits of fraction, rounded to nearest by TMA):
//   matmul_hopper_tf32   removes, from matmul_wmma, the same costs as matmul_hopper_mma does, with one difference: in
//                        tf32 the tensor cores cannot read an operand in shared memory whose rows run along n, as B's
//                        do. So it computes the transposed product, C' = B' A': B' is now the first operand, which may
//                        come from registers, and each lane loads the elements of B that it needs
// The larger tiles have more rows than columns: only B's elements must be loaded into registers, and each serves all
// rows. Stream-K shares small tiles along k among as many blocks as is worthwhile. Sums are in f32.
// If rows begin at odd multiples of 16 bytes, reading them takes longest: two blocks share A by multicast.
// If B is stored transposed, its rows run along k, and the tensor cores read it, too. If A and B are, C' = B' A' is the
// product above, stored transposed. If only A is, both run the wrong way: A's stages are turned in shared memory.
#include "common/cuda/named_barrier.cuh"
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/layouts.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/tf32_row_sets.cuh"
#include "kernels/matmul/hopper/transposed_operand.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace BACKEND {

/// If A is stored transposed: its tile by rows along k, for the last stages. One is filled while two are multiplied,
/// one by each of two warpgroups that are a barrier apart.
template <int tile_m, bool a_transposed>
struct TurnedStages {
    static constexpr int count = 3;
    alignas(1024) float turned[count][tile_m * 32];
};
template <int tile_m>
struct TurnedStages<tile_m, false> {};

/// The ring, and boxes of 32 x 32 outgoing results: one or two for each pair of warps, which has 32 columns.
template <int tile_m, int warpgroups, int stages, typename Layouts>
struct HopperTf32Shared : TurnedStages<tile_m, Layouts::a_transposed> {
    using Pipeline = HopperPipeline<float, tile_m, 64 * warpgroups, stages>;
    static constexpr size_t box_bytes = 32 * 32 * sizeof(float),
                            turned_bytes = Layouts::a_transposed ? sizeof(TurnedStages<tile_m, true>) : 0;
    static constexpr size_t bytes_with_two =
        sizeof(typename Pipeline::Shared) + 4 * warpgroups * box_bytes + turned_bytes;
    static constexpr int boxes = bytes_with_two <= most_shared_bytes ? 2 : 1;

    typename Pipeline::Shared ring;
    alignas(1024) float c[2 * warpgroups][boxes][32 * 32];
};

/// Turns the tile of a transposed A: boxes of 32 along k by 32 become rows of 32 along k, both swizzled.
/// A thread turns squares of 4 x 4. The eight lanes whose accesses go together take them from a diagonal of a box, so
/// that neither loads nor stores meet in a bank.
template <int tile_m, int threads>
__device__ inline void turn_stage(const float* boxes, float* turned, int thread) {
    constexpr int box_squares = 64, squares = tile_m / 32 * box_squares;
    static_assert(squares < threads || squares % threads == 0);
#pragma unroll
    for (int first = 0; first < squares; first += threads) {
        const int number = first + thread, across = number % 8, down = across ^ number / 8 % 8;
        if (squares < threads && number >= squares) break;
        const float* box = boxes + number / box_squares * 32 * 32;
        float4 square[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int step = 4 * down + i;
            square[i] = *reinterpret_cast<const float4*>(box + step * 32 + (across ^ step % 8) * 4);
        }
        transpose_square(square);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int row = 4 * across + i;
            *reinterpret_cast<float4*>(turned + (number / box_squares * 32 + row) * 32 + (down ^ row % 8) * 4) =
                square[i];
        }
    }
}

/// Writes one lane's sums of 32 rows of the tile to a box of 32 x 32, swizzled.
template <typename Layouts>
__device__ inline void fill_box(float* box, const float* sums, int warp, int lane) {
    using Operand = TransposedOperand<float, Layouts>;
    const int column = Operand::first_column(warp % 2, lane);
    const auto place = [=](int eight, int r, int x) {  // in row 8 * eight + r
        return box + (8 * eight + r) * 32 + (x / 4 ^ r) * 4 + x % 4;
    };
    // Half the lanes take a pair of groups or rows in the other order, so that no two meet in a bank.
    const bool other_first = lane / 8 % 2 != 0;
#pragma unroll
    for (int group = 0; group < 4; ++group)
#pragma unroll
        for (int odd = 0; odd < 2; ++odd) {
            if constexpr (Layouts::c_transposed) {  // the tile's columns are rows of C
                const float *here = sums + 4 * group + 2 * odd, *there = sums + 4 * (group ^ 2) + 2 * odd;
                const int x = 8 * (other_first ? group ^ 2 : group) + lane % 4 * 2;
                *reinterpret_cast<float2*>(place(column / 8, column % 8 + odd, x)) =
                    other_first ? make_float2(there[0], there[1]) : make_float2(here[0], here[1]);
            } else if constexpr (Layouts::b_transposed) {
                const int r = lane % 4 * 2 + odd;
                *place(group, r, column) = sums[4 * group + odd];
                *place(group, r, column + Operand::column_step) = sums[4 * group + 2 + odd];
            } else {
                const float* of_group = sums + 4 * group;
                const int r = lane % 4 * 2 + (other_first ? 1 - odd : odd);
                *reinterpret_cast<float2*>(place(group, r, column)) =
                    other_first ? make_float2(of_group[1 - odd], of_group[3 - odd])
                                : make_float2(of_group[odd], of_group[2 + odd]);
            }
        }
}

/// Stores a pair of warps' sums through shared memory, 32 rows at a time: TMA writes whole lines while the warps
/// already multiply the next tile. (row, column): the pair's corner of C. Not for tiles of fewer than 32 rows.
template <int tile_m, typename Layouts, int count, typename Product>
__device__ inline void copy_out(const float (&d)[tile_m / 2], float (&boxes)[count][32 * 32], const CUtensorMap& map_c,
                                int row, int column, Product product, int warp, int lane) {
    constexpr unsigned threads = 64;
    const unsigned pair_barrier = partial_barrier + 1 + static_cast<unsigned>(warp) / 2;
    const bool leader = threadIdx.x % threads == 0;
#pragma unroll
    for (int rows = 0; rows < tile_m / 32; ++rows) {
        float* box = boxes[rows % count];
        if (leader) wait_copies_out_read<count - 1>();  // TMA has read what was last in this box
        barrier_among(pair_barrier, threads);           // both warps may overwrite it
        fill_box<Layouts>(box, d + 16 * rows, warp, lane);
        fence_shared_for_copies();
        barrier_among(pair_barrier, threads);  // the box is complete
        if (leader) {
            if (Layouts::c_transposed) copy_box_out(map_c, box, row + 32 * rows, column, product);
            else copy_box_out(map_c, box, column, row + 32 * rows, product);
            commit_copies_out();
        }
    }
}

/// Blocks that share A have tiles side by side.
template <int multicast>
using Tf32TileOrder = std::conditional_t<(multicast > 1), TileOrderAcross, TileOrder>;

/// Grid: at most one block per multiprocessor. Block 128 for the producer plus 128 per warpgroup that multiplies. A
/// tile is tile_m x (64 * warpgroups). `many`: for the products of a batch, whose Cs are stride_c elements apart. A may
/// be stored transposed: each stage is then turned first. Or B may, which then comes from shared memory, too; or C.
/// `multicast`: how many blocks of a cluster share A.
template <int tile_m, int warpgroups, int stages, bool stream_k, bool many, typename Layouts, int multicast>
__global__ void __launch_bounds__(128 + 128 * warpgroups, 1)
    matmul_hopper_tf32(const __grid_constant__ OperandMaps maps, const __grid_constant__ CUtensorMap map_c, float* c,
                       size_t stride_c, int m, int n, Tf32TileOrder<multicast> order, StreamKSchedule schedule,
                       PartialSums partial, bool tma_store) {
#if HOPPER_CODE
    constexpr int tile_n = 64 * warpgroups;
    constexpr bool large = tile_m * warpgroups > 256;  // more sums than an equal part of the registers holds
    using Pipeline = HopperPipeline<float, tile_m, tile_n, stages, 32, ClusterOf<1, multicast>, Layouts>;
    using Operand = TransposedOperand<float, Layouts>;
    using Shares = SumsOfShares<128 * warpgroups, float, tile_m / 2, !large>;
    extern __shared__ __align__(1024) unsigned char memory[];
    using Shared = HopperTf32Shared<tile_m, warpgroups, stages, Layouts>;
    auto& all_shared = *reinterpret_cast<Shared*>(memory);
    auto& shared = all_shared.ring;
    typename Pipeline::Position position;
    Pipeline::begin(shared, maps.first_a(), maps.b, warpgroups);

    TileSegment segment;
    if (threadIdx.x < 128) {
        if (large) give_up_registers<40>();
        if (threadIdx.x >= 32 || !is_elected_lane()) return;
        produce_segments<Pipeline, stream_k, many>(shared, maps, order, schedule);
        return;
    }
    if (large) take_registers<232>();
    const int warp = static_cast<int>(threadIdx.x) / 32 - 4, lane = static_cast<int>(threadIdx.x) % 32;
    // Where a stage's A lies by rows along k; turns it first if it does not arrive like that.
    int turn = 0;
    int refills = Pipeline::refills(stream_k ? schedule.stages_of(blockIdx.x, gridDim.x)
                                             : order.tiles_of(blockIdx.x, gridDim.x) * schedule.steps);
    const auto turn_if_needed = [&](int stage) -> const float* {
        if constexpr (Layouts::a_transposed) {
            constexpr int threads = 128 * warpgroups;
            constexpr unsigned turned_barrier = 1;
            float* turned = all_shared.turned[turn];
            turn = turn + 1 == Shared::count ? 0 : turn + 1;
            turn_stage<tile_m, threads>(shared.a[stage], turned, warp * 32 + lane);
            fence_shared_for_copies();               // the tensor cores read it
            barrier_among(turned_barrier, threads);  // the whole stage is turned
            return turned;
        } else {
            return shared.a[stage];
        }
    };
    for (unsigned index = 0; find_segment<stream_k>(schedule, index, segment); ++index) {
        float d[tile_m / 2];
        Operand operands[2];  // one is multiplied while the other is loaded
        int previous = 0;
        for (int first = segment.first; first < segment.end; first += 2) {
#pragma unroll
            for (int odd = 0; odd < 2; ++odd) {
                const int step = first + odd;
                if (step >= segment.end) break;
                const int stage = position.stage;
                barrier_wait(&shared.filled[stage], position.parity);
                operands[odd].load(shared.b[stage], warp, lane);
                const std::uint64_t a = Operand::OfA::descriptor(turn_if_needed(stage));
                wgmma_fence();
#pragma unroll
                for (int i = 0; i < 4; ++i)  // 8 along k
                    operands[odd].template multiply<tile_m>(d, i, a, step > segment.first || i > 0);
                wgmma_commit();
                if (step > segment.first) {
                    wgmma_wait<1>();  // the previous group is done with its stage and its operand
                    Pipeline::release(shared, previous, threadIdx.x % 128, refills);
                }
                previous = stage;
                position.advance();
            }
        }
        wgmma_wait<0>();
        wgmma_settle(d);
        Pipeline::release(shared, previous, threadIdx.x % 128, refills);
        if constexpr (stream_k)
            if (!Shares::complete(d, segment, schedule, partial, threadIdx.x - 128)) continue;
        unsigned tile_row = 0, tile_column = 0;
        ProductNumber<many> product{};
        order.place(segment.tile, tile_row, tile_column, product);
        const int row = static_cast<int>(tile_row) * tile_m, column = static_cast<int>(tile_column) * tile_n;
        if (tile_m % 32 == 0 && tma_store) {
            copy_out<tile_m, Layouts>(d, all_shared.c[warp / 2], map_c, row, column + warp / 2 * 32, product, warp,
                                      lane);
        } else {
            float* of_product = matrix_of(product, c, stride_c);
            const int lane_row = row + lane % 4 * 2, lane_column = column + Operand::first_column(warp, lane);
            if constexpr (Layouts::c_transposed)
                store_to_transposed_c<tile_m>(of_product, lane_row, lane_column, m, n, d);
            else store_transposed<tile_m, Operand::column_step>(of_product, lane_row, lane_column, m, n, d);
        }
    }
    if constexpr (stream_k && !large)
        Shares::add_part(schedule, partial, memory, threadIdx.x - 128, [&](unsigned tile) {
            static_assert(!Layouts::c_transposed);
            unsigned tile_row = 0, tile_column = 0;
            ProductNumber<many> product{};
            order.place(tile, tile_row, tile_column, product);
            float* const of_product = matrix_of(product, c, stride_c);
            const int row = static_cast<int>(tile_row) * tile_m, column = static_cast<int>(tile_column) * tile_n;
            return [=](int piece, int thread, const float(&sums)[4]) {
                const int first_column = column + Operand::first_column(thread / 32, thread % 32);
                store_transposed<8, Operand::column_step>(of_product, row + 8 * piece + thread % 4 * 2, first_column, m,
                                                          n, sums);
            };
        });
    if (threadIdx.x % 64 == 0) wait_copies_out_read<0>();  // shared memory must outlive the copies that read it
#endif
}

template <int tile_m_, int warpgroups, int stages, bool stream_k_, bool batch = false, typename Layouts_ = PlainLayouts,
          int multicast_ = 1>
struct Tf32Tile : HopperTile {
    using Element = float;
    using Layouts = Layouts_;
    static constexpr unsigned tile_m = tile_m_, tile_n = 64 * warpgroups, cluster_columns = multicast_;
    static constexpr bool shares_a = cluster_columns > 1;
    static_assert(cluster_columns == 1 || (cluster_columns == 2 && !batch),
                  "StreamKSchedule knows pairs, of one product's tiles");
    static constexpr bool stream_k = stream_k_, can_exchange = stream_k && tile_m * tile_n <= 128 * 128,
                          deals_side_by_side = true, takes_batch = batch;
    /// Larger tiles leave no room for enough stages.
    static constexpr unsigned row_sets = Layouts::plain && tile_m_ <= 128 && !shares_a ? tf32_row_sets : 0;

    static LaunchShape enqueue(const MatmulArguments<float>& arguments) {
        constexpr unsigned group = shares_a ? 8 : 6;
        const auto order = order_of<Tf32TileOrder<multicast_>>(arguments, tile_m, tile_n, group, cluster_columns);
        const StreamKSchedule schedule = schedule_of(arguments, order, cluster_columns);
        if constexpr (row_sets > 0) {
            if (can_read_row_sets(arguments))
                return launch_tf32_row_sets<Tf32RowSetShape<tile_m_, warpgroups>, stream_k_>(arguments, order,
                                                                                             schedule);
        }
        const HopperOperands<float> operands(arguments);
        const OperandMaps maps = operands.maps(tile_m, Layouts::b_transposed ? tile_n : hopper_tile_k<float>,
                                               transposed_map_type<float>, cluster_columns);
        const bool tma_store = tile_m % 32 == 0 && rows_are_aligned(arguments.d_c, columns_of_c(arguments));
        const CUtensorMap map_c = tma_store ? map_of_c(arguments, 32, 32) : maps.b;  // not used
        return launch_hopper(
            kernel_of<batch>(
                arguments,
                matmul_hopper_tf32<tile_m_, warpgroups, stages, stream_k_, Layouts::only_many, Layouts, multicast_>,
                matmul_hopper_tf32<tile_m_, warpgroups, stages, stream_k_, (batch || Layouts::only_many), Layouts,
                                   multicast_>),
            stream_k_grid(schedule, arguments.multiprocessors), 128 + 128 * warpgroups,
            sizeof(HopperTf32Shared<tile_m_, warpgroups, stages, Layouts>), cluster_columns, operands.stream(), maps,
            map_c, arguments.d_c, arguments.stride_c, int(arguments.m), int(arguments.n), order, schedule,
            partial_sums(arguments), tma_store);
    }
};

}  // namespace BACKEND
