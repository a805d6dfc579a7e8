// SPDX-License-Identifier: MIT
// Half precision: __half (1 sign, 5 exponent, 10 fraction bits) and __half2, two of them in one register.
#pragma once
#define __CUDA_FP16_H__  // programs test for it

#if !defined(__cplusplus) || __cplusplus < 201703L
// For hosts that only pass them on.
typedef struct {
    unsigned short x;
} __half_raw, __half;
typedef struct {
    unsigned short x, y;
} __half2;
#else
#include "simt/small_float_type.hpp"
#include "vector_types.h"

SIMT_SMALL_FLOAT(__half, __half_raw, simt::HalfFormat)
SIMT_SMALL_FLOAT_PAIR(__half2, __half2_raw, __half)

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

// ---- float and double -----------------------------------------------------------------------------------------------
#define SIMT_FLOAT2HALF(suffix, rounding)                                                              \
    SIMT_INLINE __half __float2half_##suffix(float a) {                                                \
        return simt::from_bits16<__half>(simt::narrow<simt::HalfFormat, simt::Rounding::rounding>(a)); \
    }
SIMT_FLOAT2HALF(rz, zero)
SIMT_FLOAT2HALF(rd, down)
SIMT_FLOAT2HALF(ru, up)
#undef SIMT_FLOAT2HALF
SIMT_INLINE __half __float2half(float a) { return __half(a); }
SIMT_INLINE __half __float2half_rn(float a) { return __half(a); }
SIMT_INLINE __half __double2half(double a) { return __half(a); }
SIMT_INLINE float __half2float(__half a) { return static_cast<float>(a); }
SIMT_INLINE __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
SIMT_INLINE __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
SIMT_INLINE __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
SIMT_INLINE float2 __half22float2(__half2 a) { return float2{static_cast<float>(a.x), static_cast<float>(a.y)}; }

// ---- integers -------------------------------------------------------------------------------------------------------
SIMT_INTEGER_CONVERSIONS(__half, half, short, short)
SIMT_INTEGER_CONVERSIONS(__half, half, ushort, unsigned short)
SIMT_INTEGER_CONVERSIONS(__half, half, int, int)
SIMT_INTEGER_CONVERSIONS(__half, half, uint, unsigned)
SIMT_INTEGER_CONVERSIONS(__half, half, ll, long long)
SIMT_INTEGER_CONVERSIONS(__half, half, ull, unsigned long long)
SIMT_INLINE signed char __half2char_rz(__half a) { return simt::integer_from<signed char>(__builtin_truncf(a)); }
SIMT_INLINE unsigned char __half2uchar_rz(__half a) { return simt::integer_from<unsigned char>(__builtin_truncf(a)); }

// ---- bits and pairs -------------------------------------------------------------------------------------------------
SIMT_INLINE short __half_as_short(__half a) { return static_cast<short>(a.__x); }
SIMT_INLINE unsigned short __half_as_ushort(__half a) { return a.__x; }
SIMT_INLINE __half __short_as_half(short a) { return simt::from_bits16<__half>(static_cast<unsigned short>(a)); }
SIMT_INLINE __half __ushort_as_half(unsigned short a) { return simt::from_bits16<__half>(a); }
SIMT_INLINE __half2 make_half2(__half x, __half y) { return __half2(x, y); }
SIMT_INLINE __half2 __half2half2(__half a) { return __half2(a, a); }
SIMT_INLINE __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
SIMT_INLINE __half __low2half(__half2 a) { return a.x; }
SIMT_INLINE __half __high2half(__half2 a) { return a.y; }
SIMT_INLINE __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
SIMT_INLINE __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }

#ifdef __CUDACC__
SIMT_INLINE __half2 atomicAdd(__half2* address, __half2 value, ::simt::Site site = ::simt::Site::here()) {
    return ::simt::fetch_add<::simt::Scope::device>(address, value, site);
}
#endif

#define CUDART_INF_FP16 __ushort_as_half(0x7C00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7FFF)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7BFF)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3C00)
#endif
