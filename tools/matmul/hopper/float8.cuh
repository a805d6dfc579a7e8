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

inline TileTable fast_accum_tiles(DType dtype) {
    switch (dtype) {
        case DType::e4m3: return fast_accum_tiles<DType::e4m3>();
        case DType::e5m2: return fast_accum_tiles<DType::e5m2>();
        default: return {};
    }
}

inline ProductMethod method_of_float8(const TileTable& tiles, const ProductProblem& problem, Sums sums) {
    if (!is_float8(problem.dtype) || !problem.hopper || !can_load_float8(problem.shape.n, problem.shape.k)) return {};
    ProductMethod method = method_of_tiles(tiles, problem, 0);
    method.sums = sums;
    return method;
}
inline ProductMethod float8_method(const ProductProblem& problem) {
    return method_of_float8(hopper_tiles(problem.dtype), problem, Sums::float8_promoted);
}
inline ProductMethod float8_fast_accum_method(const ProductProblem& problem) {
    return method_of_float8(fast_accum_tiles(problem.dtype), problem, Sums::float8_fast);
}

// The variant `hopper`, for all types.
inline ProductMethod any_hopper_method(const ProductProblem& problem) {
    return is_float8(problem.dtype) ? float8_method(problem) : hopper_method(problem);
}
inline std::vector<std::string> any_hopper_keys(const ProductProblem& problem) {
    return keys_of(hopper_tiles(problem.dtype), problem);
}
inline std::vector<std::string> float8_fast_accum_keys(const ProductProblem& problem) {
    return keys_of(fast_accum_tiles(problem.dtype), problem);
}

}  // namespace BACKEND
