// SPDX-License-Identifier: MIT
// Arithmetic with the rounding mode in its name: rn to nearest even, rz towards zero, ru up, rd down.
//
// The result is computed as the sum of two numbers of a wider type, `high` and a smaller `low`. This sum is exact, or
// has at least the sign of the exact error: by Knuth's two-sum for sums, by a fused multiply-add for the others. Where
// it lies between two numbers of the type, the sign of the remainder says on which side of the nearest it is. Changing
// the processor's rounding mode would not work: the compiler moves arithmetic across such changes.
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

/// The exact value is nearest + error: returns it rounded. A NaN error (from infinite operands) changes nothing.
template <Rounding mode, typename T, typename Error>
SIMT_INLINE T rounded(T nearest, Error error) {
    constexpr T infinity = static_cast<T>(__builtin_huge_val());
    const bool down = mode == Rounding::down || (mode == Rounding::zero && nearest > 0);
    const bool up = mode == Rounding::up || (mode == Rounding::zero && nearest < 0);
    if (down && error < 0) return next_after(nearest, -infinity);
    if (up && error > 0) return next_after(nearest, infinity);
    return nearest;
}

/// A wider type: it holds every product of two floats, and has a larger exponent range than any result.
template <typename T>
struct Wider {
    using type = double;
};
template <>
struct Wider<double> {
    using type = long double;
};

SIMT_INLINE double fused_wide(double x, double y, double z) { return fma(x, y, z); }
SIMT_INLINE long double fused_wide(long double x, long double y, long double z) { return fmal(x, y, z); }
SIMT_INLINE double root_wide(double x) { return sqrt(x); }
SIMT_INLINE long double root_wide(long double x) { return sqrtl(x); }

template <typename W>
struct Exact {
    W high, low;
};
template <typename W>
SIMT_INLINE Exact<W> sum_of(W x, W y) {
    const W sum = x + y, y_part = sum - x;
    return {sum, (x - (sum - y_part)) + (y - y_part)};
}

template <Rounding mode, typename T, typename W>
SIMT_INLINE T rounded_sum(Exact<W> exact) {
    const T nearest = static_cast<T>(exact.high);
    const W left_over = exact.high - nearest;
    return rounded<mode>(nearest, left_over != 0 ? left_over : exact.low);
}

/// An exact sum of zero is negative when rounding down, unless both summands are positive zeros.
template <Rounding mode, typename T>
SIMT_INLINE T zero_sum(T x, T y) {
    return mode == Rounding::down && (signbit(x) || signbit(y) || x != 0) ? -T(0) : x + y;
}

template <Rounding mode, typename T>
SIMT_INLINE T add(T x, T y) {
    if (mode == Rounding::nearest) return x + y;
    using W = typename Wider<T>::type;
    if (x + y == 0) return zero_sum<mode>(x, y);
    return rounded_sum<mode, T>(sum_of<W>(x, y));
}

template <Rounding mode, typename T>
SIMT_INLINE T multiply(T x, T y) {
    if (mode == Rounding::nearest) return x * y;
    using W = typename Wider<T>::type;
    const W product = static_cast<W>(x) * y;
    return rounded_sum<mode, T>(Exact<W>{product, fused_wide(static_cast<W>(x), static_cast<W>(y), -product)});
}

template <Rounding mode, typename T>
SIMT_INLINE T divide(T x, T y) {
    if (mode == Rounding::nearest) return x / y;
    using W = typename Wider<T>::type;
    const W quotient = static_cast<W>(x) / y, remainder = fused_wide(-quotient, static_cast<W>(y), static_cast<W>(x));
    return rounded_sum<mode, T>(Exact<W>{quotient, y < 0 ? -remainder : remainder});
}

template <Rounding mode, typename T>
SIMT_INLINE T square_root(T x) {
    if (mode == Rounding::nearest) return root(x);
    using W = typename Wider<T>::type;
    const W y = root_wide(static_cast<W>(x));
    return rounded_sum<mode, T>(Exact<W>{y, fused_wide(-y, y, static_cast<W>(x))});
}

template <Rounding mode, typename T>
SIMT_INLINE T multiply_add(T x, T y, T z) {
    if (mode == Rounding::nearest) return fused(x, y, z);
    using W = typename Wider<T>::type;
    const W product = static_cast<W>(x) * y;
    const W product_error = fused_wide(static_cast<W>(x), static_cast<W>(y), -product);
    const Exact<W> sum = sum_of<W>(product, z);
    if (!isfinite(sum.high)) return fused(x, y, z);
    if (sum.high == 0 && product_error == 0) {
        return product == 0 ? zero_sum<mode>(x * y, z) : zero_sum<mode>(T(1), T(-1));
    }
    const Exact<W> low = sum_of<W>(sum.low, product_error), all = sum_of<W>(sum.high, low.high);
    return rounded_sum<mode, T>(Exact<W>{all.high, all.low != 0 ? all.low : low.low});
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

/// Computed in double, whose 53 bits are enough for a single correct rounding.
SIMT_INLINE float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
