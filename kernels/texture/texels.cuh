// SPDX-License-Identifier: MIT
#pragma once
// The elements of a matrix, and the values that threads compute with:
//   stored             value
//   float, __half      float   textures convert halves; so do loads
//   float4             float4
//   uchar4             uchar4  channels are added modulo 256
//   NormalizedBytes    float4  four bytes, read as numbers from 0 to 1
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace BACKEND {

struct alignas(4) NormalizedBytes {
    uchar4 bytes;
};

template <typename T>
struct TextureValue {
    using type = T;
};
template <>
struct TextureValue<__half> {
    using type = float;
};
template <>
struct TextureValue<NormalizedBytes> {
    using type = float4;
};

__device__ inline float texture_value(float value) { return value; }
__device__ inline float texture_value(__half value) { return __half2float(value); }
__device__ inline float4 texture_value(float4 value) { return value; }
__device__ inline uchar4 texture_value(uchar4 value) { return value; }
__device__ inline float4 texture_value(NormalizedBytes value) {
    constexpr float step = 1.0f / 255;
    return make_float4(step * value.bytes.x, step * value.bytes.y, step * value.bytes.z, step * value.bytes.w);
}

template <typename T>
__device__ T texture_load_read_only(const T* element) {
    return __ldg(element);
}
__device__ inline NormalizedBytes texture_load_read_only(const NormalizedBytes* element) {
    return {__ldg(&element->bytes)};
}

__device__ inline void texture_add(float& sum, float value) { sum += value; }
__device__ inline void texture_add(float4& sum, float4 value) {
    sum.x += value.x, sum.y += value.y, sum.z += value.z, sum.w += value.w;
}
__device__ inline void texture_add(uchar4& sum, uchar4 value) {
    sum.x += value.x, sum.y += value.y, sum.z += value.z, sum.w += value.w;
}

/// a at weight 0, b at weight 1.
__device__ inline float texture_mix(float a, float b, float weight) { return (1 - weight) * a + weight * b; }
__device__ inline float4 texture_mix(float4 a, float4 b, float weight) {
    return make_float4(texture_mix(a.x, b.x, weight), texture_mix(a.y, b.y, weight), texture_mix(a.z, b.z, weight),
                       texture_mix(a.w, b.w, weight));
}

/// What a surface stores for an element.
__device__ inline float texture_stored(float value) { return value; }
__device__ inline unsigned short texture_stored(__half value) { return __half_as_ushort(value); }
__device__ inline float4 texture_stored(float4 value) { return value; }
__device__ inline uchar4 texture_stored(uchar4 value) { return value; }
__device__ inline uchar4 texture_stored(NormalizedBytes value) { return value.bytes; }

}  // namespace BACKEND
