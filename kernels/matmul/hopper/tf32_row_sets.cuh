// SPDX-License-Identifier: MIT
#pragma once
// tf32 on Hopper, for A and B whose rows begin anywhere:
//   matmul_hopper_tf32_row_sets   removes, from matmul_hopper_tf32, the extra launch that copies such matrices: TMA
//                                 brings sets of rows, see row_sets.cuh. Lanes load their elements of B wherever they
//                                 lie; the tensor cores read A's tile from swizzled rows, to which the producer's warps
//                                 move it
// It does not matter in which order the steps along k are multiplied, nor which row of A is which column of C', as long
// as all agree. So instruction i of a stage multiplies the eight steps whose rows of B are sets i and i + 4, and the
// rows of A's tile stay in the order of their sets.
#include "kernels/matmul/generic/arguments.cuh"
#include "kernels/matmul/hopper/fix_up.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/layouts.cuh"
#include "kernels/matmul/hopper/row_sets.cuh"
#include "kernels/matmul/hopper/supply.cuh"
#include "kernels/matmul/hopper/transposed_operand.cuh"
#include "kernels/matmul/hopper/wgmma.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// B's padding puts the rows that four neighboring lanes read at once in different banks.
template <int tile_m_, int warpgroups_>
struct Tf32RowSetShape {
    static constexpr int tile_m = tile_m_, warpgroups = warpgroups_, tile_n = 64 * warpgroups;
    using Ring = RowSetRing<float, tf32_row_sets, tile_m, tile_n, 1>;
    static constexpr int stage_bytes = (2 * tile_m + tile_n) * 128 + Ring::extra_bytes;  // holds A's tile twice
    static constexpr int other_bytes = 3072;  // at most: barriers, alignment, and rest_of_b, which is not used
    static constexpr int room = (most_shared_bytes - other_bytes) / stage_bytes, most_stages = 12,
                         stages = room < most_stages ? room : most_stages, stages_ahead = stages * 3 / 4;
    static_assert(stages_ahead >= 1 && stages_ahead < stages, "a stage arrives while another one is in use");
    using Pipeline = RowSetPipeline<float, tf32_row_sets, tile_m, tile_n, stages>;
};

/// The ring; and A's tiles as the tensor cores read them: rows of 128 swizzled bytes, 32 of each for an instruction.
template <typename Shape>
struct Tf32RowSetShared {
    alignas(1024) float a[Shape::stages][Shape::tile_m * 32];
    typename Shape::Pipeline::Shared ring;
    std::uint64_t prepared[Shape::stages];
};

/// A warp's part of straighten_a(): the rows of two sets, which are shifted by the same amount modulo four. A lane has
/// every other four elements of a row, and gives one of each to each instruction. The eight lanes whose accesses go
/// together have rows below each other, and take turns which fours they have: no two meet in a bank. (Tiles of 16 rows
/// are too small for that.)
template <int shift, typename Shape>
__device__ inline void straighten_sets_of_a(Tf32RowSetShared<Shape>& shared, int rest, int stage, int warp, int lane) {
    using Ring = typename Shape::Pipeline::Shared;
    constexpr int rows_of_set = Shape::tile_m / 8, of_warp = 4 * rows_of_set;
#pragma unroll
    for (int first = 0; first < of_warp; first += 32) {
        const int number = first + lane, r = number % rows_of_set, set = warp + number / (2 * rows_of_set) * 4,
                  odd = (number / rows_of_set + r / 4) % 2;
        if (of_warp % 32 != 0 && number >= of_warp) break;
        const auto* const pieces = reinterpret_cast<const float4*>(shared.ring.a[stage][set] + r * Ring::row_of_a) +
                                   odd + shift_of_set<tf32_row_sets>(rest, set) / 4;
        float4 fours[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) fours[i] = shifted_four<shift>(pieces[2 * i], pieces[2 * i + 1]);
        transpose_square(fours);
        const int row = set * rows_of_set + r;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            *reinterpret_cast<float4*>(shared.a[stage] + row * 32 + ((2 * i + odd) ^ row % 8) * 4) = fours[i];
    }
}

