// SPDX-License-Identifier: MIT
// The Hopper kernels of f64 in the tile sizes that pay.
#include "kernels/matmul/hopper/f64.cuh"
#include "tools/matmul/hopper/direct_tiles.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/hopper/tile_row.cuh"

namespace BACKEND {

constexpr TileRow f64_tiles[] = {
    tile<F64Tile<128, 128, 2, 6>>,
    tile<F64Tile<96, 128, 2, 7>>,
    tile<F64Tile<64, 128, 2, 8>>,
    tile<F64Tile<128, 64, 4, 8>>,
    tile<F64Tile<64, 64, 2, 8>>,
    tile<F64Tile<32, 64, 2, 8>>,
    tile<F64Tile<64, 32, 4, 8>>,
    tile<F64Tile<32, 32, 4, 12>>,
    tile<F64Tile<32, 64, 2, 6, PlainLayouts, 3>>,
    tile<F64Tile<32, 32, 4, 8, PlainLayouts, 3>>,
    tile<F64Tile<128, 128, 2, 6, TransposedC>>,
    tile<F64Tile<64, 128, 2, 8, TransposedC>>,
    tile<F64Tile<64, 64, 2, 8, TransposedC>>,
    tile<F64Tile<32, 64, 2, 8, TransposedC>>,
    tile<F64Tile<32, 32, 4, 12, TransposedC>>,
    tile<F64Tile<128, 128, 2, 6, TransposedA>>,
    tile<F64Tile<64, 128, 2, 8, TransposedA>>,
    tile<F64Tile<64, 64, 2, 8, TransposedA>>,
    tile<F64Tile<32, 64, 2, 8, TransposedA>>,
    tile<F64Tile<64, 32, 4, 8, TransposedA>>,
    tile<F64Tile<128, 128, 2, 6, TransposedB>>,
    tile<F64Tile<64, 128, 2, 8, TransposedB>>,
    tile<F64Tile<64, 64, 2, 8, TransposedB>>,
    tile<F64Tile<32, 64, 2, 8, TransposedB>>,
    tile<F64Tile<32, 32, 4, 12, TransposedB>>,
};

template <>
TableOf<TileRow> hopper_tiles<DType::f64>() {
    return f64_tiles;
}
template <>
TableOf<DirectRow> direct_tiles<DType::f64>() {
    return direct_rows<double, true>;
}

}  // namespace BACKEND
