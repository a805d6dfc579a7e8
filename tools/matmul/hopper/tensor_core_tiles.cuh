// SPDX-License-Identifier: MIT
// The tiles of the Hopper kernels for bf16 and f16, and how long each takes. Only for nvcc.
#pragma once

#include "kernels/matmul/hopper/clustered.cuh"
#include "kernels/matmul/hopper/fitted.cuh"
#include "kernels/matmul/hopper/mma.cuh"
#include "kernels/matmul/hopper/overlapped.cuh"
#include "kernels/matmul/hopper/transposed_product.cuh"
#include "tools/matmul/hopper/tile_row.cuh"

namespace BACKEND {

// Tiles of hopper/clustered.cuh; `reached`: the fraction of the peak. (Fitted on an H100 to 190 products in bf16, two
// thirds of them with rows at odd multiples of 16 bytes, those of a transposed B to 100; by hand, as far as the choice
// among all tiles depends on it.)
constexpr StripSide by_rows = StripSide::rows, by_columns = StripSide::columns;
template <typename T, StripSide side, int tile_m, int tile_n, int cluster_rows = 1, int cluster_columns = 1,
          typename Layouts = PlainLayouts>
constexpr TileChoice clustered_tile(double reached) {
    constexpr double cycles_at_peak = tile_m * tile_n / 32, fixed_cycles = 1000 + 0.06 * tile_m * tile_n;
    return tile<ClusteredTile<T, tile_m, tile_n, side, cluster_rows, cluster_columns, Layouts>>(
        cycles_at_peak / reached, fixed_cycles);
}

// bf16 and f16. Tensor cores take tile_m * tile_n / 32 cycles for a stage of 64 along k. The cycles of the largest tile
// are fitted to products of n = 2304 to 8192, in steps of 256, to within 0.8 %, those of the others to products of 512
// to 3072 that they compute in whole waves. The largest is listed several times: with and without the code to share
// tiles, which costs 1 %, with as many rows as fill the waves, and for rows of C that TMA cannot store. Whole tiles of
// 16, 32 and 64 rows all wait for B. Sharing B by multicast costs another 1 %; it pays where rows of B are slow to
// read. (Tiles of 96 to 128 rows x 64 columns, and those in parts along k, were timed on an H100: 35 products with all
// tiles, and checked on 157 others. How much slower unequal shares of a tile are, 1.4, and how many cycles more
// exchanged sums take, 3500, were set by hand: then the choice cost least in 1000 products with all tiles on an H100.
// The cycles of a stage of tiles of 64 columns, of 64 and of 88 x 128, and of those in parts along k were set by hand
// after 330 products there; where all multiprocessors are busy, loading takes longer in the model. Batches of 128 x 128
// and of 64 x 64, four tiles at once, were timed on an H100 and an H200.)
template <typename T>
inline constexpr TileChoice tensor_core_tiles[] = {
    tile<OverlappedTile<T, 256, false, 1, true>>(1016, 1700),
    tile<OverlappedTile<T, 256, true>>(1016, 1700, tensor_core_stream_k),
    tile<MmaTile<T>>(1016, 1700),
    tile<OverlappedTile<T, 240, false>>(952, 1700),
    tile<OverlappedTile<T, 224, false>>(905, 1700),
    tile<OverlappedTile<T, 192, false>>(757, 1700),
    tile<FittedHopperTile<T>>(1016, 1700),
    tile<TransposedProductTile<T, 240, 2>>(960, 1920),
    tile<TransposedProductTile<T, 200, 2>>(820, 1800),
    tile<TransposedProductTile<T, 192, 2, 1, 1, false, true>>(765, 1770),
    tile<TransposedProductTile<T, 168, 2>>(687, 1690),
    tile<TransposedProductTile<T, 144, 2>>(600, 2300),
    tile<TransposedProductTile<T, 128, 2>>(520, 2300),
    tile<OverlappedTile<T, 128, false, 1, true, PlainLayouts, true>>(530, 1700),
    tile<TransposedProductTile<T, 120, 2>>(505, 2300),
    tile<TransposedProductTile<T, 104, 2>>(470, 2300),
    tile<TransposedProductTile<T, 88, 2>>(420, 2200),
    tile<TransposedProductTile<T, 64, 2>>(368, 2300),
    tile<TransposedProductTile<T, 128, 1>>(330, 1600),
    tile<TransposedProductTile<T, 112, 1>>(308, 1600),
    tile<TransposedProductTile<T, 96, 1>>(295, 1700),
    tile<TransposedProductTile<T, 72, 1>>(265, 2000),
    tile<TransposedProductTile<T, 16, 1>>(270, 2000),
    tile<TransposedProductTile<T, 32, 1, 1, 1, false, true>>(270, 2000),
    tile<TransposedProductTile<T, 64, 1, 1, 1, false, true>>(270, 2000),
    tile<TransposedProductTile<T, 64, 1, 1, 1, false, true, PlainLayouts, 4>>(265, 500),
    tile<TransposedProductTile<T, 16, 1, 2>>(235, 4200),
    tile<TransposedProductTile<T, 32, 1, 2>>(250, 4200),
    tile<TransposedProductTile<T, 64, 1, 2>>(270, 5800),
    tile<TransposedProductTile<T, 32, 1, 4>>(250, 7800),
    tile<TransposedProductTile<T, 64, 1, 4>>(270, 8500),
    tile<TransposedProductTile<T, 64, 1, 8>>(270, 9500),
    tile<TransposedProductTile<T, 96, 1, 4>>(300, 9000),
    tile<TransposedProductTile<T, 128, 1, 2>>(350, 7000),
    tile<TransposedProductTile<T, 128, 1, 4>>(350, 9500),
    tile<TransposedProductTile<T, 64, 2, 2>>(380, 6500),
    tile<TransposedProductTile<T, 64, 2, 4>>(380, 9000),
    tile<TransposedProductTile<T, 64, 2, 8>>(400, 9500),
    tile<TransposedProductTile<T, 128, 2, 2>>(600, 8000),
    tile<TransposedProductTile<T, 128, 2, 4>>(600, 10500),
    tile<TransposedProductTile<T, 128, 2, 8>>(640, 11500),
    tile<TransposedProductTile<T, 16, 1, 1, 1, true>>(270, 5000, small_tile_stream_k(16 * 64, 270, 1, 3500)),
    tile<TransposedProductTile<T, 64, 2, 1, 1, true>>(380, 5000, small_tile_stream_k(64 * 128, 380, 1.4, 3500)),
    tile<TransposedProductTile<T, 128, 2, 1, 1, true>>(520, 5000, small_tile_stream_k(128 * 128, 520, 1.4, 3500)),
    tile<TransposedProductTile<T, 192, 2, 1, 1, true>>(765, 5000, small_tile_stream_k(192 * 128, 765, 1.4, 3500)),
    tile<TransposedProductTile<T, 64, 2, 1, 2, true>>(393, 5100, small_tile_stream_k(64 * 128, 393, 1.4, 3500)),
    tile<TransposedProductTile<T, 128, 2, 1, 2, true>>(528, 5100, small_tile_stream_k(128 * 128, 528, 1.4, 3500)),
    tile<TransposedProductTile<T, 192, 2, 1, 2, true>>(775, 5100, small_tile_stream_k(192 * 128, 775, 1.4, 3500)),
    tile<OverlappedTile<T, 256, false, 2>>(1026, 2300),
    tile<OverlappedTile<T, 256, true, 2>>(1026, 2300, tensor_core_stream_k),
    tile<OverlappedTile<T, 240, false, 2>>(962, 2300),
    tile<OverlappedTile<T, 224, false, 2>>(914, 2300),
    tile<OverlappedTile<T, 192, false, 2>>(767, 2300),
    tile<TransposedProductTile<T, 192, 2, 1, 2>>(775, 1900),
    tile<TransposedProductTile<T, 144, 2, 1, 2>>(608, 2400),
    tile<TransposedProductTile<T, 128, 2, 1, 2>>(528, 2400),
    tile<TransposedProductTile<T, 104, 2, 1, 2>>(477, 2400),
    tile<TransposedProductTile<T, 64, 2, 1, 2>>(393, 2400),
    clustered_tile<T, by_columns, 64, 128, 2, 2>(0.79),
    clustered_tile<T, by_columns, 80, 128, 2, 2>(0.84),
    clustered_tile<T, by_columns, 112, 128, 2, 2>(0.9),
    clustered_tile<T, by_columns, 128, 128, 2, 2>(0.94),
    clustered_tile<T, by_columns, 144, 128, 2, 2>(0.94),
    clustered_tile<T, by_columns, 176, 128, 2, 2>(0.99),
    clustered_tile<T, by_columns, 192, 128, 2, 2>(0.99),
    clustered_tile<T, by_columns, 208, 128, 1, 2>(0.96),
    clustered_tile<T, by_columns, 240, 128, 1, 2>(0.99),
    clustered_tile<T, by_columns, 240, 128, 2, 2>(1),
    clustered_tile<T, by_columns, 128, 192, 2, 2>(0.98),
    clustered_tile<T, by_columns, 176, 192, 2, 1>(1),
    clustered_tile<T, by_columns, 192, 192, 2, 2>(1),
    clustered_tile<T, by_columns, 208, 192>(1),
    clustered_tile<T, by_columns, 208, 192, 1, 2>(1),
    clustered_tile<T, by_columns, 128, 256, 2, 2>(1),
    clustered_tile<T, by_columns, 160, 256>(1),
    clustered_tile<T, by_rows, 256, 128>(0.98),
    clustered_tile<T, by_rows, 256, 128, 1, 2>(0.98),
    clustered_tile<T, by_rows, 256, 160>(1),
    clustered_tile<T, by_rows, 256, 160, 1, 2>(1),
    clustered_tile<T, by_rows, 256, 192, 1, 2>(1),
    tile<OverlappedTile<T, 256, false, 1, true, TransposedB>>(1016, 1700),
    tile<TransposedProductTile<T, 128, 2, 1, 1, false, true, TransposedB>>(520, 2300),
    tile<TransposedProductTile<T, 208, 2, 1, 1, false, true, TransposedB>>(850, 1800),
    tile<TransposedProductTile<T, 192, 2, 1, 1, false, true, TransposedB>>(765, 1770),
    tile<TransposedProductTile<T, 176, 2, 1, 1, false, true, TransposedB>>(715, 1700),
    tile<TransposedProductTile<T, 160, 2, 1, 1, false, true, TransposedB>>(660, 1900),
    tile<TransposedProductTile<T, 144, 2, 1, 1, false, true, TransposedB>>(600, 2300),
    tile<TransposedProductTile<T, 112, 2, 1, 1, false, true, TransposedB>>(488, 2300),
    tile<TransposedProductTile<T, 80, 2, 1, 1, false, true, TransposedB>>(400, 2300),
    tile<TransposedProductTile<T, 64, 2, 1, 1, false, true, TransposedB>>(380, 2300),
    clustered_tile<T, by_columns, 80, 128, 2, 2, TransposedB>(0.77),
    clustered_tile<T, by_columns, 128, 128, 2, 2, TransposedB>(0.94),
    clustered_tile<T, by_columns, 144, 128, 2, 2, TransposedB>(0.94),
    clustered_tile<T, by_columns, 160, 128, 1, 2, TransposedB>(0.95),
    clustered_tile<T, by_columns, 192, 128, 2, 2, TransposedB>(1),
    clustered_tile<T, by_columns, 208, 192, 1, 1, TransposedB>(1),
    clustered_tile<T, by_columns, 208, 192, 1, 2, TransposedB>(1),
    clustered_tile<T, by_columns, 176, 256, 1, 1, TransposedB>(1),
    clustered_tile<T, by_rows, 256, 96, 1, 1, TransposedB>(0.98),
    clustered_tile<T, by_rows, 256, 160, 1, 1, TransposedB>(1),
    clustered_tile<T, by_rows, 256, 160, 1, 2, TransposedB>(1),
    clustered_tile<T, by_rows, 256, 192, 1, 1, TransposedB>(1),
    tile<TransposedProductTile<T, 128, 1, 1, 1, false, true, TransposedB>>(330, 1600),
    tile<TransposedProductTile<T, 88, 1, 1, 1, false, true, TransposedB>>(285, 1800),
    tile<TransposedProductTile<T, 32, 1, 1, 1, false, true, TransposedB>>(270, 2000),
    tile<TransposedProductTile<T, 16, 1, 1, 1, false, true, TransposedB>>(270, 2000),
    tile<TransposedProductTile<T, 64, 1, 1, 1, false, true, TransposedB>>(270, 2000),
    tile<TransposedProductTile<T, 16, 1, 2, 1, false, false, TransposedB>>(270, 4200),
    tile<TransposedProductTile<T, 64, 1, 2, 1, false, false, TransposedB>>(270, 5800),
    tile<TransposedProductTile<T, 64, 1, 4, 1, false, false, TransposedB>>(270, 8500),
    tile<TransposedProductTile<T, 64, 1, 8, 1, false, false, TransposedB>>(270, 9500),
    tile<TransposedProductTile<T, 96, 1, 2, 1, false, false, TransposedB>>(300, 6400),
    tile<TransposedProductTile<T, 96, 1, 4, 1, false, false, TransposedB>>(300, 9000),
    tile<TransposedProductTile<T, 128, 1, 4, 1, false, false, TransposedB>>(350, 9500),
    tile<TransposedProductTile<T, 16, 1, 1, 1, true, false, TransposedB>>(270, 5000,
                                                                          small_tile_stream_k(16 * 64, 270, 1, 3500)),
    tile<TransposedProductTile<T, 64, 2, 1, 1, true, false, TransposedB>>(
        380, 5000, small_tile_stream_k(64 * 128, 380, 1.4, 3500)),
    tile<TransposedProductTile<T, 128, 2, 1, 1, true, false, TransposedB>>(
        520, 5000, small_tile_stream_k(128 * 128, 520, 1.4, 3500)),
    tile<OverlappedTile<T, 256, false, 1, true, TransposedA>>(1016, 1700),
    tile<TransposedProductTile<T, 128, 2, 1, 1, false, true, TransposedA>>(520, 2300),
    tile<TransposedProductTile<T, 64, 2, 1, 1, false, true, TransposedA>>(380, 2300),
    tile<TransposedProductTile<T, 64, 1, 1, 1, false, true, TransposedA>>(270, 2000),
    tile<OverlappedTile<T, 256, false, 1, true, TransposedAB>>(1016, 1700),
    tile<TransposedProductTile<T, 128, 2, 1, 1, false, true, TransposedAB>>(520, 2300),
    tile<TransposedProductTile<T, 64, 2, 1, 1, false, true, TransposedAB>>(380, 2300),
    tile<TransposedProductTile<T, 64, 1, 1, 1, false, true, TransposedAB>>(270, 2000),
};

}  // namespace BACKEND
