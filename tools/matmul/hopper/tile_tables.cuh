// The Hopper kernels in the tile sizes that pay, and how long each takes. Only for nvcc.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/matmul/hopper/f32.cuh"
#include "kernels/matmul/hopper/f32_groups.cuh"
#include "kernels/matmul/hopper/f32_transposed.cuh"
#include "kernels/matmul/hopper/f64.cuh"
#include "kernels/matmul/hopper/fitted.cuh"
#include "kernels/matmul/hopper/mma.cuh"
#include "kernels/matmul/hopper/overlapped.cuh"
#include "kernels/matmul/hopper/transposed_product.cuh"
#include "tools/matmul/hopper/tf32_tiles.cuh"
#include "tools/matmul/hopper/tile_row.cuh"
#include "tools/matmul/method.cuh"

namespace BACKEND {

// A tile of the multiply-add units whose cycles follow from its size, see F32StageCost.
// `straightening`, see TileChoice, is three quarters of the median of 48 to 65 products on an H100: since then, warps
// ask for boxes in fewer instructions. (128 x 16, which loads more than it multiplies, has all of its median; that
// of 128 x 32 lies between its neighbors'. Two tiles' own fixed cycles are set by hand after 163 products on an H100.)
template <int tile_m, int tile_n, int warp_m, int warp_n, int lanes_m = 4, bool batch = false>
constexpr TileChoice f32_transposed_tile(double straightening, double fixed_cycles = F32StageCost::fixed_cycles) {
    using Tile = F32TransposedTile<tile_m, tile_n, warp_m, warp_n, lanes_m, batch>;
    constexpr double elements = tile_m * tile_n, cycles = F32StageCost::cycles(elements);
    return tile<Tile>(cycles, fixed_cycles,
                      Tile::Shape::slices == 1 ? f32_stream_k : small_tile_stream_k(elements, cycles), straightening);
}

// f32: the multiply-add units do 128 a cycle. Small tiles have less to load and to wait for at the beginning and end:
// they are faster for products of a few microseconds. `reached`: the fraction of the peak that their stages reach.
template <int tile_m, int tile_n, int lanes_m>
constexpr TileChoice small_f32_tile(double reached) {
    return tile<F32Tile<tile_m, tile_n, lanes_m>>(tile_m * tile_n / F32StageCost::elements_per_cycle / reached, 4000);
}
// Several tiles at once; the cycles are those of one. `reached`: the fractions of the peak in a batch and in one
// product.
template <int tile_m, int tile_n, int warps, int groups, int stages = 2, typename Layouts = PlainLayouts,
          int lanes_m = 4>
constexpr TileChoice f32_group_tile(double reached, double reached_in_one_product) {
    constexpr double alone = 1.16;
    TileChoice choice = tile<F32GroupTile<tile_m, tile_n, warps, groups, stages, Layouts, lanes_m>>(
        tile_m * tile_n / F32StageCost::elements_per_cycle / reached, 300);
    choice.of_one = {reached / reached_in_one_product, warps, alone};
    return choice;
}
inline constexpr TileChoice f32_tiles[] = {
    f32_transposed_tile<128, 256, 64, 64, 4, true>(0),
    f32_transposed_tile<128, 128, 64, 64, 4, true>(150),
    f32_transposed_tile<64, 256, 64, 64>(195),
    f32_transposed_tile<64, 128, 32, 64>(60, 4000),
    f32_transposed_tile<128, 64, 32, 32, 8>(255),
    f32_transposed_tile<64, 64, 32, 32, 8>(30, 5500),
    f32_transposed_tile<32, 256, 16, 64>(285),
    f32_transposed_tile<16, 256, 16, 64>(375),
    f32_transposed_tile<128, 32, 32, 32, 8>(320),
    f32_transposed_tile<128, 16, 64, 16, 8>(390),
    small_f32_tile<96, 48, 8>(0.58),
    small_f32_tile<64, 64, 4>(0.65),
    small_f32_tile<64, 32, 4>(0.64),
    f32_group_tile<96, 96, 3, 4>(0.53, 0.576),
    f32_group_tile<128, 128, 4, 2, 3>(0.68, 0.643),
    f32_group_tile<64, 64, 2, 6>(0.7, 0.662),
    f32_group_tile<64, 48, 1, 7, 2, PlainLayouts, 8>(0.6, 0.6),
    f32_group_tile<48, 48, 1, 8, 2, PlainLayouts, 8>(0.52, 0.55),
    f32_group_tile<32, 32, 1, 12>(0.5, 0.544),
    f32_group_tile<128, 128, 4, 2, 3, TransposedA>(0.68, 0.68),
    f32_group_tile<64, 64, 2, 6, 2, TransposedA>(0.7, 0.7),
    f32_group_tile<32, 32, 1, 12, 2, TransposedA>(0.5, 0.5),
    f32_group_tile<128, 128, 4, 2, 3, TransposedB>(0.6, 0.6),
    f32_group_tile<64, 64, 2, 6, 2, TransposedB>(0.58, 0.58),
    f32_group_tile<32, 32, 1, 12, 2, TransposedB>(0.5, 0.5),
    f32_group_tile<128, 128, 4, 2, 3, TransposedAB>(0.6, 0.6),
    f32_group_tile<64, 64, 2, 6, 2, TransposedAB>(0.6, 0.6),
    f32_group_tile<32, 32, 1, 12, 2, TransposedAB>(0.5, 0.5),
};

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
    tile<OverlappedTile<T, 256, false, 1, true, TransposedB>>(1016, 1700),
    tile<TransposedProductTile<T, 128, 2, 1, 1, false, true, TransposedB>>(520, 2300),
    tile<TransposedProductTile<T, 64, 2, 1, 1, false, true, TransposedB>>(380, 2300),
    tile<TransposedProductTile<T, 16, 1, 1, 1, false, true, TransposedB>>(270, 2000),
    tile<TransposedProductTile<T, 64, 1, 1, 1, false, true, TransposedB>>(270, 2000),
    tile<TransposedProductTile<T, 16, 1, 2, 1, false, false, TransposedB>>(270, 4200),
    tile<TransposedProductTile<T, 64, 1, 2, 1, false, false, TransposedB>>(270, 5800),
    tile<TransposedProductTile<T, 64, 1, 4, 1, false, false, TransposedB>>(270, 8500),
    tile<TransposedProductTile<T, 64, 2, 1, 1, true, false, TransposedB>>(
        380, 5000, small_tile_stream_k(64 * 128, 380, 1.4, 3500)),
    tile<OverlappedTile<T, 256, false, 1, true, TransposedA>>(1016, 1700),
    tile<TransposedProductTile<T, 128, 2, 1, 1, false, true, TransposedA>>(520, 2300),
    tile<TransposedProductTile<T, 64, 2, 1, 1, false, true, TransposedA>>(380, 2300),
    tile<TransposedProductTile<T, 64, 1, 1, 1, false, true, TransposedA>>(270, 2000),
    tile<OverlappedTile<T, 256, false, 1, true, TransposedAB>>(1016, 1700),
    tile<TransposedProductTile<T, 128, 2, 1, 1, false, true, TransposedAB>>(520, 2300),
    tile<TransposedProductTile<T, 64, 2, 1, 1, false, true, TransposedAB>>(380, 2300),
    tile<TransposedProductTile<T, 64, 1, 1, 1, false, true, TransposedAB>>(270, 2000),
};

