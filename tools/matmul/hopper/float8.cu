// SPDX-License-Identifier: MIT
// The Hopper kernels of 8-bit floats: of `hopper`, with sums added up in f32, and of `hopper-fast-accum`; and those of
// f32 as three products of tf32.
#include "kernels/matmul/hopper/float8.cuh"
#include "kernels/matmul/hopper/tf32x3.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/hopper/tile_row.cuh"

namespace BACKEND {

// 8-bit floats, twice as fast as 16-bit ones. (Their cycles follow from the times of these tiles on an H200:
// tests/measure/matmul_fp8.bash with TILES=1. The model of loading ignores multicast.)
template <typename T>
constexpr TileChoice float8_tiles[] = {
    tile<Float8Tile<T, 176, true, 2>>(868, 2300),
    tile<Float8Tile<T, 176, true>>(850, 1700),
    tile<Float8Tile<T, 128, true>>(660, 1700),
    tile<Float8Tile<T, 64, true>>(425, 1700),
};
template <typename T>
constexpr TileChoice float8_fast_tiles[] = {
    tile<Float8Tile<T, 256, false, 2>>(1125, 2300),
    tile<Float8Tile<T, 256, false>>(1140, 1700),
    tile<Float8Tile<T, 128, false>>(595, 1700),
    tile<Float8Tile<T, 64, false>>(390, 1700),
};

constexpr TileChoice tf32x3_choices[] = {
    tile<Tf32x3Tile<128, 4, true>>(1580, 2500, tf32x3_stream_k),
    tile<Tf32x3Tile<64, 6, false>>(1100, 1600),
};

template <>
TableOf<TileChoice> hopper_tiles<DType::e4m3>() {
    return float8_tiles<__nv_fp8_e4m3>;
}
template <>
TableOf<TileChoice> fast_accum_tiles<DType::e4m3>() {
    return float8_fast_tiles<__nv_fp8_e4m3>;
}
template <>
TableOf<TileChoice> hopper_tiles<DType::e5m2>() {
    return float8_tiles<__nv_fp8_e5m2>;
}
template <>
TableOf<TileChoice> fast_accum_tiles<DType::e5m2>() {
    return float8_fast_tiles<__nv_fp8_e5m2>;
}

TableOf<TileChoice> tf32x3_tiles() { return tf32x3_choices; }

}  // namespace BACKEND
