// SPDX-License-Identifier: MIT
// Eight-bit floating point: __nv_fp8_e4m3 (1 sign, 4 exponent, 3 fraction bits, up to 448, no infinity), __nv_fp8_e5m2
// (the upper half of a __half, up to 57344), and two or four of them in one word. They are for storage: arithmetic is
// in the types that they convert to. (Without e8m0, the scales of newer GPUs' block formats.)
#pragma once

#include "simt/small_float.hpp"

namespace simt {

// ---- rounding to eight-bit formats, and their numbers as floats

/// Magnitudes up to `largest` are finite numbers; larger values become `overflow`, or `largest` if they must be finite.
struct E4M3Format {
    static constexpr int fraction_bits = 3, bias = 7;
    static constexpr unsigned largest = 0x7e, overflow = 0x7f;  ///< there is no infinity: NaN
};
struct E5M2Format {
    static constexpr int fraction_bits = 2, bias = 15;
    static constexpr unsigned largest = 0x7b, overflow = 0x7c;
};

/// Rounds once, to the nearest, ties to even.
template <typename Format>
inline unsigned char narrow8(double value, bool to_finite) {
    const auto bits = reinterpret_bits<unsigned long long>(value);
    const unsigned sign = static_cast<unsigned>(bits >> 63) << 7;
    // NaN keeps the upper bits of its fraction where the format has several.
    if (value != value)
        return static_cast<unsigned char>(sign | (Format::fraction_bits == 3 ? 0x7f : 0x7e | (bits >> 50 & 3)));
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023, smallest_normal = 1 - Format::bias;
    if (exponent > Format::bias + 1)
        return static_cast<unsigned char>(sign | (to_finite ? Format::largest : Format::overflow));
    // Units in the last place: adding 2^52 rounds to whole ones, and a carry moves into the exponent.
    const int scale = exponent < smallest_normal ? smallest_normal : exponent;
    const auto units_of_one =
        reinterpret_bits<double>(static_cast<unsigned long long>(1023 + Format::fraction_bits - scale) << 52);
    const double units = __builtin_fabs(value) * units_of_one + 0x1p52 - 0x1p52;
    const unsigned magnitude =
        static_cast<unsigned>(units) + (static_cast<unsigned>(scale - smallest_normal) << Format::fraction_bits);
    if (magnitude <= Format::largest) return static_cast<unsigned char>(sign | magnitude);
    return static_cast<unsigned char>(sign | (to_finite ? Format::largest : Format::overflow));
}

/// Every number of either format is a half; NaN becomes the canonical one.
template <typename Format>
SIMT_INLINE unsigned short widen8(unsigned char bits);

template <>
SIMT_INLINE unsigned short widen8<E5M2Format>(unsigned char bits) {
    return (bits & 0x7f) > 0x7c ? 0x7fff : static_cast<unsigned short>(bits << 8);
}
template <>
SIMT_INLINE unsigned short widen8<E4M3Format>(unsigned char bits) {
    const unsigned sign = (bits & 0x80u) << 8, magnitude = bits & 0x7fu;
    if (magnitude == 0x7f) return 0x7fff;
    if (magnitude >= 8) return static_cast<unsigned short>(sign | ((magnitude << 7) + (8 << 10)));
    // A denormal: units of 2^-9, which is normal as a half.
    return static_cast<unsigned short>(sign | narrow_nearest<HalfFormat>(static_cast<float>(magnitude) * 0x1p-9f));
}

}  // namespace simt

// ---- conversions and types


#define __CUDA_FP8_H__  // programs test for it
#define __CUDA_FP8_TYPES_EXIST__

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "vector_types.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;

/// NOSAT: a value too large becomes infinity, or NaN in e4m3. SATFINITE: it becomes the largest number.
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

// ---- one number -----------------------------------------------------------------------------------------------------
SIMT_INLINE __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
    const bool to_finite = saturate == __NV_SATFINITE;
    return kind == __NV_E4M3 ? simt::narrow8<simt::E4M3Format>(x, to_finite)
                             : simt::narrow8<simt::E5M2Format>(x, to_finite);
}
SIMT_INLINE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
    if (x != x) return 0x7f;
    return __nv_cvt_double_to_fp8(static_cast<double>(x), saturate, kind);
}
SIMT_INLINE __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float_to_fp8(simt::widen<simt::HalfFormat>(x.x), saturate, kind);
}
SIMT_INLINE __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind) {
    return __nv_cvt_float_to_fp8(simt::widen<simt::Bfloat16Format>(x.x), saturate, kind);
}
SIMT_INLINE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
    return {kind == __NV_E4M3 ? simt::widen8<simt::E4M3Format>(x) : simt::widen8<simt::E5M2Format>(x)};
}