// f64. Tensor cores do 128 multiply-adds a cycle. `reached`: the fraction of the peak. (Those of the two smallest tiles
// are set by hand, from 110 products on an H100.)
template <int tile_m, int tile_n, int warps_m, int stages, typename Layouts = PlainLayouts>
constexpr TileChoice f64_tile(double reached) {
    constexpr double cycles_at_peak = tile_m * tile_n * hopper_tile_k<double> / 128, floats = 2 * tile_m * tile_n;
    const StreamKCost cost = small_tile_stream_k(floats, cycles_at_peak / reached, 1.05, 4000);
    return tile<F64Tile<tile_m, tile_n, warps_m, stages, Layouts>>(cycles_at_peak / reached, 2500, cost);
}
// Several blocks of a multiprocessor; the cycles are those of one tile.
template <int tile_m, int tile_n, int warps_m, int stages, int resident>
constexpr TileChoice f64_resident_tile(double reached, double alone = 1) {
    constexpr double cycles_at_peak = tile_m * tile_n * hopper_tile_k<double> / 128;
    TileChoice choice =
        tile<F64Tile<tile_m, tile_n, warps_m, stages, PlainLayouts, resident>>(cycles_at_peak / reached, 2500);
    constexpr unsigned warps = 8, schedulers = 4;
    choice.of_one = {1, warps, alone * warps / schedulers};
    return choice;
}
inline constexpr TileChoice f64_tiles[] = {
    f64_tile<128, 128, 2, 6>(0.92),
    f64_tile<96, 128, 2, 7>(0.9),
    f64_tile<64, 128, 2, 8>(0.9),
    f64_tile<128, 64, 4, 8>(0.9),
    f64_tile<64, 64, 2, 8>(0.88),
    f64_tile<32, 64, 2, 8>(0.68),
    f64_tile<64, 32, 4, 8>(0.75),
    f64_tile<32, 32, 4, 12>(0.48),
    f64_resident_tile<32, 64, 2, 6, 3>(0.846, 1.21),
    f64_resident_tile<32, 32, 4, 8, 3>(0.598),
    f64_tile<128, 128, 2, 6, TransposedC>(0.92),
    f64_tile<64, 128, 2, 8, TransposedC>(0.9),
    f64_tile<64, 64, 2, 8, TransposedC>(0.88),
    f64_tile<32, 64, 2, 8, TransposedC>(0.8),
    f64_tile<32, 32, 4, 12, TransposedC>(0.7),
    f64_tile<128, 128, 2, 6, TransposedA>(0.9),
    f64_tile<64, 128, 2, 8, TransposedA>(0.88),
    f64_tile<64, 64, 2, 8, TransposedA>(0.86),
    f64_tile<32, 64, 2, 8, TransposedA>(0.78),
    f64_tile<64, 32, 4, 8, TransposedA>(0.78),
    f64_tile<128, 128, 2, 6, TransposedB>(0.9),
    f64_tile<64, 128, 2, 8, TransposedB>(0.88),
    f64_tile<64, 64, 2, 8, TransposedB>(0.86),
    f64_tile<32, 64, 2, 8, TransposedB>(0.78),
    f64_tile<32, 32, 4, 12, TransposedB>(0.7),
};

using TileTable = TableOf<TileChoice>;

// The tiles of the variant `hopper`.
inline TileTable hopper_tiles(DType dtype) {
    switch (dtype) {
        case DType::f64: return f64_tiles;
        case DType::f32: return f32_tiles;
        case DType::tf32: return tf32_tiles;
        case DType::f16: return tensor_core_tiles<__half>;
        case DType::bf16: return tensor_core_tiles<__nv_bfloat16>;
        default: return {};
    }
}

}  // namespace BACKEND
