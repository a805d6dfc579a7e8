// SPDX-License-Identifier: MIT
#pragma once
// A and B in place, whatever the alignment of their rows. TMA wants rows at multiples of 16 bytes from each other, and
// every fourth row of four-byte elements is: each such set of rows has a tensor map of its own. The map begins at the
// multiple of 16 bytes before the set's first row: `shift` elements before the row. Boxes begin at multiples of 16
// bytes, too, so that a tile's rows arrive `shift` elements to the right of their place, and need more room; who needs
// them elsewhere moves them in shared memory. This replaces copies in global memory (see HopperOperands), which take
// longer than the product if few tiles read what is copied.
// With twice as many sets, all is at multiples of 32 bytes, the L2 cache's sectors. Rows then arrive faster: 128 bytes
// of A in 5.5 cycles instead of 7.9, of B in 4.3 instead of 5.2, if all multiprocessors of an H100 load. But twice as
// many boxes must be asked for, which takes TMA some 30 cycles each. That is worth it in tf32, with eight sets, and in
// f64, whose elements are twice as large, with four (67 x 16321 x 8523 on an H100: 329 -> 239 us and 507 -> 461 us).
// Not in f32, whose warps that ask take cycles from the multiply-adds: products took a fifth longer.
#include "common/cuda/bulk_copy.cuh"
#include "kernels/matmul/hopper/launch.cuh"
#include "kernels/matmul/hopper/pipeline.cuh"
#include "kernels/matmul/hopper/row_set_rule.cuh"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace BACKEND {

/// How many sets there are in each type's kernels.
constexpr int f32_row_sets = 4, tf32_row_sets = 8, f64_row_sets = 4;

/// The shift of a set of rows whose length divided by the number of sets leaves `rest`.
template <int sets>
__host__ __device__ constexpr int shift_of_set(int rest, int set) {
    return set * rest % sets;
}

/// The maps of both matrices, and what decides how far each set is shifted.
template <int sets>
struct RowSetMaps {
    CUtensorMap a[sets], b[sets], rest_of_b[sets];  // the padding of B's widest tiles
    int rest_of_k, rest_of_n;                       // modulo the number of sets
};

/// The ring of stages, each set's rows below each other: of four sets, row r of a tile is row r / 4 of set r % 4. Rows
/// are not swizzled, but longer by as many elements as there are sets. Where B's box would be too wide for TMA, what it
/// is longer by is a box of its own.
template <typename T, int sets_, int tile_m, int tile_n, int stages>
struct RowSetRing {
    static constexpr int sets = sets_, padding = sets, tile_k = 128 / sizeof(T);
    static constexpr bool wide = tile_n + padding > 256;
    static constexpr int row_of_a = tile_k + padding, row_of_b = wide ? tile_n : tile_n + padding;
    static constexpr int whole_rows = 128 / std::gcd(128, int{sizeof(T)} * row_of_a);  // TMA wants such multiples
    static constexpr int rows_of_a = (tile_m / sets + whole_rows - 1) / whole_rows * whole_rows,
                         rows_of_b = tile_k / sets;
    /// What a stage has beyond the tiles.
    static constexpr unsigned extra_bytes =
        sizeof(T) * (sets * rows_of_a * row_of_a - tile_m * tile_k + tile_k * padding);
    alignas(128) T a[stages][sets][rows_of_a * row_of_a];
    alignas(128) T b[stages][sets][rows_of_b * row_of_b];
    alignas(128) T rest_of_b[wide ? stages : 1][sets][rows_of_b * padding];
    std::uint64_t filled[stages], emptied[stages];
};

/// As HopperPipeline without multicast, but there are four producers, one in each of a warpgroup's warps: one alone
/// would take longer to ask for so many boxes than they take to arrive. load_stage() expects that the stage is empty.
template <typename T, int sets_, int tile_m_, int tile_n_, int stages_>
struct RowSetPipeline {
    using Shared = RowSetRing<T, sets_, tile_m_, tile_n_, stages_>;
    using Position = RingPosition<stages_>;
    static constexpr int tile_m = tile_m_, tile_n = tile_n_, tile_k = Shared::tile_k, stages = stages_, sets = sets_,
                         asking_warps = 4;
    static constexpr unsigned stage_bytes =
        sizeof(T) * (tile_m * Shared::row_of_a + tile_k * (tile_n + Shared::padding));
    static_assert(tile_m % sets == 0 && tile_n <= 256, "the limits of a box");
    static_assert(sets % asking_warps == 0, "each asks for as many boxes");
    static_assert(sizeof(T) * Shared::rows_of_b * Shared::row_of_b % 128 == 0, "TMA's alignment");
    static_assert(!Shared::wide || tile_n == 256, "B's box then has as many columns as the tile");

