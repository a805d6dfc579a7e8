// SPDX-License-Identifier: MIT
#pragma once
// f32 rounded to tf32, where TMA does not do it.
#include <cuda_runtime.h>

#include <cstdint>

namespace BACKEND {

/// The bits of the nearest number of tf32; NaN stays NaN.
__device__ inline std::uint32_t bits_of_nearest_tf32(float value) {
    std::uint32_t bits = 0;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return bits;
}

__device__ inline float nearest_tf32(float value) { return __uint_as_float(bits_of_nearest_tf32(value)); }

}  // namespace BACKEND