/// Moves A's tile to where the tensor cores read it. Four warps.
template <typename Shape>
__device__ inline void straighten_a(Tf32RowSetShared<Shape>& shared, const RowSetMaps<tf32_row_sets>& maps, int stage,
                                    int thread) {
    const int warp = thread / 32, lane = thread % 32, rest = maps.rest_of_k;
    switch (warp * rest % 4) {
        case 0: straighten_sets_of_a<0>(shared, rest, stage, warp, lane); break;
        case 1: straighten_sets_of_a<1>(shared, rest, stage, warp, lane); break;
        case 2: straighten_sets_of_a<2>(shared, rest, stage, warp, lane); break;
        default: straighten_sets_of_a<3>(shared, rest, stage, warp, lane);
    }
    fence_shared_for_copies();  // the tensor cores read it
}

/// A lane's elements of B' for a stage: [instruction][value]. They are in two columns, `column` and eight further, and
/// in row lane % 4 of two sets, whose steps are in places lane % 4 and four further.
template <typename Shape>
struct Tf32RowSetOperand {
    using Ring = typename Shape::Pipeline::Shared;
    static_assert(!Ring::wide, "the padding lies beside the rows");
    std::uint32_t values[4][4];

    __device__ void load(const Ring& ring, int stage, const RowSetMaps<tf32_row_sets>& maps, int column, int lane) {
#pragma unroll
        for (int set = 0; set < 8; ++set) {
            const float* const first = ring.b[stage][set] + lane % 4 * Ring::row_of_b + column +
                                       shift_of_set<tf32_row_sets>(maps.rest_of_n, set);
#pragma unroll
            for (int next = 0; next < 2; ++next) values[set % 4][set / 4 * 2 + next] = __float_as_uint(first[next * 8]);
        }
    }
};

/// Stores a lane's sums of eight rows in their places: two, each in two columns.
template <typename Shape>
__device__ inline void store_row_sets(float* c, int row, int column, int m, int n, int lane, int group,
                                      const float* sums) {
    constexpr int rows_of_set = Shape::tile_m / 8;
#pragma unroll
    for (int odd = 0; odd < 2; ++odd) {
        const int place = 8 * group + lane % 4 * 2 + odd, r = row + place % rows_of_set * 8 + place / rows_of_set;
        float* const target = c + static_cast<size_t>(r) * n + column;
        if (r < m && column < n) target[0] = sums[odd];
        if (r < m && column + 8 < n) target[8] = sums[2 + odd];
    }
}

