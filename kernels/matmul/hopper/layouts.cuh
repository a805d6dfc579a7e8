// SPDX-License-Identifier: MIT
#pragma once
// How the operands of a product are stored, for kernels that are compiled for one way or another, and how the tensor
// cores find a stage of them in shared memory.
#include "kernels/matmul/hopper/wgmma.cuh"

#include <cuda_runtime.h>

#include <cstdint>

namespace BACKEND {

/// A transposed A is stored as k x m, B as n x k, C as n x m.
template <bool a_transposed_, bool b_transposed_, bool c_transposed_ = false>
struct StoredLayouts {
    static constexpr bool a_transposed = a_transposed_, b_transposed = b_transposed_, c_transposed = c_transposed_;
    static constexpr bool plain = !a_transposed && !b_transposed && !c_transposed;
    /// Kernels for other layouts are compiled only for batches, which may be of one product.
    static constexpr bool only_many = !plain;
};
using PlainLayouts = StoredLayouts<false, false>;

/// One operand of a stage in shared memory. `along_k`: its rows run along k, and a stage is 128 bytes of each. Else, in
/// 16-bit types only, they run along m or n, and lie in boxes of 64 steps by 64 rows of A or columns of B.
template <bool along_k>
struct StageOperand {
    /// Added to the descriptor for the next quarter of the stage: 32 bytes of every row, or 16 rows.
    static constexpr std::uint64_t next = along_k ? 2 : 128;

    /// `first`: the first element, at the first row or box of those that are multiplied.
    __device__ static std::uint64_t descriptor(const void* first) {
        return along_k ? wgmma_operand(first, 16, 1024) : wgmma_operand(first, 64 * 128, 1024);
    }
};

/// Transposes a square of 4 x 4 in a lane's registers.
__device__ inline void transpose_square(float4 (&rows)[4]) {
    const float4 a = rows[0], b = rows[1], c = rows[2], d = rows[3];
    rows[0] = make_float4(a.x, b.x, c.x, d.x);
    rows[1] = make_float4(a.y, b.y, c.y, d.y);
    rows[2] = make_float4(a.z, b.z, c.z, d.z);
    rows[3] = make_float4(a.w, b.w, c.w, d.w);
}

}  // namespace BACKEND
