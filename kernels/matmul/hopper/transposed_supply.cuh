// SPDX-License-Identifier: MIT
#pragma once
// The warps of matmul_hopper_f32_transposed that do not multiply: they ask TMA for stages, transpose A's tiles and, if
// rows are not aligned, move those of B to their places.
#include "common/cuda/bulk_copy.cuh"
#include "kernels/matmul/generic/tile_order.cuh"
#include "kernels/matmul/hopper/layouts.cuh"
#include "kernels/matmul/hopper/row_sets.cuh"
#include "kernels/matmul/hopper/supply.cuh"
#include "kernels/matmul/hopper/transposed_shape.cuh"

#include <cuda_runtime.h>

#include <cstdint>

namespace BACKEND {

/// The ring of stages; beside each stage A's tile once more, transposed: [32 along k][tile_m]; and results on their way
/// from lanes to whole rows.
template <typename Shape>
struct TransposedAShared {
    typename Shape::Pipeline::Shared ring;
    alignas(1024) float transposed_a[Shape::stages][32 * Shape::tile_m];
    alignas(16) float4 results[Shape::results_bytes / sizeof(float4)];
    std::uint64_t transposed[Shape::stages];
};

/// A warp's rows of one set of B's tile: two, in pieces of four elements. Four warps have all.
template <int tile_n, int shift>
struct RowsToStraighten {
    static constexpr int pieces = tile_n / 4, of_warp = 2 * pieces, of_lane = (of_warp + 31) / 32;
    float4 straight[of_lane];

