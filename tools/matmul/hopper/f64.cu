// SPDX-License-Identifier: MIT
// The Hopper kernels of f64 in the tile sizes that pay, and how long each takes.
#include "kernels/matmul/hopper/f64.cuh"
#include "tools/matmul/hopper/direct_tiles.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/hopper/tile_row.cuh"

namespace BACKEND {

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
constexpr TileChoice f64_tiles[] = {
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

template <>
TableOf<TileChoice> hopper_tiles<DType::f64>() {
    return f64_tiles;
}
template <>
TableOf<DirectChoice> direct_tiles<DType::f64>() {
    return direct_choices<double, true>;
}

}  // namespace BACKEND
