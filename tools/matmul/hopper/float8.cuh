// SPDX-License-Identifier: MIT
// The Hopper kernels for 8-bit floats: of `hopper`, with sums added up in f32, and of `hopper-fast-accum`. Only for
// nvcc.
#pragma once

#include "kernels/matmul/hopper/float8.cuh"
#include "tools/matmul/hopper/tiles.cuh"
#include "tools/matmul/plan/plan.cuh"

namespace BACKEND {

inline TileTable fast_accum_tiles(DType dtype) {
    switch (dtype) {
        case DType::e4m3: return fast_accum_tiles<DType::e4m3>();
        case DType::e5m2: return fast_accum_tiles<DType::e5m2>();
        default: return {};
    }
}

inline Plans float8_plans_of(const char* variant, const TileTable& tiles, const ProductProblem& problem, Sums sums) {
    if (!is_float8(problem.dtype) || !problem.hopper || !can_load_float8(problem.shape.n, problem.shape.k)) return {};
    Plans plans = plans_of_tiles(variant, tiles, problem, 0);
    for (Plan& plan : plans) plan.sums = sums;
    return plans;
}
inline Plans float8_fast_accum_plans(const ProductProblem& problem) {
    return float8_plans_of("hopper-fast-accum", fast_accum_tiles(problem.dtype), problem, Sums::float8_fast);
}

// The variant `hopper`, for all types.
inline Plans any_hopper_plans(const ProductProblem& problem) {
    if (!is_float8(problem.dtype)) return hopper_plans(problem);
    return float8_plans_of("hopper", hopper_tiles(problem.dtype), problem, Sums::float8_promoted);
}

}  // namespace BACKEND
