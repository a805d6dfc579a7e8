// SPDX-License-Identifier: MIT
// How a block, its warps and their lanes share a tile of matmul_hopper_f32_transposed.
#pragma once

#include <cuda_runtime.h>

#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/row_sets.cuh"

#include <type_traits>

namespace BACKEND {

/// A block's tile, and how eight warps and their lanes share it. If fewer than eight parts fill the tile, several warps
/// have the same part: each takes a slice of every stage along k, and their sums are added at the end.
template <int tile_m_, int tile_n_, int warp_m_, int warp_n_, int lanes_m_ = 4, bool by_row_sets_ = false>
struct TransposedAShape {
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, warp_m = warp_m_, warp_n = warp_n_;
    static constexpr bool by_row_sets = by_row_sets_;
    static constexpr int lanes_m = lanes_m_, lanes_n = 32 / lanes_m;
    static constexpr int rows = warp_m / lanes_m, columns = warp_n / lanes_n, vectors = columns / 4;  // of one lane
    static constexpr int consumers = 256, producers = 128, warps_n = tile_n / warp_n, warps = tile_m / warp_m * warps_n;
    static constexpr int slices = 8 / warps, slice_k = 32 / slices;
    static constexpr int sums = rows * columns, totals = sums / slices;  // of one lane
    static_assert(warps * slices == 8 && slice_k % 4 == 0, "eight warps multiply");
    static_assert(rows % 4 == 0 && columns % 4 == 0, "a lane loads four neighbors at once");
    static constexpr bool waits_for_memory = sums < 128;
    static_assert(waits_for_memory || lanes_m <= lanes_n, "see TransposedAPosition");

    /// Where the row of B's tile for a step along k begins in shared memory. `step` is below four or a multiple of
    /// four: then the places of two steps add up to the place of their sum.
    __host__ __device__ static constexpr int place_of_step(int step) {
        return by_row_sets ? (step % 4 * 8 + step / 4) * RowSetRing<float, f32_row_sets, tile_m, tile_n, 1>::row_of_b
                           : step * tile_n;
    }

    /// Sums pass through shared memory in rounds, round_rows rows of every lane at a time. Sets of rows take room:
    /// smaller rounds leave it to the stages.
    static constexpr int round_sums = by_row_sets && slices <= 4 ? 16 : 32, rounds = sums / round_sums,
                         round_rows = rows / rounds;
    static constexpr unsigned results_bytes = consumers * round_sums * sizeof(float);
    static constexpr unsigned stage_bytes =
        (2 * tile_m + tile_n) * 128 +  // holds A's tile twice
        (by_row_sets ? RowSetRing<float, f32_row_sets, tile_m, tile_n, 1>::extra_bytes : 0);
    static constexpr unsigned barrier_bytes = 2048;  // at most, with what aligns the stages
    static constexpr int stages = (most_shared_bytes - barrier_bytes - results_bytes) / stage_bytes;
    /// See supply_stages(). Straightening sets of rows takes longer: it should begin even earlier.
    static constexpr int stages_ahead = by_row_sets ? (stages + 1) / 2 : stages * 3 / 4;
    static_assert(stages_ahead >= 1 && stages_ahead < stages, "a stage arrives while another one is in use");
    using Pipeline = std::conditional_t<by_row_sets, RowSetPipeline<float, f32_row_sets, tile_m, tile_n, stages>,
                                        HopperPipeline<float, tile_m, tile_n, stages, tile_n>>;
    using Maps = std::conditional_t<by_row_sets, RowSetMaps<f32_row_sets>, MapPairByValue>;
};

/// Where this warp and lane work. Two lanes whose numbers differ in bit 0 only, or in bit 1 only, have different rows
/// and different columns: if all such pairs load the same values, shared memory returns two registers per cycle, not
/// one, and each load costs a multiply-add's cycle. Tiles of few rows wait for memory, so they prefer the fast loads.
template <typename Shape>
struct TransposedAPosition {
    int row, column, slice, lane_row, lane_column;
    __device__ TransposedAPosition(int warp, int lane)
        : row(warp % Shape::warps / Shape::warps_n * Shape::warp_m),
          column(warp % Shape::warps_n * Shape::warp_n),
          slice(warp / Shape::warps),
          lane_row(lane % Shape::lanes_m),
          lane_column(lane / Shape::lanes_m) {
        if (!Shape::waits_for_memory) lane_column ^= lane_row;
    }

    /// The first of the lane's v-th four columns, in its warp's tile. Neighboring lanes have neighboring fours.
    __device__ int column_of(int v) const { return (v * Shape::lanes_n + lane_column) * 4; }
};

}  // namespace BACKEND
