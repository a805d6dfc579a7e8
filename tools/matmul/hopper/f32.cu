// SPDX-License-Identifier: MIT
// The Hopper kernels of f32 in the tile sizes that pay, and how long each takes.
#include "kernels/matmul/hopper/f32.cuh"
#include "kernels/matmul/hopper/f32_groups.cuh"
#include "kernels/matmul/hopper/f32_transposed.cuh"
#include "tools/matmul/hopper/direct_tiles.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/hopper/tile_row.cuh"

namespace BACKEND {

// A tile of the multiply-add units whose cycles follow from its size, see F32StageCost.
// `straightening`, see TileChoice, is three quarters of the median of 48 to 65 products on an H100: since then, warps
// ask for boxes in fewer instructions. (128 x 16, which loads more than it multiplies, has all of its median; that
// of 128 x 32 lies between its neighbors'. Two tiles' own fixed cycles are set by hand after 163 products on an H100,
// the longer wait of 32 x 256 for other blocks' sums after 157.)
template <int tile_m, int tile_n, int warp_m, int warp_n, int lanes_m = 4, bool batch = false>
constexpr TileChoice f32_transposed_tile(double straightening, double fixed_cycles = F32StageCost::fixed_cycles,
                                         double more_stages_of_waiting = 0) {
    using Tile = F32TransposedTile<tile_m, tile_n, warp_m, warp_n, lanes_m, batch>;
    constexpr double elements = tile_m * tile_n, cycles = F32StageCost::cycles(elements);
    StreamKCost cost = Tile::Shape::slices == 1 ? f32_stream_k : small_tile_stream_k(elements, cycles);
    cost.stages_of_waiting += more_stages_of_waiting;
    return tile<Tile>(cycles, fixed_cycles, cost, straightening);
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
constexpr TileChoice f32_tiles[] = {
    f32_transposed_tile<128, 256, 64, 64, 4, true>(0),
    f32_transposed_tile<128, 128, 64, 64, 4, true>(150),
    f32_transposed_tile<64, 256, 64, 64>(195),
    f32_transposed_tile<64, 128, 32, 64>(60, 4000),
    f32_transposed_tile<128, 64, 32, 32, 8>(255),
    f32_transposed_tile<64, 64, 32, 32, 8>(30, 5500),
    f32_transposed_tile<32, 256, 16, 64>(285, F32StageCost::fixed_cycles, 1.5),
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

template <>
TableOf<TileChoice> hopper_tiles<DType::f32>() {
    return f32_tiles;
}
template <>
TableOf<DirectChoice> direct_tiles<DType::f32>() {
    return direct_choices<float, false>;
}

}  // namespace BACKEND
