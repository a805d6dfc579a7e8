#pragma once
// A and B in place, whatever the alignment of their rows. TMA wants rows at multiples of 16 bytes from each other, and
// every fourth row of a matrix of four-byte elements is: each such set of rows has a tensor map of its own. It begins
// at the multiple of 16 bytes before the set's first row, `shift` elements before it. Boxes begin at multiples of 16
// bytes, too, so that the rows of a tile arrive `shift` elements to the right of their place, with one more piece of
// 16 bytes; who needs them elsewhere moves them in shared memory. This replaces copies in global memory (see
// HopperOperands), which take longer than the product if few tiles read what is copied.
#include "common/cuda/bulk_copy.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace BACKEND {

/// Four-byte elements: the sets of rows, and the elements of a piece of 16 bytes.
constexpr int row_sets = 4, row_set_piece = 4;

/// The maps of both matrices, and what decides how far each set is shifted.
struct RowSetMaps {
    CUtensorMap a[row_sets], b[row_sets], pieces_of_b[row_sets];  // pieces on the right of B's widest tiles
    int rest_of_a, rest_of_b;                                     // the columns modulo four
};

/// The ring of stages, each set's rows below each other: row r of a tile is row r / 4 of set r % 4. Rows are not
/// swizzled, but have one piece more, which also leads neighboring rows of A to different banks. Where that makes B's
/// box too wide, the pieces are boxes of their own.
template <int tile_m, int tile_n, int stages>
struct RowSetRing {
    static constexpr bool wide = tile_n + row_set_piece > 256;
    static constexpr int tile_k = 32, row_of_a = tile_k + row_set_piece,
                         row_of_b = wide ? tile_n : tile_n + row_set_piece;
    static constexpr int rows_of_a = tile_m / row_sets < 8 ? 8 : tile_m / row_sets;  // TMA wants multiples of 128 bytes
    static constexpr int rows_of_b = tile_k / row_sets;
    /// What a stage has beyond the tiles.
    static constexpr unsigned extra_bytes =
        sizeof(float) * (row_sets * rows_of_a * row_of_a - tile_m * tile_k + tile_k * row_set_piece);
    alignas(128) float a[stages][row_sets][rows_of_a * row_of_a];
    alignas(128) float b[stages][row_sets][rows_of_b * row_of_b];
    alignas(128) float pieces_of_b[wide ? stages : 1][row_sets][rows_of_b * row_set_piece];
    std::uint64_t filled[stages], emptied[stages];
};

/// As HopperPipeline.
template <int tile_m_, int tile_n_, int stages_>
struct RowSetPipeline {
    using Shared = RowSetRing<tile_m_, tile_n_, stages_>;
    using Position = RingPosition<stages_>;
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, tile_k = Shared::tile_k, stages = stages_;
    static constexpr unsigned stage_bytes =
        sizeof(float) * (tile_m * Shared::row_of_a + tile_k * (tile_n + row_set_piece));
    static_assert(tile_m % row_sets == 0 && tile_n <= 256, "the limits of a box");

    /// Called by one thread. `consumers`: how many arrivals release a stage.
    __device__ static void init(Shared& shared, unsigned consumers) {
        for (int stage = 0; stage < stages; ++stage) {
            barrier_init(&shared.filled[stage], 1);
            barrier_init(&shared.emptied[stage], consumers);
        }
        fence_barrier_init();
    }
    __device__ static void prefetch(const RowSetMaps& maps) {
#pragma unroll
        for (int set = 0; set < row_sets; ++set) {
            prefetch_tensor_map(maps.a[set]);
            prefetch_tensor_map(maps.b[set]);
            if (Shared::wide) prefetch_tensor_map(maps.pieces_of_b[set]);
        }
    }
    __device__ static void begin() {
        wait_for_previous_kernel();
        __syncthreads();
    }

    /// Called by one thread, for an empty stage.
    __device__ static void load_stage(Shared& shared, const Position& position, const RowSetMaps& maps, int row,
                                      int column, int step, OnlyProduct) {
        const int stage = position.stage;
        std::uint64_t* filled = &shared.filled[stage];
        barrier_arrive_and_expect(filled, stage_bytes);
#pragma unroll
        for (int set = 0; set < row_sets; ++set) {
            copy_box_in(shared.a[stage][set], maps.a[set], filled, step * tile_k, row / row_sets);
            copy_box_in(shared.b[stage][set], maps.b[set], filled, column, step * Shared::rows_of_b);
            if constexpr (Shared::wide)
                copy_box_in(shared.pieces_of_b[stage][set], maps.pieces_of_b[set], filled, column + tile_n,
                            step * Shared::rows_of_b);
        }
    }
};

/// The shift of a set of rows whose length divided by four leaves `rest`.
__host__ __device__ constexpr int shift_of_set(int rest, int set) { return set * rest % row_set_piece; }

