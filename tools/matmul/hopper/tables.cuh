// SPDX-License-Identifier: MIT
// The tables of tiles, by element type. Each type's kernels are a unit of their own, tools/matmul/hopper/TYPE.cu, so that
// they are compiled side by side. Only for nvcc.
#pragma once

#include "common/io/dtype.hpp"
#include "tools/matmul/hopper/direct_tiles.cuh"
#include "tools/matmul/hopper/tile_row.cuh"
#include "tools/matmul/plan/plan.cuh"

namespace BACKEND {

using TileTable = TableOf<TileRow>;

// Of the variants `hopper`, `direct` and `hopper-fast-accum`.
template <DType dtype>
TableOf<TileRow> hopper_tiles();
template <DType dtype>
TableOf<DirectRow> direct_tiles();
template <DType dtype>
TableOf<TileRow> fast_accum_tiles();
TableOf<TileRow> tf32x3_tiles();

}  // namespace BACKEND
