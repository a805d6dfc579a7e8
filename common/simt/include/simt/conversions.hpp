// SPDX-License-Identifier: MIT
// Conversions between numbers, with the rounding mode in the name, and between their bits.
//
// A number outside the integer's range gives the nearest representable integer; NaN gives what it gives on a GPU
// (saturated.hpp).
#pragma once

#include <limits.h>  // IWYU pragma: export
#include <math.h>

#include "simt/declare.h"
#include "simt/rounding.hpp"
#include "simt/saturated.hpp"

namespace simt::arithmetic {

template <Rounding mode>
SIMT_INLINE double to_whole(double x) {
    switch (mode) {
        case Rounding::nearest: return nearbyint(x);
        case Rounding::zero: return trunc(x);
        case Rounding::up: return ceil(x);
        case Rounding::down: return floor(x);
    }
    return x;
}

template <class Integer, Rounding mode, class Float>
SIMT_INLINE Integer to_integer(Float x) {
    if (x != x) return not_a_number<Integer, Float>();
    return saturated<Integer>(to_whole<mode>(x));
}

// long double holds every 64-bit integer and every double exactly, so the error of the narrower value is exact, too.
template <class Float, Rounding mode>
SIMT_INLINE Float to_float(long double exact) {
    const Float nearest = static_cast<Float>(exact);
    return rounded<mode>(nearest, exact - nearest);
}

template <class To, class From>
SIMT_INLINE To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "the sizes must agree");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

}  // namespace simt::arithmetic

// For each mode: __float2int_rn, __int2float_rn, __double2float_rn and so on.
#define SIMT_CONVERSIONS(suffix, mode)                                                                \
    SIMT_INLINE int __float2int_##suffix(float x) {                                                   \
        return simt::arithmetic::to_integer<int, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE int __double2int_##suffix(double x) {                                                 \
        return simt::arithmetic::to_integer<int, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE unsigned __float2uint_##suffix(float x) {                                             \
        return simt::arithmetic::to_integer<unsigned, simt::arithmetic::Rounding::mode>(x);           \
    }                                                                                                 \
    SIMT_INLINE unsigned __double2uint_##suffix(double x) {                                           \
        return simt::arithmetic::to_integer<unsigned, simt::arithmetic::Rounding::mode>(x);           \
    }                                                                                                 \
    SIMT_INLINE long long __float2ll_##suffix(float x) {                                              \
        return simt::arithmetic::to_integer<long long, simt::arithmetic::Rounding::mode>(x);          \
    }                                                                                                 \
    SIMT_INLINE long long __double2ll_##suffix(double x) {                                            \
        return simt::arithmetic::to_integer<long long, simt::arithmetic::Rounding::mode>(x);          \
    }                                                                                                 \
    SIMT_INLINE unsigned long long __float2ull_##suffix(float x) {                                    \
        return simt::arithmetic::to_integer<unsigned long long, simt::arithmetic::Rounding::mode>(x); \
    }                                                                                                 \
    SIMT_INLINE unsigned long long __double2ull_##suffix(double x) {                                  \
        return simt::arithmetic::to_integer<unsigned long long, simt::arithmetic::Rounding::mode>(x); \
    }                                                                                                 \
    SIMT_INLINE float __int2float_##suffix(int x) {                                                   \
        return simt::arithmetic::to_float<float, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE float __uint2float_##suffix(unsigned x) {                                             \
        return simt::arithmetic::to_float<float, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE float __ll2float_##suffix(long long x) {                                              \
        return simt::arithmetic::to_float<float, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE float __ull2float_##suffix(unsigned long long x) {                                    \
        return simt::arithmetic::to_float<float, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE float __double2float_##suffix(double x) {                                             \
        return simt::arithmetic::to_float<float, simt::arithmetic::Rounding::mode>(x);                \
    }                                                                                                 \
    SIMT_INLINE double __ll2double_##suffix(long long x) {                                            \
        return simt::arithmetic::to_float<double, simt::arithmetic::Rounding::mode>(x);               \
    }                                                                                                 \
    SIMT_INLINE double __ull2double_##suffix(unsigned long long x) {                                  \
        return simt::arithmetic::to_float<double, simt::arithmetic::Rounding::mode>(x);               \
    }
SIMT_CONVERSIONS(rn, nearest)
SIMT_CONVERSIONS(rz, zero)
SIMT_CONVERSIONS(ru, up)
SIMT_CONVERSIONS(rd, down)
#undef SIMT_CONVERSIONS

SIMT_INLINE double __int2double_rn(int x) { return x; }
SIMT_INLINE double __uint2double_rn(unsigned x) { return x; }

// The same bits under another type.
SIMT_INLINE int __float_as_int(float x) { return simt::arithmetic::same_bits<int>(x); }
SIMT_INLINE unsigned __float_as_uint(float x) { return simt::arithmetic::same_bits<unsigned>(x); }
SIMT_INLINE float __int_as_float(int x) { return simt::arithmetic::same_bits<float>(x); }
SIMT_INLINE float __uint_as_float(unsigned x) { return simt::arithmetic::same_bits<float>(x); }
SIMT_INLINE long long __double_as_longlong(double x) { return simt::arithmetic::same_bits<long long>(x); }
SIMT_INLINE double __longlong_as_double(long long x) { return simt::arithmetic::same_bits<double>(x); }
SIMT_INLINE int __double2hiint(double x) {
    return static_cast<int>(simt::arithmetic::same_bits<unsigned long long>(x) >> 32);
}
SIMT_INLINE int __double2loint(double x) {
    return static_cast<int>(simt::arithmetic::same_bits<unsigned long long>(x));
}
SIMT_INLINE double __hiloint2double(int hi, int lo) {
    return simt::arithmetic::same_bits<double>(static_cast<unsigned long long>(static_cast<unsigned>(hi)) << 32 |
                                               static_cast<unsigned>(lo));
}
