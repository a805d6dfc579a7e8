// SPDX-License-Identifier: MIT
// The Hopper kernels of 8-bit floats: of `hopper`, with sums added up in f32, and of `hopper-fast-accum`; and those of
// f32 as three products of tf32.
#include "kernels/matmul/hopper/float8.cuh"
#include "kernels/matmul/hopper/tf32x3.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/hopper/tile_row.cuh"

namespace BACKEND {

// 8-bit floats, twice as fast as 16-bit ones.
template <typename T>
constexpr TileRow float8_tiles[] = {
    tile<Float8Tile<T, 176, true, 2>>,
    tile<Float8Tile<T, 176, true>>,
    tile<Float8Tile<T, 128, true>>,
    tile<Float8Tile<T, 64, true>>,
};
template <typename T>
constexpr TileRow float8_fast_tiles[] = {
    tile<Float8Tile<T, 256, false, 2>>,
    tile<Float8Tile<T, 256, false>>,
    tile<Float8Tile<T, 128, false>>,
    tile<Float8Tile<T, 64, false>>,
};

constexpr TileRow tf32x3_choices[] = {
    tile<Tf32x3Tile<128, 4, true>>,
    tile<Tf32x3Tile<64, 6, false>>,
};

template <>
TableOf<TileRow> hopper_tiles<DType::e4m3>() {
    return float8_tiles<__nv_fp8_e4m3>;
}
template <>
TableOf<TileRow> fast_accum_tiles<DType::e4m3>() {
    return float8_fast_tiles<__nv_fp8_e4m3>;
}
template <>
TableOf<TileRow> hopper_tiles<DType::e5m2>() {
    return float8_tiles<__nv_fp8_e5m2>;
}
template <>
TableOf<TileRow> fast_accum_tiles<DType::e5m2>() {
    return float8_fast_tiles<__nv_fp8_e5m2>;
}

TableOf<TileRow> tf32x3_tiles() { return tf32x3_choices; }

}  // namespace BACKEND
