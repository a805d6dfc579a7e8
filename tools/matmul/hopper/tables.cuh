// SPDX-License-Identifier: MIT
// The tables of tiles, by element type. Each type's kernels are a unit of their own, tools/matmul/hopper/TYPE.cu, so that
// they are compiled side by side. Only for nvcc.
#pragma once

#include "common/io/dtype.hpp"
#include "tools/matmul/hopper/direct_cost.cuh"
#include "tools/matmul/method.cuh"
#include "tools/matmul/tile_choice.cuh"

namespace BACKEND {

using TileTable = TableOf<TileChoice>;

// Of the variants `hopper`, `direct` and `hopper-fast-accum`.
template <DType dtype>
TableOf<TileChoice> hopper_tiles();
template <DType dtype>
TableOf<DirectChoice> direct_tiles();
template <DType dtype>
TableOf<TileChoice> fast_accum_tiles();
TableOf<TileChoice> tf32x3_tiles();

}  // namespace BACKEND
