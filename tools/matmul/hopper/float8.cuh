// SPDX-License-Identifier: MIT
// The Hopper kernels for 8-bit floats: of `hopper`, with sums added up in f32, and of `hopper-fast-accum`. Only for
// nvcc.
#pragma once

#include <string>
#include <vector>

#include "kernels/matmul/hopper/float8.cuh"
#include "tools/matmul/hopper/tiles.cuh"
#include "tools/matmul/method.cuh"

namespace BACKEND {

// 8-bit floats, twice as fast as 16-bit ones. (Their cycles follow from the times of these tiles on an H200:
// tests/measure/matmul_fp8.bash with TILES=1. The model of loading ignores multicast.)
template <typename T>
inline constexpr TileChoice float8_tiles[] = {
    tile<Float8Tile<T, 176, true, 2>>(868, 2300),
    tile<Float8Tile<T, 176, true>>(850, 1700),
    tile<Float8Tile<T, 128, true>>(660, 1700),
    tile<Float8Tile<T, 64, true>>(425, 1700),
};
template <typename T>
inline constexpr TileChoice float8_fast_tiles[] = {
    tile<Float8Tile<T, 256, false, 2>>(1125, 2300),
    tile<Float8Tile<T, 256, false>>(1140, 1700),
    tile<Float8Tile<T, 128, false>>(595, 1700),
    tile<Float8Tile<T, 64, false>>(390, 1700),
};

inline TileTable float8_tiles_of(DType dtype) {
    if (dtype == DType::e4m3) return float8_tiles<__nv_fp8_e4m3>;
    return dtype == DType::e5m2 ? TileTable(float8_tiles<__nv_fp8_e5m2>) : TileTable();
}
inline TileTable float8_fast_tiles_of(DType dtype) {
    if (dtype == DType::e4m3) return float8_fast_tiles<__nv_fp8_e4m3>;
    return dtype == DType::e5m2 ? TileTable(float8_fast_tiles<__nv_fp8_e5m2>) : TileTable();
}

inline ProductMethod method_of_float8(const TileTable& tiles, const ProductProblem& problem, Sums sums) {
    if (!is_float8(problem.dtype) || !problem.hopper || !can_load_float8(problem.shape.n, problem.shape.k)) return {};
    ProductMethod method = method_of_tiles(tiles, problem, 0);
    method.sums = sums;
    return method;
}
inline ProductMethod float8_method(const ProductProblem& problem) {
    return method_of_float8(float8_tiles_of(problem.dtype), problem, Sums::float8_promoted);
}
inline ProductMethod float8_fast_accum_method(const ProductProblem& problem) {
    return method_of_float8(float8_fast_tiles_of(problem.dtype), problem, Sums::float8_fast);
}

// The variant `hopper`, for all types.
inline ProductMethod any_hopper_method(const ProductProblem& problem) {
    return is_float8(problem.dtype) ? float8_method(problem) : hopper_method(problem);
}
inline std::vector<std::string> any_hopper_keys(const ProductProblem& problem) {
    return keys_of(is_float8(problem.dtype) ? float8_tiles_of(problem.dtype) : hopper_tiles(problem.dtype), problem);
}
inline std::vector<std::string> float8_fast_accum_keys(const ProductProblem& problem) {
    return keys_of(float8_fast_tiles_of(problem.dtype), problem);
}

}  // namespace BACKEND
