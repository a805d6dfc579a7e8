// SPDX-License-Identifier: MIT
// The Hopper kernels of tf32 in the tile sizes that pay.
#include "kernels/matmul/hopper/tf32.cuh"
#include "kernels/matmul/hopper/tf32_split_k.cuh"
#include "tools/matmul/hopper/direct_tiles.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/hopper/tile_row.cuh"

namespace BACKEND {

// Two blocks side by side share A.
template <int tile_m, int stages, bool stream_k = false>
using Tf32Pairs = Tf32Tile<tile_m, 2, stages, stream_k, false, PlainLayouts, 2>;

constexpr TileRow tf32_tiles[] = {
    tile<Tf32Tile<256, 2, 4, false, true>>,
    tile<Tf32Tile<256, 2, 4, true>>,
    tile<Tf32Tile<192, 2, 5, false, true>>,
    tile<Tf32Tile<128, 2, 6, true>>,
    tile<Tf32Tile<64, 2, 8, false, true>>,
    tile<Tf32Tile<64, 1, 12, false, true>>,
    tile<Tf32SplitKTile<64, 12, 2>>,
    tile<Tf32Pairs<256, 4, true>>,
    tile<Tf32Pairs<192, 5>>,
    tile<Tf32Pairs<128, 6, true>>,
    tile<Tf32Tile<64, 1, 12, true>>,
    tile<Tf32Tile<16, 1, 16, true>>,
    tile<Tf32SplitKTile<16, 16, 2>>,
    tile<Tf32Tile<256, 2, 4, false, true, TransposedB>>,
    tile<Tf32Tile<128, 2, 6, false, true, TransposedB>>,
    tile<Tf32Tile<64, 2, 8, false, true, TransposedB>>,
    tile<Tf32Tile<64, 1, 12, false, true, TransposedB>>,
    tile<Tf32Tile<64, 1, 12, true, false, TransposedB>>,
    tile<Tf32Tile<16, 1, 16, true, false, TransposedB>>,
    tile<Tf32Tile<256, 2, 4, false, true, TransposedC>>,
    tile<Tf32Tile<128, 2, 6, false, true, TransposedC>>,
    tile<Tf32Tile<64, 2, 8, false, true, TransposedC>>,
    tile<Tf32Tile<64, 1, 12, false, true, TransposedC>>,
    tile<Tf32Tile<128, 2, 4, false, true, TransposedA>>,
    tile<Tf32Tile<64, 2, 7, false, true, TransposedA>>,
    tile<Tf32Tile<64, 1, 10, false, true, TransposedA>>,
};

template <>
TableOf<TileRow> hopper_tiles<DType::tf32>() {
    return tf32_tiles;
}
template <>
TableOf<DirectRow> direct_tiles<DType::tf32>() {
    return direct_rows<float, true>;
}

}  // namespace BACKEND