    /// Calls use(i, piece, next) for each of a lane's pieces.
    template <typename Ring, typename Use>
    __device__ static void for_each(Ring& ring, int stage, int set, int warp, int lane, const Use& use) {
        auto* const rows = reinterpret_cast<float4*>(ring.b[stage][set] + warp * 2 * Ring::row_of_b);
#pragma unroll
        for (int i = 0; i < of_lane; ++i) {
            const int number = i * 32 + lane, row = number / pieces, x = number % pieces;
            if (of_warp % 32 != 0 && number >= of_warp) break;
            float4* const piece = rows + row * (Ring::row_of_b / 4) + x;
            float4* next = piece + 1;
            if constexpr (Ring::wide)
                if (x + 1 == pieces) next = reinterpret_cast<float4*>(ring.rest_of_b[stage][set]) + warp * 2 + row;
            use(i, piece, next);
        }
    }
    template <typename Ring>
    __device__ void load(Ring& ring, int stage, int set, int warp, int lane) {
        if constexpr (shift > 0)
            for_each(ring, stage, set, warp, lane, [&](int i, const float4* piece, const float4* next) {
                straight[i] = shifted_four<shift>(*piece, *next);
            });
    }
    template <typename Ring>
    __device__ void store(Ring& ring, int stage, int set, int warp, int lane) const {
        if constexpr (shift > 0)
            for_each(ring, stage, set, warp, lane, [&](int i, float4* piece, float4*) { *piece = straight[i]; });
    }
};

/// Moves the rows of B's tile to their places. Four warps. `rest`: n modulo four. Rows of wide tiles are
/// moved one set after another, for their registers.
template <int tile_n, int rest, typename Ring>
__device__ inline void straighten_b(Ring& ring, int stage, int thread) {
    const int warp = thread / 32, lane = thread % 32;
    RowsToStraighten<tile_n, shift_of_set<f32_row_sets>(rest, 1)> one;
    RowsToStraighten<tile_n, shift_of_set<f32_row_sets>(rest, 2)> two;
    RowsToStraighten<tile_n, shift_of_set<f32_row_sets>(rest, 3)> three;
    constexpr bool one_by_one = tile_n > 128;
    one.load(ring, stage, 1, warp, lane);
    if (one_by_one) {
        __syncwarp();
        one.store(ring, stage, 1, warp, lane);
    }
    two.load(ring, stage, 2, warp, lane);
    if (one_by_one) {
        __syncwarp();
        two.store(ring, stage, 2, warp, lane);
    }
    three.load(ring, stage, 3, warp, lane);
    __syncwarp();  // the warp's rows are in registers: their places may be overwritten
    if (!one_by_one) {
        one.store(ring, stage, 1, warp, lane);
        two.store(ring, stage, 2, warp, lane);
    }
    three.store(ring, stage, 3, warp, lane);
}

/// Loads the four elements of a piece from each of four rows of A's tile, `row` and the next three. `rest`: k modulo
/// four, if rows are read in sets.
template <int rest, typename Shape>
__device__ inline void load_square(const TransposedAShared<Shape>& shared, int stage, int row, int piece,
                                   float4 (&square)[4]) {
    if constexpr (Shape::by_row_sets) {
        const auto in_set = [&](int set) {
            const float* const rows = shared.ring.a[stage][set];
            return reinterpret_cast<const float4*>(rows + row / 4 * Shape::Pipeline::Shared::row_of_a) + piece;
        };
        square[0] = *in_set(0);
        square[1] = shifted_four<shift_of_set<f32_row_sets>(rest, 1)>(in_set(1)[0], in_set(1)[1]);
        square[2] = shifted_four<shift_of_set<f32_row_sets>(rest, 2)>(in_set(2)[0], in_set(2)[1]);
        square[3] = shifted_four<shift_of_set<f32_row_sets>(rest, 3)>(in_set(3)[0], in_set(3)[1]);
    } else {
#pragma unroll
        for (int i = 0; i < 4; ++i)
            square[i] =
                *reinterpret_cast<const float4*>(shared.ring.a[stage] + (row + i) * 32 + (piece ^ (row + i) % 8) * 4);
    }
}

/// Transposes A's tile. Called by all producers. A lane transposes squares of 4 x 4. The eight lanes whose accesses go
/// together take eight squares below each other (four and their neighbors if the tile has 16 rows). The stores meet in
/// no bank. Nor do loads from swizzled rows: the exclusive or makes the squares' columns differ. Nor do loads from sets
/// of more than four rows, which are 36 elements apart.
template <int rest, typename Shape>
__device__ inline void transpose_tile(TransposedAShared<Shape>& shared, int stage, int thread) {
    constexpr int tile_m = Shape::tile_m, squares = tile_m * 2, below = tile_m < 32 ? tile_m / 4 : 8;
#pragma unroll
    for (int first = 0; first < squares; first += Shape::producers) {
        const int number = first + thread;
        if (squares % Shape::producers != 0 && number >= squares) break;
        const int row = (number / (8 * below) * below + number % below) * 4;
        const int piece = number / below % 8 ^ (Shape::by_row_sets ? 0 : number % below / 2 * (8 / below));
        float4 square[4];
        load_square<rest>(shared, stage, row, piece, square);
        auto* target = reinterpret_cast<float4*>(shared.transposed_a[stage] + piece * 4 * tile_m + row);
        transpose_square(square);
#pragma unroll
        for (int i = 0; i < 4; ++i) target[tile_m / 4 * i] = square[i];
    }
}

/// Turns a stage that has arrived into what the consumers expect. Called by all producers. The compiler knows how far
/// rows are shifted. (With that, and with B's rows loaded before any is stored, 2047 x 2047 x 2047 in tiles of
/// 128 x 128 took 386 us instead of 430 on an H100.)
template <typename Shape>
__device__ inline void prepare_stage(TransposedAShared<Shape>& shared, const typename Shape::Maps& maps, int stage,
                                     int thread) {
    if constexpr (Shape::by_row_sets) {
        switch (maps.rest_of_k) {
            case 0: transpose_tile<0>(shared, stage, thread); break;
            case 1: transpose_tile<1>(shared, stage, thread); break;
            case 2: transpose_tile<2>(shared, stage, thread); break;
            default: transpose_tile<3>(shared, stage, thread);
        }
        switch (maps.rest_of_n) {
            case 0: break;
            case 1: straighten_b<Shape::tile_n, 1>(shared.ring, stage, thread); break;
            case 2: straighten_b<Shape::tile_n, 2>(shared.ring, stage, thread); break;
            default: straighten_b<Shape::tile_n, 3>(shared.ring, stage, thread);
        }
        fence_shared_for_copies();  // the next copy to this stage comes after these stores
    } else {
        transpose_tile<0>(shared, stage, thread);
    }
}

template <bool many, typename Shape>
__device__ inline void supply_transposed_stages(TransposedAShared<Shape>& shared, const typename Shape::Maps& maps,
                                                const TileOrder& order, const StreamKSchedule& schedule) {
    const int thread = static_cast<int>(threadIdx.x) - Shape::consumers;
    supply_stages<typename Shape::Pipeline, Shape::stages_ahead, true, many>(
        shared.ring, shared.transposed, maps, order, schedule, thread,
        [&](int stage) { prepare_stage(shared, maps, stage, thread); });
}

}  // namespace BACKEND
