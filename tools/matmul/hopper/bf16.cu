// SPDX-License-Identifier: MIT
// The Hopper kernels of bf16.
#include "tools/matmul/hopper/direct_tiles.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/hopper/tensor_core_tiles.cuh"

namespace BACKEND {

template <>
TableOf<TileRow> hopper_tiles<DType::bf16>() {
    return tensor_core_tiles<__nv_bfloat16>;
}
template <>
TableOf<DirectRow> direct_tiles<DType::bf16>() {
    return direct_rows<__nv_bfloat16, true>;
}

}  // namespace BACKEND
