// SPDX-License-Identifier: MIT
// The Hopper kernels of f32 in the tile sizes that pay.
#include "kernels/matmul/hopper/f32.cuh"
#include "kernels/matmul/hopper/f32_groups.cuh"
#include "kernels/matmul/hopper/f32_transposed.cuh"
#include "tools/matmul/hopper/direct_tiles.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/hopper/tile_row.cuh"

namespace BACKEND {

// Small tiles have less to load and to wait for at the beginning and end. Groups work on several tiles at once.
template <int tile_m, int tile_n, int warps, int groups, int stages = 2, typename Layouts = PlainLayouts,
          int lanes_m = 4>
using Groups = F32GroupTile<tile_m, tile_n, warps, groups, stages, Layouts, lanes_m>;
constexpr TileRow f32_tiles[] = {
    tile<F32TransposedTile<128, 256, 64, 64, 4, true>>,
    tile<F32TransposedTile<128, 128, 64, 64, 4, true>>,
    tile<F32TransposedTile<64, 256, 64, 64>>,
    tile<F32TransposedTile<64, 128, 32, 64>>,
    tile<F32TransposedTile<128, 64, 32, 32, 8>>,
    tile<F32TransposedTile<64, 64, 32, 32, 8>>,
    tile<F32TransposedTile<32, 256, 16, 64>>,
    tile<F32TransposedTile<16, 256, 16, 64>>,
    tile<F32TransposedTile<128, 32, 32, 32, 8>>,
    tile<F32TransposedTile<128, 16, 64, 16, 8>>,
    tile<F32Tile<96, 48, 8>>,
    tile<F32Tile<64, 64, 4>>,
    tile<F32Tile<64, 32, 4>>,
    tile<Groups<96, 96, 3, 4>>,
    tile<Groups<128, 128, 4, 2, 3>>,
    tile<Groups<64, 64, 2, 6>>,
    tile<Groups<64, 48, 1, 7, 2, PlainLayouts, 8>>,
    tile<Groups<48, 48, 1, 8, 2, PlainLayouts, 8>>,
    tile<Groups<32, 32, 1, 12>>,
    tile<Groups<128, 128, 4, 2, 3, TransposedA>>,
    tile<Groups<64, 64, 2, 6, 2, TransposedA>>,
    tile<Groups<32, 32, 1, 12, 2, TransposedA>>,
    tile<Groups<128, 128, 4, 2, 3, TransposedB>>,
    tile<Groups<64, 64, 2, 6, 2, TransposedB>>,
    tile<Groups<32, 32, 1, 12, 2, TransposedB>>,
    tile<Groups<128, 128, 4, 2, 3, TransposedAB>>,
    tile<Groups<64, 64, 2, 6, 2, TransposedAB>>,
    tile<Groups<32, 32, 1, 12, 2, TransposedAB>>,
};

template <>
TableOf<TileRow> hopper_tiles<DType::f32>() {
    return f32_tiles;
}
template <>
TableOf<DirectRow> direct_tiles<DType::f32>() {
    return direct_rows<float, false>;
}

}  // namespace BACKEND
