// Arithmetic with the rounding mode in its name: rn to nearest even, rz towards zero, ru up, rd down.
//
// The nearest result is computed first; its error, which is exact (Knuth's two-sum for sums, a fused multiply-add for
// the others), shows whether the neighbour on the requested side is the right one. Changing the processor's rounding
// mode would not work: the compiler moves arithmetic across such changes.
#pragma once

#include <math.h>

#include "simt/declare.h"

namespace simt::arithmetic {

enum class Rounding { nearest, zero, up, down };

SIMT_INLINE float next_after(float x, float towards) { return nextafterf(x, towards); }
SIMT_INLINE double next_after(double x, double towards) { return nextafter(x, towards); }
SIMT_INLINE float fused(float x, float y, float z) { return fmaf(x, y, z); }
SIMT_INLINE double fused(double x, double y, double z) { return fma(x, y, z); }
SIMT_INLINE float root(float x) { return sqrtf(x); }
SIMT_INLINE double root(double x) { return sqrt(x); }

// The exact value is nearest + error: returns it rounded. A NaN error (from infinite operands) changes nothing.
template <Rounding mode, class T, class Error>
SIMT_INLINE T rounded(T nearest, Error error) {
    constexpr T infinity = static_cast<T>(__builtin_huge_val());
    const bool down = mode == Rounding::down || (mode == Rounding::zero && nearest > 0);
    const bool up = mode == Rounding::up || (mode == Rounding::zero && nearest < 0);
    if (down && error < 0) return next_after(nearest, -infinity);
    if (up && error > 0) return next_after(nearest, infinity);
    return nearest;
}

template <Rounding mode, class T>
SIMT_INLINE T add(T x, T y) {
    const T sum = x + y, y_part = sum - x;
    return rounded<mode>(sum, (x - (sum - y_part)) + (y - y_part));
}

template <Rounding mode, class T>
SIMT_INLINE T multiply(T x, T y) {
    const T product = x * y;
    return rounded<mode>(product, fused(x, y, -product));
}

template <Rounding mode, class T>
SIMT_INLINE T divide(T x, T y) {
    const T quotient = x / y, remainder = fused(-quotient, y, x);
    return rounded<mode>(quotient, y < 0 ? -remainder : remainder);
}

template <Rounding mode, class T>
SIMT_INLINE T square_root(T x) {
    const T y = root(x);
    return rounded<mode>(y, fused(-y, y, x));
}

template <Rounding mode, class T>
SIMT_INLINE T multiply_add(T x, T y, T z) {
    const T nearest = fused(x, y, z);
    const T product = x * y, product_error = fused(x, y, -product);
    const T sum = product + z, z_part = sum - product, sum_error = (product - (sum - z_part)) + (z - z_part);
    return rounded<mode>(nearest, (sum - nearest) + (sum_error + product_error));
}

}  // namespace simt::arithmetic

// For each mode: __fadd_rn, __dadd_rn and so on.
#define SIMT_ROUNDED_FUNCTIONS(suffix, mode)                                              \
    SIMT_INLINE float __fadd_##suffix(float x, float y) {                                 \
        return simt::arithmetic::add<simt::arithmetic::Rounding::mode>(x, y);             \
    }                                                                                     \
    SIMT_INLINE float __fsub_##suffix(float x, float y) {                                 \
        return simt::arithmetic::add<simt::arithmetic::Rounding::mode>(x, -y);            \
    }                                                                                     \
    SIMT_INLINE float __fmul_##suffix(float x, float y) {                                 \
        return simt::arithmetic::multiply<simt::arithmetic::Rounding::mode>(x, y);        \
    }                                                                                     \
    SIMT_INLINE float __fdiv_##suffix(float x, float y) {                                 \
        return simt::arithmetic::divide<simt::arithmetic::Rounding::mode>(x, y);          \
    }                                                                                     \
    SIMT_INLINE float __frcp_##suffix(float x) {                                          \
        return simt::arithmetic::divide<simt::arithmetic::Rounding::mode>(1.0f, x);       \
    }                                                                                     \
    SIMT_INLINE float __fsqrt_##suffix(float x) {                                         \
        return simt::arithmetic::square_root<simt::arithmetic::Rounding::mode>(x);        \
    }                                                                                     \
    SIMT_INLINE float __fmaf_##suffix(float x, float y, float z) {                        \
        return simt::arithmetic::multiply_add<simt::arithmetic::Rounding::mode>(x, y, z); \
    }                                                                                     \
    SIMT_INLINE float __fmaf_ieee_##suffix(float x, float y, float z) {                   \
        return simt::arithmetic::multiply_add<simt::arithmetic::Rounding::mode>(x, y, z); \
    }                                                                                     \
    SIMT_INLINE double __dadd_##suffix(double x, double y) {                              \
        return simt::arithmetic::add<simt::arithmetic::Rounding::mode>(x, y);             \
    }                                                                                     \
    SIMT_INLINE double __dsub_##suffix(double x, double y) {                              \
        return simt::arithmetic::add<simt::arithmetic::Rounding::mode>(x, -y);            \
    }                                                                                     \
    SIMT_INLINE double __dmul_##suffix(double x, double y) {                              \
        return simt::arithmetic::multiply<simt::arithmetic::Rounding::mode>(x, y);        \
    }                                                                                     \
    SIMT_INLINE double __ddiv_##suffix(double x, double y) {                              \
        return simt::arithmetic::divide<simt::arithmetic::Rounding::mode>(x, y);          \
    }                                                                                     \
    SIMT_INLINE double __drcp_##suffix(double x) {                                        \
        return simt::arithmetic::divide<simt::arithmetic::Rounding::mode>(1.0, x);        \
    }                                                                                     \
    SIMT_INLINE double __dsqrt_##suffix(double x) {                                       \
        return simt::arithmetic::square_root<simt::arithmetic::Rounding::mode>(x);        \
    }                                                                                     \
    SIMT_INLINE double __fma_##suffix(double x, double y, double z) {                     \
        return simt::arithmetic::multiply_add<simt::arithmetic::Rounding::mode>(x, y, z); \
    }
SIMT_ROUNDED_FUNCTIONS(rn, nearest)
SIMT_ROUNDED_FUNCTIONS(rz, zero)
SIMT_ROUNDED_FUNCTIONS(ru, up)
SIMT_ROUNDED_FUNCTIONS(rd, down)
#undef SIMT_ROUNDED_FUNCTIONS

// Computed in double, whose 53 bits are enough for a single correct rounding.
SIMT_INLINE float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