/// The four elements that begin `shift` elements into a piece, which the next one follows.
template <int shift>
__device__ inline float4 shifted_four(const float4* piece, const float4* next) {
    const float4 here = *piece;
    if constexpr (shift == 0) {
        return here;
    } else {
        const float4 there = *next;
        if constexpr (shift == 1) return make_float4(here.y, here.z, here.w, there.x);
        else if constexpr (shift == 2) return make_float4(here.z, here.w, there.x, there.y);
        else return make_float4(here.w, there.x, there.y, there.z);
    }
}

/// A warp's rows of one set of B's tile: two, in pieces. Four warps have all.
template <int tile_n, int shift>
struct RowsToStraighten {
    static constexpr int pieces = tile_n / row_set_piece, of_warp = 2 * pieces, of_lane = (of_warp + 31) / 32;
    float4 straight[of_lane];

    /// Calls use(i, piece, next) for each of a lane's pieces.
    template <typename Ring, typename Use>
    __device__ static void for_each(Ring& ring, int stage, int set, int warp, int lane, const Use& use) {
        auto* const rows = reinterpret_cast<float4*>(ring.b[stage][set] + warp * 2 * Ring::row_of_b);
#pragma unroll
        for (int i = 0; i < of_lane; ++i) {
            const int number = i * 32 + lane, row = number / pieces, x = number % pieces;
            if (of_warp % 32 != 0 && number >= of_warp) break;
            float4* const piece = rows + row * (Ring::row_of_b / row_set_piece) + x;
            float4* next = piece + 1;
            if constexpr (Ring::wide)
                if (x + 1 == pieces) next = reinterpret_cast<float4*>(ring.pieces_of_b[stage][set]) + warp * 2 + row;
            use(i, piece, next);
        }
    }
    template <typename Ring>
    __device__ void load(Ring& ring, int stage, int set, int warp, int lane) {
        if constexpr (shift > 0)
            for_each(ring, stage, set, warp, lane, [&](int i, const float4* piece, const float4* next) {
                straight[i] = shifted_four<shift>(piece, next);
            });
    }
    template <typename Ring>
    __device__ void store(Ring& ring, int stage, int set, int warp, int lane) const {
        if constexpr (shift > 0)
            for_each(ring, stage, set, warp, lane, [&](int i, float4* piece, float4*) { *piece = straight[i]; });
    }
};

/// Moves the rows of B's tile to their places. Four warps. `rest`: B's columns modulo four. Rows of wide tiles are
/// moved one set after another, for their registers.
template <int tile_n, int rest, typename Ring>
__device__ inline void straighten_b(Ring& ring, int stage, int thread) {
    const int warp = thread / 32, lane = thread % 32;
    RowsToStraighten<tile_n, shift_of_set(rest, 1)> one;
    RowsToStraighten<tile_n, shift_of_set(rest, 2)> two;
    RowsToStraighten<tile_n, shift_of_set(rest, 3)> three;
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

/// Whether rows have to be read in sets, and can be: both matrices have rows in all of them.
inline bool can_read_row_sets(const MatmulArguments<float>& arguments) {
    const bool aligned = rows_are_aligned(arguments.d_a, arguments.k) && rows_are_aligned(arguments.d_b, arguments.n);
    return !aligned && arguments.batch == 1 && arguments.m >= row_sets && arguments.k >= row_sets;
}

/// The map of a set of rows of a row-major matrix, which is 16-byte aligned and has at least row_sets rows.
inline CUtensorMap map_of_row_set(const float* d_matrix, size_t rows, size_t columns, int set, unsigned box_rows,
                                  unsigned box_columns) {
    const int shift = shift_of_set(static_cast<int>(columns % row_set_piece), set);
    return tensor_map(d_matrix + set * columns - shift, divide_up(rows - set, size_t{row_sets}), columns + shift,
                      row_sets * columns, box_rows, box_columns, CU_TENSOR_MAP_SWIZZLE_NONE);
}

inline RowSetMaps row_set_maps(const MatmulArguments<float>& arguments, unsigned tile_m, unsigned tile_n) {
    constexpr unsigned tile_k = hopper_tile_k<float>;
    RowSetMaps maps{};
    for (int set = 0; set < row_sets; ++set) {
        const auto map_of_b = [&](unsigned columns) {
            return map_of_row_set(arguments.d_b, arguments.k, arguments.n, set, tile_k / row_sets, columns);
        };
        maps.a[set] =
            map_of_row_set(arguments.d_a, arguments.m, arguments.k, set, tile_m / row_sets, tile_k + row_set_piece);
        maps.b[set] = map_of_b(std::min(tile_n + row_set_piece, 256U));
        maps.pieces_of_b[set] = map_of_b(row_set_piece);
    }
    maps.rest_of_a = static_cast<int>(arguments.k % row_set_piece);
    maps.rest_of_b = static_cast<int>(arguments.n % row_set_piece);
    return maps;
}

}  // namespace BACKEND
