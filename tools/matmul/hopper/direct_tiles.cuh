// SPDX-License-Identifier: MIT
// The tiles of the variant `direct`. Only for nvcc.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <string>

#include "common/io/text.hpp"
#include "kernels/matmul/hopper/direct.cuh"
#include "tools/matmul/plan/plan.cuh"

namespace BACKEND {

struct DirectRow {
    TileSize tile;
    unsigned element_bytes;
    bool takes_batch;
    LaunchShape (*launch)(const MatmulArguments<void>&, unsigned blocks);

    std::string key(unsigned blocks) const { return tile_name(tile) + (blocks > 1 ? text("/{}", blocks) : ""); }
};

template <typename T, bool tensor, int tile_m, int tile_n, int warps_m, int warps_n, int stages, bool batch = false>
constexpr DirectRow direct_tile = {
    {tile_m, tile_n, DirectShape<T, tensor, tile_m, tile_n, warps_m, warps_n, stages>::tile_k},
    sizeof(T),
    batch,
    launch_direct<DirectShape<T, tensor, tile_m, tile_n, warps_m, warps_n, stages>, batch>};

// 16-bit types.
template <typename T, bool tensor>
inline constexpr DirectRow direct_rows[] = {
    direct_tile<T, tensor, 128, 128, 2, 4, 4>,     direct_tile<T, tensor, 96, 128, 2, 2, 3>,
    direct_tile<T, tensor, 64, 128, 2, 2, 3>,      direct_tile<T, tensor, 128, 64, 2, 2, 3>,
    direct_tile<T, tensor, 64, 64, 2, 2, 4, true>, direct_tile<T, tensor, 32, 128, 1, 4, 4>,
    direct_tile<T, tensor, 128, 32, 4, 1, 4>,      direct_tile<T, tensor, 32, 32, 2, 2, 4, true>,
};
template <>
inline constexpr DirectRow direct_rows<float, true>[] = {
    direct_tile<float, true, 128, 128, 2, 2, 3>,     direct_tile<float, true, 96, 128, 2, 2, 3>,
    direct_tile<float, true, 64, 128, 2, 2, 3>,      direct_tile<float, true, 128, 64, 2, 2, 3>,
    direct_tile<float, true, 96, 64, 2, 2, 3>,       direct_tile<float, true, 64, 64, 2, 2, 4, true>,
    direct_tile<float, true, 32, 128, 1, 4, 4>,      direct_tile<float, true, 128, 32, 4, 1, 4>,
    direct_tile<float, true, 32, 32, 2, 2, 4, true>,
};
template <>
inline constexpr DirectRow direct_rows<float, false>[] = {
    direct_tile<float, false, 128, 128, 2, 4, 4>,     direct_tile<float, false, 96, 128, 2, 2, 3>,
    direct_tile<float, false, 64, 128, 2, 2, 3>,      direct_tile<float, false, 128, 64, 4, 1, 3>,
    direct_tile<float, false, 64, 64, 2, 2, 3, true>, direct_tile<float, false, 32, 128, 1, 4, 4>,
    direct_tile<float, false, 128, 32, 4, 1, 4>,      direct_tile<float, false, 32, 32, 4, 1, 4, true>,
};
// More warps hide the latencies of f64.
template <>
inline constexpr DirectRow direct_rows<double, true>[] = {
    direct_tile<double, true, 128, 128, 4, 4, 4>,     direct_tile<double, true, 96, 128, 2, 4, 3>,
    direct_tile<double, true, 64, 128, 2, 4, 4>,      direct_tile<double, true, 128, 64, 4, 2, 3>,
    direct_tile<double, true, 96, 64, 2, 4, 3>,       direct_tile<double, true, 64, 64, 2, 2, 4, true>,
    direct_tile<double, true, 32, 128, 2, 4, 4>,      direct_tile<double, true, 128, 32, 4, 2, 4>,
    direct_tile<double, true, 32, 32, 2, 2, 4, true>,
};

}  // namespace BACKEND