    /// Called by one thread. `consumers`: how many arrivals release a stage.
    __device__ static void init(Shared& shared, unsigned consumers) {
        for (int stage = 0; stage < stages; ++stage) {
            barrier_init(&shared.filled[stage], asking_warps);
            barrier_init(&shared.emptied[stage], consumers);
        }
        fence_barrier_init();
    }
    __device__ static void prefetch(const RowSetMaps<sets>& maps) {
#pragma unroll
        for (int set = 0; set < sets; ++set) {
            prefetch_tensor_map(maps.a[set]);
            prefetch_tensor_map(maps.b[set]);
            if (Shared::wide) prefetch_tensor_map(maps.rest_of_b[set]);
        }
    }
    __device__ static void begin() {
        wait_for_previous_kernel();
        __syncthreads();
    }
    __device__ static void begin(Shared& shared, const RowSetMaps<sets>& maps, unsigned consumers) {
        if (threadIdx.x == 0) {
            prefetch(maps);
            init(shared, consumers);
        }
        begin();
    }

    /// Called by one thread of each asking warp, for an empty stage. These warps are a warpgroup.
    __device__ static void load_stage(Shared& shared, const Position& position, const RowSetMaps<sets>& maps, int row,
                                      int column, int step, OnlyProduct = {}) {
        const int stage = position.stage;
        std::uint64_t* filled = &shared.filled[stage];
        barrier_arrive_and_expect(filled, stage_bytes / asking_warps);
#pragma unroll
        for (int first = 0; first < sets; first += asking_warps) {
            const int set = first + static_cast<int>(threadIdx.x) / 32 % asking_warps;
            copy_box_in(shared.a[stage][set], maps.a[set], filled, step * tile_k, row / sets);
            copy_box_in(shared.b[stage][set], maps.b[set], filled, column, step * Shared::rows_of_b);
            if constexpr (Shared::wide)
                copy_box_in(shared.rest_of_b[stage][set], maps.rest_of_b[set], filled, column + tile_n,
                            step * Shared::rows_of_b);
        }
    }
    /// The same for stages [first_stage, end_stage) along k.
    __device__ static void produce(Shared& shared, Position& position, const RowSetMaps<sets>& maps, int row,
                                   int column, int first_stage, int end_stage, OnlyProduct = {}) {
        for (int step = first_stage; step < end_stage; ++step, position.advance()) {
            barrier_wait(&shared.emptied[position.stage], position.parity ^ 1);
            load_stage(shared, position, maps, row, column, step);
        }
    }
    __device__ static void release(Shared& shared, int stage, unsigned thread) {
        if (thread == 0) barrier_arrive(&shared.emptied[stage]);
    }
};

/// The four elements that begin `shift` elements into a piece, which the next one follows.
template <int shift>
__device__ inline float4 shifted_four(const float4& piece, const float4& next) {
    static_assert(0 <= shift && shift < 4);
    if constexpr (shift == 1) return make_float4(piece.y, piece.z, piece.w, next.x);
    else if constexpr (shift == 2) return make_float4(piece.z, piece.w, next.x, next.y);
    else if constexpr (shift == 3) return make_float4(piece.w, next.x, next.y, next.z);
    else return piece;
}

/// As suits_row_sets().
template <typename T>
bool can_read_row_sets(const MatmulArguments<T>& arguments) {
    return suits_row_sets(arguments.n, arguments.k, arguments.batch, sizeof(T));
}

/// The map of a set of rows of a row-major matrix, which is 16-byte aligned and has rows in that set.
template <int sets, typename T>
CUtensorMap map_of_row_set(const T* d_matrix, size_t rows, size_t columns, int set, unsigned box_rows,
                           unsigned box_columns, CUtensorMapDataType type) {
    const int shift = shift_of_set<sets>(static_cast<int>(columns % sets), set);
    return tensor_map(d_matrix + set * columns - shift, divide_up(rows - set, size_t{sets}), columns + shift,
                      sets * columns, box_rows, box_columns, CU_TENSOR_MAP_SWIZZLE_NONE, type);
}

/// Failure(cuda_error) if the driver refuses.
template <int sets, typename T>
RowSetMaps<sets> row_set_maps(const MatmulArguments<T>& arguments, unsigned tile_m, unsigned tile_n,
                              CUtensorMapDataType type = tensor_map_type<T>) {
    constexpr unsigned tile_k = hopper_tile_k<T>, padding = sets;
    RowSetMaps<sets> maps{};
    for (unsigned set = 0; set < sets; ++set) {
        const auto map_of_b = [&](unsigned columns) {
            return map_of_row_set<sets>(arguments.d_b, arguments.k, arguments.n, int(set), tile_k / sets, columns,
                                        type);
        };
        const unsigned set_of_a = set < arguments.m ? set : 0;  // C has no rows of a set without rows: any will do
        maps.a[set] = map_of_row_set<sets>(arguments.d_a, arguments.m, arguments.k, int(set_of_a), tile_m / sets,
                                           tile_k + padding, type);
        maps.b[set] = map_of_b(std::min(tile_n + padding, 256U));
        if (tile_n + padding > 256) maps.rest_of_b[set] = map_of_b(padding);
    }
    maps.rest_of_k = static_cast<int>(arguments.k % sets);
    maps.rest_of_n = static_cast<int>(arguments.n % sets);
    return maps;
}

}  // namespace BACKEND