// ---- two: the first is the lower byte -------------------------------------------------------------------------------
namespace simt {
SIMT_INLINE __nv_fp8x2_storage_t pack8(unsigned low, unsigned high) {
    return static_cast<__nv_fp8x2_storage_t>(low | high << 8);
}
}  // namespace simt

#define SIMT_FP8_PAIR(name, of_one, Pair)                                                                       \
    SIMT_INLINE __nv_fp8x2_storage_t name(Pair x, __nv_saturation_t saturate, __nv_fp8_interpretation_t kind) { \
        return simt::pack8(of_one({x.x}, saturate, kind), of_one({x.y}, saturate, kind));                       \
    }
SIMT_FP8_PAIR(__nv_cvt_double2_to_fp8x2, __nv_cvt_double_to_fp8, double2)
SIMT_FP8_PAIR(__nv_cvt_float2_to_fp8x2, __nv_cvt_float_to_fp8, float2)
SIMT_FP8_PAIR(__nv_cvt_halfraw2_to_fp8x2, __nv_cvt_halfraw_to_fp8, __half2_raw)
SIMT_FP8_PAIR(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_cvt_bfloat16raw_to_fp8, __nv_bfloat162_raw)
#undef SIMT_FP8_PAIR

SIMT_INLINE __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
    return {__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x & 0xff), kind).x,
            __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(x >> 8), kind).x};
}

// ---- types: every conversion is explicit and saturates --------------------------------------------------------------
namespace simt {
SIMT_INLINE float float_of8(unsigned bits, __nv_fp8_interpretation_t kind) {
    return widen<HalfFormat>(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(bits & 0xff), kind).x);
}
/// Values are clamped to the integer's range. NaN gives 0 in integers of one byte, and in others what a half gives.
template <typename Integer>
SIMT_INLINE Integer integer_of8(float value) {
    if (sizeof(Integer) == 1 && value != value) return 0;
    return integer_from<Integer>(__builtin_truncf(value));
}
}  // namespace simt

#define SIMT_FP8_FROM(name, kind, Number) \
    SIMT_INLINE explicit name(Number x) : __x(__nv_cvt_float_to_fp8(static_cast<float>(x), __NV_SATFINITE, kind)) {}
#define SIMT_FP8_TO(kind, Integer) \
    SIMT_INLINE explicit operator Integer() const { return simt::integer_of8<Integer>(simt::float_of8(__x, kind)); }

