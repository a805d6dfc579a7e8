// SPDX-License-Identifier: MIT
// The Hopper kernels of tf32 in the tile sizes that pay, and how long each takes.
#include "kernels/matmul/hopper/stream_k_cost.cuh"
#include "kernels/matmul/hopper/tf32.cuh"
#include "kernels/matmul/hopper/tf32_split_k.cuh"
#include "tools/matmul/hopper/direct_tiles.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/hopper/tile_row.cuh"
#include "tools/matmul/tile_choice.cuh"

namespace BACKEND {

// Two blocks side by side share A.
template <int tile_m, int stages, bool stream_k = false>
using Tf32Pairs = Tf32Tile<tile_m, 2, stages, stream_k, false, PlainLayouts, 2>;

// (What reading in sets of rows adds to stages is from 76 products with all tiles on an H100. For tiles of 128 x 128,
// it, the cycles of a stage, and what exchanging sums takes longer than in 16-bit types, as in f64, were set by hand
// after fourteen products; the cycles of whole tiles of 64 rows, and the exchange of those of 16, after 157 with all
// tiles.)
constexpr TileChoice tf32_tiles[] = {
    tile<Tf32Tile<256, 2, 4, false, true>>(1340, 2500),
    tile<Tf32Tile<256, 2, 4, true>>(1340, 2500, tensor_core_stream_k),
    tile<Tf32Tile<192, 2, 5, false, true>>(1020, 2400),
    tile<Tf32Tile<128, 2, 6, true>>(820, 2400, small_tile_stream_k(128 * 128, 820, 1.3, 3000), 600),
    tile<Tf32Tile<64, 2, 8, false, true>>(460, 1600, no_stream_k, 250),
    tile<Tf32Tile<64, 1, 12, false, true>>(340, 1000, no_stream_k, 250),
    tile<Tf32SplitKTile<64, 12, 2>>(417, 5000),
    tile<Tf32Pairs<256, 4, true>>(1340, 2500, tensor_core_stream_k),
    tile<Tf32Pairs<192, 5>>(1020, 2400),
    tile<Tf32Pairs<128, 6, true>>(860, 2400, small_tile_stream_k(128 * 128, 860, 1.3, 3000)),
    tile<Tf32Tile<64, 1, 12, true>>(417, 2000, small_tile_stream_k(64 * 64, 417, 1, 3000), 250),
    tile<Tf32Tile<16, 1, 16, true>>(380, 2000, small_tile_stream_k(16 * 64, 380, 1, 6000), 200),
    tile<Tf32SplitKTile<16, 16, 2>>(380, 5000),
    tile<Tf32Tile<256, 2, 4, false, true, TransposedB>>(1340, 2500),
    tile<Tf32Tile<128, 2, 6, false, true, TransposedB>>(760, 2000),
    tile<Tf32Tile<64, 2, 8, false, true, TransposedB>>(460, 1600),
    tile<Tf32Tile<64, 1, 12, false, true, TransposedB>>(340, 1000),
    tile<Tf32Tile<64, 1, 12, true, false, TransposedB>>(417, 2000, small_tile_stream_k(64 * 64, 417, 1, 3000)),
    tile<Tf32Tile<16, 1, 16, true, false, TransposedB>>(380, 2000, small_tile_stream_k(16 * 64, 380, 1, 6000)),
    tile<Tf32Tile<256, 2, 4, false, true, TransposedC>>(1340, 2500),
    tile<Tf32Tile<128, 2, 6, false, true, TransposedC>>(760, 2000),
    tile<Tf32Tile<64, 2, 8, false, true, TransposedC>>(460, 1600),
    tile<Tf32Tile<64, 1, 12, false, true, TransposedC>>(340, 1000),
    tile<Tf32Tile<128, 2, 4, false, true, TransposedA>>(1050, 2000),
    tile<Tf32Tile<64, 2, 7, false, true, TransposedA>>(750, 1600),
    tile<Tf32Tile<64, 1, 10, false, true, TransposedA>>(590, 1000),
};

template <>
TableOf<TileChoice> hopper_tiles<DType::tf32>() {
    return tf32_tiles;
}
template <>
TableOf<DirectChoice> direct_tiles<DType::tf32>() {
    return direct_choices<float, true>;
}

}  // namespace BACKEND
