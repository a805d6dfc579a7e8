// SPDX-License-Identifier: MIT
// What three products of tf32 need beside A, B and C, see tf32x3.cuh.
#pragma once

#include "kernels/matmul/hopper/launch.cuh"

#include <cstddef>

namespace BACKEND {

/// Rows of the split A.
inline size_t split_row_count(size_t m) { return divide_up(m, 8) * 16; }

/// The workspace that a launch may need.
inline size_t tf32x3_workspace_bytes(size_t m, size_t n, size_t k) {
    const bool aligned_b = n * sizeof(float) % tensor_row_alignment == 0;
    return padded_bytes<float>(split_row_count(m), k) + (aligned_b ? 0 : padded_bytes<float>(k, n));
}

/// TMA counts rows in an int, and the split A has twice as many.
constexpr size_t tf32x3_most_rows = size_t{1} << 29;

}  // namespace BACKEND
