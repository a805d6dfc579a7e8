// The element types of matmul: how each is stored, how it is multiplied, and what error that allows.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>

#include "common/io/dtype.hpp"
#include "common/measure/random.hpp"

namespace BACKEND {

// Element: as stored on the device. Wide: a type of the host that holds it exactly. The three roundings are relative:
// of an input before it is multiplied, of a running sum, of a result when it is stored.
struct F32 {
    using Element = float;
    using Wide = float;
    static constexpr DType dtype = DType::f32;
    static constexpr double input_rounding = 0, sum_rounding = 0x1p-24, result_rounding = 0x1p-24;
};
struct F64 {
    using Element = double;
    using Wide = double;
    static constexpr DType dtype = DType::f64;
    static constexpr double input_rounding = 0, sum_rounding = 0x1p-53, result_rounding = 0x1p-53;
};
// Tensor cores cut sums off where other units round them.
struct Tf32 {
    using Element = float;
    using Wide = float;
    static constexpr DType dtype = DType::tf32;
    static constexpr double input_rounding = 0x1p-10, sum_rounding = 0x1p-22, result_rounding = 0x1p-24;
};
struct F16 {
    using Element = __half;
    using Wide = float;
    static constexpr DType dtype = DType::f16;
    static constexpr double input_rounding = 0, sum_rounding = 0x1p-22, result_rounding = 0x1p-11;
};
struct Bf16 {
    using Element = __nv_bfloat16;
    using Wide = float;
    static constexpr DType dtype = DType::bf16;
    static constexpr double input_rounding = 0, sum_rounding = 0x1p-22, result_rounding = 0x1p-8;
};

template <typename Action>
void with_matmul_type(DType dtype, Action action) {
    switch (dtype) {
        case DType::f32: return action(F32{});
        case DType::f64: return action(F64{});
        case DType::tf32: return action(Tf32{});
        case DType::f16: return action(F16{});
        case DType::bf16: return action(Bf16{});
        case DType::i32:
        case DType::i64: break;
    }
    refuse_dtype(dtype);
}

inline float widen(float value) { return value; }
inline double widen(double value) { return value; }
inline float widen(__half value) { return __half2float(value); }
inline float widen(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename Element>
Element narrow(double value) {
    return static_cast<Element>(value);
}
template <>
inline __half narrow<__half>(double value) {
    return __float2half(static_cast<float>(value));
}
template <>
inline __nv_bfloat16 narrow<__nv_bfloat16>(double value) {
    return __float2bfloat16(static_cast<float>(value));
}

// Standard normal (Box and Muller, 1958). Its products are what a matrix product meets in practice; zeros and small
// integers would cost a GPU less power, and so run faster.
inline double normal(std::uint64_t seed, std::uint64_t index) {
    const std::uint64_t bits = random_bits(seed, index);
    const double radius = (static_cast<double>(bits >> 32) + 1) * 0x1p-32,
                 angle = static_cast<double>(bits & 0xffffffffu) * 0x1p-32;
    return std::sqrt(-2 * std::log(radius)) * std::cos(6.283185307179586 * angle);
}

}  // namespace BACKEND
