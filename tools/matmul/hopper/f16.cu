// SPDX-License-Identifier: MIT
// The Hopper kernels of f16.
#include "tools/matmul/hopper/direct_tiles.cuh"
#include "tools/matmul/hopper/tables.cuh"
#include "tools/matmul/hopper/tensor_core_tiles.cuh"

namespace BACKEND {

template <>
TableOf<TileRow> hopper_tiles<DType::f16>() {
    return tensor_core_tiles<__half>;
}
template <>
TableOf<DirectRow> direct_tiles<DType::f16>() {
    return direct_rows<__half, true>;
}

}  // namespace BACKEND
