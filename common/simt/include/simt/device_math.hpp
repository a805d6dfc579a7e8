// SPDX-License-Identifier: MIT
// C library functions that a GPU defines more strictly, or differently: simcc's rewriter calls these instead in device
// code.
#pragma once

#include <math.h>

#include "simt/saturated.hpp"
#include "simt/warp_state.hpp"

namespace simt::device {

// If one argument is NaN, the result is the other. -0 is less than +0.
template <class T>
SIMT_INLINE T minimum(T x, T y) {
    if (x < y) return x;
    if (y < x) return y;
    if (x == y) return signbit(x) ? x : y;
    return x == x ? x : y;
}
template <class T>
SIMT_INLINE T maximum(T x, T y) {
    if (x < y) return y;
    if (y < x) return x;
    if (x == y) return signbit(x) ? y : x;
    return x == x ? x : y;
}

SIMT_INLINE float fminf(float x, float y) { return minimum(x, y); }
SIMT_INLINE float fmaxf(float x, float y) { return maximum(x, y); }
SIMT_INLINE float fmin(float x, float y) { return minimum(x, y); }
SIMT_INLINE float fmax(float x, float y) { return maximum(x, y); }
template <class X, class Y>
SIMT_INLINE double fmin(X x, Y y) {
    return minimum<double>(x, y);
}
template <class X, class Y>
SIMT_INLINE double fmax(X x, Y y) {
    return maximum<double>(x, y);
}

// A number out of range becomes the nearest integer.
#define SIMT_TO_LONG(name, Integer, rounding)                                                               \
    SIMT_INLINE Integer name##f(float x) { return ::simt::saturated<Integer>(__builtin_##rounding##f(x)); } \
    SIMT_INLINE Integer name(float x) { return ::simt::saturated<Integer>(__builtin_##rounding##f(x)); }    \
    SIMT_INLINE Integer name(double x) { return ::simt::saturated<Integer>(__builtin_##rounding(x)); }      \
    template <class X>                                                                                      \
    SIMT_INLINE Integer name(X x) {                                                                         \
        return name(static_cast<double>(x));                                                                \
    }
SIMT_TO_LONG(lrint, long, rint)
SIMT_TO_LONG(llrint, long long, rint)
SIMT_TO_LONG(lround, long, round)
SIMT_TO_LONG(llround, long long, round)
#undef SIMT_TO_LONG

// In a kernel the result is the number of arguments after the format, not of characters.
template <class... Arguments>
int printf(const char* format, Arguments... arguments) {
    const int characters = __builtin_printf(format, arguments...);
    return ::simt::in_kernel() && characters >= 0 ? int(sizeof...(arguments)) : characters;
}

}  // namespace simt::device