#define SIMT_FP8(suffix, kind)                                                                                         \
    struct __nv_fp8_##suffix {                                                                                         \
        __nv_fp8_storage_t __x;                                                                                        \
                                                                                                                       \
        __nv_fp8_##suffix() = default;                                                                                 \
        SIMT_INLINE explicit __nv_fp8_##suffix(double x) : __x(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind)) {}     \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, float)                                                                  \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, __half)                                                                 \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, __nv_bfloat16)                                                          \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, short)                                                                  \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, int)                                                                    \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, long)                                                                   \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, long long)                                                              \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, unsigned short)                                                         \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, unsigned)                                                               \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, unsigned long)                                                          \
        SIMT_FP8_FROM(__nv_fp8_##suffix, kind, unsigned long long)                                                     \
                                                                                                                       \
        SIMT_INLINE explicit operator float() const { return simt::float_of8(__x, kind); }                             \
        SIMT_INLINE explicit operator double() const { return simt::float_of8(__x, kind); }                            \
        SIMT_INLINE explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, kind)); }            \
        SIMT_INLINE explicit operator __nv_bfloat16() const { return __nv_bfloat16(simt::float_of8(__x, kind)); }      \
        SIMT_INLINE explicit operator bool() const { return (__x & 0x7f) != 0; }                                       \
        SIMT_FP8_TO(kind, char)                                                                                        \
        SIMT_FP8_TO(kind, signed char)                                                                                 \
        SIMT_FP8_TO(kind, short)                                                                                       \
        SIMT_FP8_TO(kind, int)                                                                                         \
        SIMT_FP8_TO(kind, long)                                                                                        \
        SIMT_FP8_TO(kind, long long)                                                                                   \
        SIMT_FP8_TO(kind, unsigned char)                                                                               \
        SIMT_FP8_TO(kind, unsigned short)                                                                              \
        SIMT_FP8_TO(kind, unsigned)                                                                                    \
        SIMT_FP8_TO(kind, unsigned long)                                                                               \
        SIMT_FP8_TO(kind, unsigned long long)                                                                          \
    };                                                                                                                 \
    struct __attribute__((aligned(2))) __nv_fp8x2_##suffix {                                                           \
        __nv_fp8x2_storage_t __x;                                                                                      \
                                                                                                                       \
        __nv_fp8x2_##suffix() = default;                                                                               \
        SIMT_INLINE explicit __nv_fp8x2_##suffix(double2 x)                                                            \
            : __x(__nv_cvt_double2_to_fp8x2(x, __NV_SATFINITE, kind)) {}                                               \
        SIMT_INLINE explicit __nv_fp8x2_##suffix(float2 x) : __x(__nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, kind)) {} \
        SIMT_INLINE explicit __nv_fp8x2_##suffix(__half2 x)                                                            \
            : __x(__nv_cvt_halfraw2_to_fp8x2({x.x.__x, x.y.__x}, __NV_SATFINITE, kind)) {}                             \
        SIMT_INLINE explicit __nv_fp8x2_##suffix(__nv_bfloat162 x)                                                     \
            : __x(__nv_cvt_bfloat16raw2_to_fp8x2({x.x.__x, x.y.__x}, __NV_SATFINITE, kind)) {}                         \
                                                                                                                       \
        SIMT_INLINE explicit operator float2() const {                                                                 \
            return {simt::float_of8(__x, kind), simt::float_of8(__x >> 8, kind)};                                      \
        }                                                                                                              \
        SIMT_INLINE explicit operator __half2() const {                                                                \
            const __half2_raw halves = __nv_cvt_fp8x2_to_halfraw2(__x, kind);                                          \
            return __half2(__half(__half_raw{halves.x}), __half(__half_raw{halves.y}));                                \
        }                                                                                                              \
    };                                                                                                                 \
    struct __attribute__((aligned(4))) __nv_fp8x4_##suffix {                                                           \
        __nv_fp8x4_storage_t __x;                                                                                      \
                                                                                                                       \
        __nv_fp8x4_##suffix() = default;                                                                               \
        SIMT_INLINE explicit __nv_fp8x4_##suffix(float4 x)                                                             \
            : __nv_fp8x4_##suffix(__nv_fp8x2_##suffix(float2{x.x, x.y}), __nv_fp8x2_##suffix(float2{x.z, x.w})) {}     \
        SIMT_INLINE explicit __nv_fp8x4_##suffix(double4 x)                                                            \
            : __nv_fp8x4_##suffix(__nv_fp8x2_##suffix(double2{x.x, x.y}), __nv_fp8x2_##suffix(double2{x.z, x.w})) {}   \
        SIMT_INLINE explicit __nv_fp8x4_##suffix(__half2 low, __half2 high)                                            \
            : __nv_fp8x4_##suffix(__nv_fp8x2_##suffix(low), __nv_fp8x2_##suffix(high)) {}                              \
        SIMT_INLINE explicit __nv_fp8x4_##suffix(__nv_bfloat162 low, __nv_bfloat162 high)                              \
            : __nv_fp8x4_##suffix(__nv_fp8x2_##suffix(low), __nv_fp8x2_##suffix(high)) {}                              \
                                                                                                                       \
        SIMT_INLINE explicit operator float4() const {                                                                 \
            return {simt::float_of8(__x, kind), simt::float_of8(__x >> 8, kind), simt::float_of8(__x >> 16, kind),     \
                    simt::float_of8(__x >> 24, kind)};                                                                 \
        }                                                                                                              \
                                                                                                                       \
    private:                                                                                                           \
        SIMT_INLINE __nv_fp8x4_##suffix(__nv_fp8x2_##suffix low, __nv_fp8x2_##suffix high)                             \
            : __x(low.__x | static_cast<unsigned>(high.__x) << 16) {}                                                  \
    };
SIMT_FP8(e4m3, __NV_E4M3)
SIMT_FP8(e5m2, __NV_E5M2)
#undef SIMT_FP8
#undef SIMT_FP8_TO
#undef SIMT_FP8_FROM