/// Grid: at most one block per multiprocessor. Block 128 for the producers plus 128 per warpgroup that multiplies.
template <typename Shape, bool stream_k>
__global__ void __launch_bounds__(128 + 128 * Shape::warpgroups, 1)
    matmul_hopper_tf32_row_sets(const __grid_constant__ RowSetMaps<tf32_row_sets> maps, float* c, int m, int n,
                                TileOrder order, StreamKSchedule schedule, PartialSums partial) {
#if HOPPER_CODE
    using Pipeline = typename Shape::Pipeline;
    using Shares = SumsOfShares<128 * Shape::warpgroups, float, Shape::tile_m / 2>;
    extern __shared__ __align__(1024) unsigned char memory[];
    static_assert(sizeof(Tf32RowSetShared<Shape>) <= most_shared_bytes);
    auto& shared = *reinterpret_cast<Tf32RowSetShared<Shape>*>(memory);
    if (threadIdx.x == 0)
        for (std::uint64_t& barrier : shared.prepared) barrier_init(&barrier, 128);
    Pipeline::begin(shared.ring, maps, Shape::warpgroups);

    const int thread = static_cast<int>(threadIdx.x);
    if (thread < 128) {
        supply_stages<Pipeline, Shape::stages_ahead, stream_k, false>(
            shared.ring, shared.prepared, maps, order, schedule, thread,
            [&](int stage) { straighten_a(shared, maps, stage, thread); });
        return;
    }
    const auto column_of = [](int consumer) { return consumer / 32 * 16 + consumer % 32 / 4; };
    const int consumer = thread - 128, lane = thread % 32, column_of_lane = column_of(consumer);
    typename Pipeline::Position position;
    TileSegment segment;
    for (unsigned index = 0; find_segment<stream_k>(schedule, index, segment); ++index) {
        float d[Shape::tile_m / 2];
        Tf32RowSetOperand<Shape> operands[2];  // one is multiplied while the other is loaded
        int previous = 0;
        for (int first = segment.first; first < segment.end; first += 2) {
#pragma unroll
            for (int odd = 0; odd < 2; ++odd) {
                const int step = first + odd;
                if (step >= segment.end) break;
                const int stage = position.stage;
                barrier_wait(&shared.prepared[stage], position.parity);
                operands[odd].load(shared.ring, stage, maps, column_of_lane, lane);
                const std::uint64_t a = StageOperand<true>::descriptor(shared.a[stage]);
                wgmma_fence();
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    Wgmma<float, Shape::tile_m>::multiply(d, operands[odd].values[i], a + i * StageOperand<true>::next,
                                                          step > segment.first || i > 0);
                wgmma_commit();
                if (step > segment.first) {
                    wgmma_wait<1>();  // the previous group is done with its stage and its operand
                    Pipeline::release(shared.ring, previous, threadIdx.x % 128);
                }
                previous = stage;
                position.advance();
            }
        }
        wgmma_wait<0>();
        wgmma_settle(d);
        Pipeline::release(shared.ring, previous, threadIdx.x % 128);
        if constexpr (stream_k)
            if (!Shares::complete(d, segment, schedule, partial, consumer)) continue;
        unsigned tile_row = 0, tile_column = 0;
        order.place(segment.tile, tile_row, tile_column);
        const int row = static_cast<int>(tile_row) * Shape::tile_m,
                  column = static_cast<int>(tile_column) * Shape::tile_n;
#pragma unroll
        for (int group = 0; group < Shape::tile_m / 8; ++group)
            store_row_sets<Shape>(c, row, column + column_of_lane, m, n, lane, group, d + 4 * group);
    }
    if constexpr (stream_k)
        Shares::add_part(schedule, partial, memory, consumer, [&](unsigned tile) {
            unsigned tile_row = 0, tile_column = 0;
            order.place(tile, tile_row, tile_column);
            const int row = static_cast<int>(tile_row) * Shape::tile_m,
                      column = static_cast<int>(tile_column) * Shape::tile_n;
            return [=](int piece, int of_consumer, const float(&sums)[4]) {
                store_row_sets<Shape>(c, row, column + column_of(of_consumer), m, n, of_consumer % 32, piece, sums);
            };
        });
#endif
}

/// Requires can_read_row_sets(arguments).
template <typename Shape, bool stream_k>
LaunchShape launch_tf32_row_sets(const MatmulArguments<float>& arguments, const TileOrder& order,
                                 const StreamKSchedule& schedule) {
    return launch_hopper(
        matmul_hopper_tf32_row_sets<Shape, stream_k>, stream_k_grid(schedule, arguments.multiprocessors),
        128 + 128 * Shape::warpgroups, sizeof(Tf32RowSetShared<Shape>), 1, arguments.stream,
        row_set_maps<tf32_row_sets>(arguments, Shape::tile_m, Shape::tile_n, transposed_map_type<float>), arguments.d_c,
        int(arguments.m), int(arguments.n), order, schedule, partial_sums(arguments));
}

}  // namespace BACKEND
