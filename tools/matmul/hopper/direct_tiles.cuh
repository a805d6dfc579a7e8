// SPDX-License-Identifier: MIT
// The tiles of the variant `direct`. Only for nvcc.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/matmul/hopper/direct.cuh"
#include "tools/matmul/hopper/direct_cost.cuh"

namespace BACKEND {

// `reached`: the fraction of the peak that multiplying a stage reaches; `alone` as in DirectChoice.
template <typename T, bool tensor, int tile_m, int tile_n, int warps_m, int warps_n, int stages, bool batch = false>
constexpr DirectChoice direct_tile(double reached, double alone) {
    using Shape = DirectShape<T, tensor, tile_m, tile_n, warps_m, warps_n, stages>;
    constexpr double peak = sizeof(T) == 8 || !tensor ? 128 : 2048 / sizeof(T);  // multiply-adds a cycle
    return {{Shape::tile_m, Shape::tile_n, Shape::tile_k},
            sizeof(T),
            double(tile_m) * tile_n * Shape::tile_k / (peak * reached),
            alone,
            sizeof(T) == 8   ? &direct_cost_f64
            : sizeof(T) == 2 ? &direct_cost_16_bit
            : tensor         ? &direct_cost_tf32
                             : &direct_cost_f32,
            Shape::copy_of,
            Shape::resident,
            batch,
            launch_direct<Shape, batch>};
}

// 16-bit types.
template <typename T, bool tensor>
inline constexpr DirectChoice direct_choices[] = {
    direct_tile<T, tensor, 128, 128, 2, 4, 4>(0.57, 1.3),
    direct_tile<T, tensor, 96, 128, 2, 2, 3>(0.468, 1.18),
    direct_tile<T, tensor, 64, 128, 2, 2, 3>(0.411, 1.18),
    direct_tile<T, tensor, 128, 64, 2, 2, 3>(0.411, 1.18),
    direct_tile<T, tensor, 64, 64, 2, 2, 4, true>(0.349, 1.22),
    direct_tile<T, tensor, 32, 128, 1, 4, 4>(0.306, 1.1),
    direct_tile<T, tensor, 128, 32, 4, 1, 4>(0.296, 1.1),
    direct_tile<T, tensor, 32, 32, 2, 2, 4, true>(0.235, 1.58),
};
template <>
inline constexpr DirectChoice direct_choices<float, true>[] = {
    direct_tile<float, true, 128, 128, 2, 2, 3>(0.534, 1.22),
    direct_tile<float, true, 96, 128, 2, 2, 3>(0.517, 1.3),
    direct_tile<float, true, 64, 128, 2, 2, 3>(0.439, 1.3),
    direct_tile<float, true, 128, 64, 2, 2, 3>(0.424, 1.26),
    direct_tile<float, true, 96, 64, 2, 2, 3>(0.453, 1.43),
    direct_tile<float, true, 64, 64, 2, 2, 4, true>(0.397, 1.43),
    direct_tile<float, true, 32, 128, 1, 4, 4>(0.326, 1.26),
    direct_tile<float, true, 128, 32, 4, 1, 4>(0.286, 1.18),
    direct_tile<float, true, 32, 32, 2, 2, 4, true>(0.286, 2.5),
};
template <>
inline constexpr DirectChoice direct_choices<float, false>[] = {
    direct_tile<float, false, 128, 128, 2, 4, 4>(0.715, 1.3),
    direct_tile<float, false, 96, 128, 2, 2, 3>(0.648, 1.18),
    direct_tile<float, false, 64, 128, 2, 2, 3>(0.627, 1.18),
    direct_tile<float, false, 128, 64, 4, 1, 3>(0.627, 1.18),
    direct_tile<float, false, 64, 64, 2, 2, 3, true>(0.585, 1.3),
    direct_tile<float, false, 32, 128, 1, 4, 4>(0.548, 1.18),
    direct_tile<float, false, 128, 32, 4, 1, 4>(0.53, 1.26),
    direct_tile<float, false, 32, 32, 4, 1, 4, true>(0.385, 1.64),
};
// More warps hide the latencies of f64.
template <>
inline constexpr DirectChoice direct_choices<double, true>[] = {
    direct_tile<double, true, 128, 128, 4, 4, 4>(0.766, 1.3),
    direct_tile<double, true, 96, 128, 2, 4, 3>(0.818, 1.3),
    direct_tile<double, true, 64, 128, 2, 4, 4>(0.791, 1.3),
    direct_tile<double, true, 128, 64, 4, 2, 3>(0.766, 1.3),
    direct_tile<double, true, 96, 64, 2, 4, 3>(0.9, 1.34),
    direct_tile<double, true, 64, 64, 2, 2, 4, true>(0.741, 1.39),
    direct_tile<double, true, 32, 128, 2, 4, 4>(0.741, 1),
    direct_tile<double, true, 128, 32, 4, 2, 4>(0.996, 1.48),
    direct_tile<double, true, 32, 32, 2, 2, 4, true>(0.552, 1.64),
};

}  // namespace BACKEND
