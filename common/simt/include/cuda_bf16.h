// SPDX-License-Identifier: MIT
// Bfloat16: __nv_bfloat16 (1 sign, 8 exponent, 7 fraction bits: the upper half of a float) and pairs of them.
#pragma once
#define __CUDA_BF16_H__  // programs test for it

#if !defined(__cplusplus) || __cplusplus < 201703L
// For hosts that only pass them on.
typedef struct {
    unsigned short x;
} __nv_bfloat16_raw, __nv_bfloat16;
typedef struct {
    unsigned short x, y;
} __nv_bfloat162;
#else
#include "simt/small_float_type.hpp"
#include "vector_types.h"

SIMT_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat16_raw, simt::Bfloat16Format)
SIMT_SMALL_FLOAT_PAIR(__nv_bfloat162, __nv_bfloat162_raw, __nv_bfloat16)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// ---- float and double -----------------------------------------------------------------------------------------------
#define SIMT_FLOAT2BFLOAT16(suffix, rounding)                                                                     \
    SIMT_INLINE __nv_bfloat16 __float2bfloat16_##suffix(float a) {                                                \
        return simt::from_bits16<__nv_bfloat16>(simt::narrow<simt::Bfloat16Format, simt::Rounding::rounding>(a)); \
    }
SIMT_FLOAT2BFLOAT16(rz, zero)
SIMT_FLOAT2BFLOAT16(rd, down)
SIMT_FLOAT2BFLOAT16(ru, up)
#undef SIMT_FLOAT2BFLOAT16
SIMT_INLINE __nv_bfloat16 __float2bfloat16(float a) { return __nv_bfloat16(a); }
SIMT_INLINE __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
SIMT_INLINE __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
SIMT_INLINE float __bfloat162float(__nv_bfloat16 a) { return static_cast<float>(a); }
SIMT_INLINE __nv_bfloat162 __float2bfloat162_rn(float a) { return {__nv_bfloat16(a), __nv_bfloat16(a)}; }
SIMT_INLINE __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return {__nv_bfloat16(a), __nv_bfloat16(b)}; }
SIMT_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 a) { return {__nv_bfloat16(a.x), __nv_bfloat16(a.y)}; }
SIMT_INLINE float2 __bfloat1622float2(__nv_bfloat162 a) {
    return float2{static_cast<float>(a.x), static_cast<float>(a.y)};
}

// ---- integers -------------------------------------------------------------------------------------------------------
SIMT_INTEGER_CONVERSIONS(__nv_bfloat16, bfloat16, short, short)
SIMT_INTEGER_CONVERSIONS(__nv_bfloat16, bfloat16, ushort, unsigned short)
SIMT_INTEGER_CONVERSIONS(__nv_bfloat16, bfloat16, int, int)
SIMT_INTEGER_CONVERSIONS(__nv_bfloat16, bfloat16, uint, unsigned)
SIMT_INTEGER_CONVERSIONS(__nv_bfloat16, bfloat16, ll, long long)
SIMT_INTEGER_CONVERSIONS(__nv_bfloat16, bfloat16, ull, unsigned long long)
SIMT_INLINE signed char __bfloat162char_rz(__nv_bfloat16 a) {
    return simt::integer_from<signed char>(__builtin_truncf(a));
}
SIMT_INLINE unsigned char __bfloat162uchar_rz(__nv_bfloat16 a) {
    return simt::integer_from<unsigned char>(__builtin_truncf(a));
}

// ---- bits and pairs -------------------------------------------------------------------------------------------------
SIMT_INLINE short __bfloat16_as_short(__nv_bfloat16 a) { return static_cast<short>(a.__x); }
SIMT_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
SIMT_INLINE __nv_bfloat16 __short_as_bfloat16(short a) {
    return simt::from_bits16<__nv_bfloat16>(static_cast<unsigned short>(a));
}
SIMT_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return simt::from_bits16<__nv_bfloat16>(a); }
SIMT_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
SIMT_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
SIMT_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
SIMT_INLINE __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
SIMT_INLINE __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
SIMT_INLINE __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return {a.x, a.x}; }
SIMT_INLINE __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return {a.y, a.y}; }
SIMT_INLINE __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __lows2half2(a, b); }
SIMT_INLINE __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __highs2half2(a, b); }

#ifdef __CUDACC__
SIMT_INLINE __nv_bfloat162 atomicAdd(__nv_bfloat162* address, __nv_bfloat162 value,
                                     ::simt::Site site = ::simt::Site::here()) {
    return ::simt::fetch_add<::simt::Scope::device>(address, value, site);
}
#endif

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7F80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7FFF)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7F7F)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3F80)
#endif
