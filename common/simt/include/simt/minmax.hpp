// SPDX-License-Identifier: MIT
// min and max for any two arithmetic types, as CUDA overloads them.
//
// They are templates so that a program's own min(int, int) takes precedence instead of being ambiguous, and so that
// they do not clash with std::min under `using namespace std`.
#pragma once

#include "simt/declare.h"
#include "simt/device_math.hpp"

#define SIMT_MINMAX(left, right, result)                                                                          \
    template <class = void>                                                                                       \
    SIMT_INLINE constexpr result min(left x, right y) {                                                           \
        return static_cast<result>(y) < static_cast<result>(x) ? static_cast<result>(y) : static_cast<result>(x); \
    }                                                                                                             \
    template <class = void>                                                                                       \
    SIMT_INLINE constexpr result max(left x, right y) {                                                           \
        return static_cast<result>(x) < static_cast<result>(y) ? static_cast<result>(y) : static_cast<result>(x); \
    }
// Signed and unsigned values compare as unsigned, by the language's usual conversions.
SIMT_MINMAX(int, int, int)
SIMT_MINMAX(unsigned, unsigned, unsigned)
SIMT_MINMAX(int, unsigned, unsigned)
SIMT_MINMAX(unsigned, int, unsigned)
SIMT_MINMAX(long, long, long)
SIMT_MINMAX(unsigned long, unsigned long, unsigned long)
SIMT_MINMAX(long, unsigned long, unsigned long)
SIMT_MINMAX(unsigned long, long, unsigned long)
SIMT_MINMAX(long long, long long, long long)
SIMT_MINMAX(unsigned long long, unsigned long long, unsigned long long)
SIMT_MINMAX(long long, unsigned long long, unsigned long long)
SIMT_MINMAX(unsigned long long, long long, unsigned long long)
#undef SIMT_MINMAX

// If one argument is NaN, the result is the other; -0 is less than +0.
#define SIMT_FLOAT_MINMAX(left, right, result, minimum, maximum) \
    template <class = void>                                      \
    SIMT_INLINE result min(left x, right y) {                    \
        return minimum<result>(x, y);                            \
    }                                                            \
    template <class = void>                                      \
    SIMT_INLINE result max(left x, right y) {                    \
        return maximum<result>(x, y);                            \
    }
SIMT_FLOAT_MINMAX(float, float, float, simt::device::minimum, simt::device::maximum)
SIMT_FLOAT_MINMAX(double, double, double, simt::device::minimum, simt::device::maximum)
SIMT_FLOAT_MINMAX(float, double, double, simt::device::minimum, simt::device::maximum)
SIMT_FLOAT_MINMAX(double, float, double, simt::device::minimum, simt::device::maximum)
#undef SIMT_FLOAT_MINMAX

SIMT_INLINE unsigned umin(unsigned x, unsigned y) { return y < x ? y : x; }
SIMT_INLINE unsigned umax(unsigned x, unsigned y) { return x < y ? y : x; }
SIMT_INLINE long long llmin(long long x, long long y) { return y < x ? y : x; }
SIMT_INLINE long long llmax(long long x, long long y) { return x < y ? y : x; }
SIMT_INLINE unsigned long long ullmin(unsigned long long x, unsigned long long y) { return y < x ? y : x; }
SIMT_INLINE unsigned long long ullmax(unsigned long long x, unsigned long long y) { return x < y ? y : x; }
