// SPDX-License-Identifier: MIT
#pragma once
// The 8-bit floating-point types as kernels multiply them. The rows of both operands run along k: B is stored as its
// transpose, since tensor cores take these types in no other layout. Products of two such numbers are exact in f32, in
// which they are summed; the sum times the scales of A and B is rounded to bf16.
#include "kernels/matmul/generic/arguments.cuh"

#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

namespace BACKEND {

template <>
struct ResultOf<__nv_fp8_e4m3> {
    using Type = __nv_bfloat16;
};
template <>
struct ResultOf<__nv_fp8_e5m2> {
    using Type = __nv_bfloat16;
};

/// Four neighbors packed in a 32-bit word.
template <typename T>
struct PackedFour;
template <>
struct PackedFour<__nv_fp8_e4m3> {
    using Type = __nv_fp8x4_e4m3;
};
template <>
struct PackedFour<__nv_fp8_e5m2> {
    using Type = __nv_fp8x4_e5m2;
};

template <typename T>
__device__ inline float4 widen_four(unsigned word) {
    typename PackedFour<T>::Type four;
    four.__x = word;
    return static_cast<float4>(four);
}

/// The factor for every sum: A's scale times B's.
__device__ inline float scale_of(const float* scales) { return scales[0] * scales[scale_step]; }

}  // namespace BACKEND
