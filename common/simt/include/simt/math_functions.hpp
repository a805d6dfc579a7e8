// SPDX-License-Identifier: MIT
// Mathematical functions in device code: those of the C library, min and max, and what CUDA adds.
#pragma once

#include <math.h>
#include <stdlib.h>  // IWYU pragma: export

#include "simt/conversions.hpp"
#include "simt/declare.h"
#include "simt/warp_state.hpp"

namespace simt::device {

// ---- C library functions that a GPU defines more strictly, or differently

// simcc's rewriter calls these instead in device code.

/// If one argument is NaN, the result is the other. -0 is less than +0.
template <typename T>
SIMT_INLINE T minimum(T x, T y) {
    if (x < y) return x;
    if (y < x) return y;
    if (x == y) return signbit(x) ? x : y;
    return x == x ? x : y;
}
template <typename T>
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
template <typename X, typename Y>
SIMT_INLINE double fmin(X x, Y y) {
    return minimum<double>(x, y);
}
template <typename X, typename Y>
SIMT_INLINE double fmax(X x, Y y) {
    return maximum<double>(x, y);
}

// A number out of range becomes the nearest integer.
#define SIMT_TO_LONG(name, Integer, rounding)                                                               \
    SIMT_INLINE Integer name##f(float x) { return ::simt::saturated<Integer>(__builtin_##rounding##f(x)); } \
    SIMT_INLINE Integer name(float x) { return ::simt::saturated<Integer>(__builtin_##rounding##f(x)); }    \
    SIMT_INLINE Integer name(double x) { return ::simt::saturated<Integer>(__builtin_##rounding(x)); }      \
    template <typename X>                                                                                   \
    SIMT_INLINE Integer name(X x) {                                                                         \
        return name(static_cast<double>(x));                                                                \
    }
SIMT_TO_LONG(lrint, long, rint)
SIMT_TO_LONG(llrint, long long, rint)
SIMT_TO_LONG(lround, long, round)
SIMT_TO_LONG(llround, long long, round)
#undef SIMT_TO_LONG

/// In a kernel the result is the number of arguments after the format, not of characters.
template <typename... Arguments>
int printf(const char* format, Arguments... arguments) {
    const int characters = __builtin_printf(format, arguments...);
    return ::simt::in_kernel() && characters >= 0 ? int(sizeof...(arguments)) : characters;
}

}  // namespace simt::device

// ---- min and max for any two arithmetic types, as CUDA overloads them

// They are templates so that a program's own min(int, int) takes precedence instead of being ambiguous, and so that
// they do not clash with std::min under `using namespace std`.

#define SIMT_MINMAX(left, right, result)                                                                          \
    template <typename = void>                                                                                    \
    SIMT_INLINE constexpr result min(left x, right y) {                                                           \
        return static_cast<result>(y) < static_cast<result>(x) ? static_cast<result>(y) : static_cast<result>(x); \
    }                                                                                                             \
    template <typename = void>                                                                                    \
    SIMT_INLINE constexpr result max(left x, right y) {                                                           \
        return static_cast<result>(x) < static_cast<result>(y) ? static_cast<result>(y) : static_cast<result>(x); \
    }
/// Signed and unsigned values compare as unsigned, by the language's usual conversions.
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
    template <typename = void>                                   \
    SIMT_INLINE result min(left x, right y) {                    \
        return minimum<result>(x, y);                            \
    }                                                            \
    template <typename = void>                                   \
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

// ---- Fast single-precision functions, as accurate here as the ordinary ones.
SIMT_INLINE float __sinf(float x) { return sinf(x); }
SIMT_INLINE float __cosf(float x) { return cosf(x); }
SIMT_INLINE float __tanf(float x) { return tanf(x); }
SIMT_INLINE float __tanhf(float x) { return tanhf(x); }
SIMT_INLINE void __sincosf(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }
SIMT_INLINE float __expf(float x) { return expf(x); }
SIMT_INLINE float __exp10f(float x) { return static_cast<float>(pow(10.0, x)); }
SIMT_INLINE float __logf(float x) { return logf(x); }
SIMT_INLINE float __log2f(float x) { return log2f(x); }
SIMT_INLINE float __log10f(float x) { return log10f(x); }
SIMT_INLINE float __powf(float x, float y) { return powf(x, y); }
SIMT_INLINE float __fdividef(float x, float y) { return x / y; }
SIMT_INLINE float fdividef(float x, float y) { return x / y; }
SIMT_INLINE double fdivide(double x, double y) { return x / y; }
SIMT_INLINE float __saturatef(float x) { return x >= 1.0f ? 1.0f : x > 0.0f ? x : 0.0f; }  // NaN gives 0

// ---- Roots, powers and lengths.
SIMT_INLINE float rsqrtf(float x) { return 1.0f / sqrtf(x); }
SIMT_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
SIMT_INLINE float rsqrt(float x) { return rsqrtf(x); }
SIMT_INLINE float rcbrtf(float x) { return 1.0f / cbrtf(x); }
SIMT_INLINE double rcbrt(double x) { return 1.0 / cbrt(x); }
SIMT_INLINE float rcbrt(float x) { return rcbrtf(x); }
SIMT_INLINE float rhypotf(float x, float y) { return 1.0f / hypotf(x, y); }
SIMT_INLINE double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
SIMT_INLINE double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
SIMT_INLINE double norm4d(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }
SIMT_INLINE double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
SIMT_INLINE double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
SIMT_INLINE float norm3df(float x, float y, float z) { return static_cast<float>(norm3d(x, y, z)); }
SIMT_INLINE float norm4df(float x, float y, float z, float w) { return static_cast<float>(norm4d(x, y, z, w)); }
SIMT_INLINE float rnorm3df(float x, float y, float z) { return static_cast<float>(rnorm3d(x, y, z)); }
SIMT_INLINE float rnorm4df(float x, float y, float z, float w) { return static_cast<float>(rnorm4d(x, y, z, w)); }
SIMT_INLINE double norm(int dimensions, const double* x) {
    double length = 0.0;
    for (int i = 0; i < dimensions; ++i) length = hypot(length, x[i]);
    return length;
}
SIMT_INLINE float normf(int dimensions, const float* x) {
    double length = 0.0;
    for (int i = 0; i < dimensions; ++i) length = hypot(length, static_cast<double>(x[i]));
    return static_cast<float>(length);
}
SIMT_INLINE double rnorm(int dimensions, const double* x) { return 1.0 / norm(dimensions, x); }
SIMT_INLINE float rnormf(int dimensions, const float* x) { return 1.0f / normf(dimensions, x); }

// ---- Angles in units of pi: exact at multiples of one half, thanks to the reduction before the multiplication.
SIMT_INLINE void sincospi(double x, double* sine, double* cosine) {
    const double halves = nearbyint(2.0 * x), angle = fma(-0.5, halves, x) * 3.14159265358979323846;
    const double s = sin(angle), c = cos(angle);
    switch (static_cast<int>(fmod(halves, 4.0)) & 3) {
        case 0: *sine = s, *cosine = c; break;
        case 1: *sine = c, *cosine = -s; break;
        case 2: *sine = -s, *cosine = -c; break;
        default: *sine = -c, *cosine = s; break;
    }
}
SIMT_INLINE double sinpi(double x) {
    double sine, cosine;
    sincospi(x, &sine, &cosine);
    return sine;
}
SIMT_INLINE double cospi(double x) {
    double sine, cosine;
    sincospi(x, &sine, &cosine);
    return cosine;
}
SIMT_INLINE float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
SIMT_INLINE float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
SIMT_INLINE float sinpi(float x) { return sinpif(x); }
SIMT_INLINE float cospi(float x) { return cospif(x); }
SIMT_INLINE void sincospif(float x, float* sine, float* cosine) { *sine = sinpif(x), *cosine = cospif(x); }
SIMT_INLINE void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }
SIMT_INLINE void sincos(float x, float* sine, float* cosine) { *sine = sinf(x), *cosine = cosf(x); }

// ---- The normal distribution and the error function.
SIMT_INLINE double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

/// The inverse of normcdf: the rational approximation of P. J. Acklam (relative error 1.2e-9), and two steps of
/// Halley's method.
inline double normcdfinv(double p) {
    if (!(p > 0.0 && p < 1.0)) return p == 0.0 ? -HUGE_VAL : p == 1.0 ? HUGE_VAL : NAN;
    constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                            1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
    constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                            6.680131188771972e+01, -1.328068155288572e+01};
    constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                            -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
    constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
    const bool upper = p > 0.5;
    const double tail = upper ? 1.0 - p : p;
    double x;
    if (tail < 0.02425) {
        const double q = sqrt(-2.0 * log(tail));
        x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
            ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1.0);
    } else {
        const double q = tail - 0.5, r = q * q;
        x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
            (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1.0);
    }
    for (int step = 0; step < 2; ++step) {
        const double error = (normcdf(x) - tail) * 2.50662827463100050242 * exp(0.5 * x * x);
        x -= error / (1.0 + 0.5 * x * error);
    }
    return upper ? -x : x;
}
SIMT_INLINE double erfcinv(double x) { return -0.70710678118654752440 * normcdfinv(0.5 * x); }
SIMT_INLINE double erfinv(double x) { return x < 0.0 ? -erfcinv(1.0 + x) : erfcinv(1.0 - x); }

/// exp(x * x) * erfc(x): the product while both factors are in range, then the asymptotic series.
inline double erfcx(double x) {
    if (x < 25.0) return exp(x * x) * erfc(x);
    double term = 1.0, sum = 1.0;
    for (int k = 1; k < 10; ++k) sum += term *= -(2 * k - 1) / (2.0 * x * x);
    return sum / (x * 1.77245385090551602730);
}
SIMT_INLINE float normcdff(float x) { return static_cast<float>(normcdf(x)); }
SIMT_INLINE float normcdfinvf(float x) { return static_cast<float>(normcdfinv(x)); }
SIMT_INLINE float erfinvf(float x) { return static_cast<float>(erfinv(x)); }
SIMT_INLINE float erfcinvf(float x) { return static_cast<float>(erfcinv(x)); }
SIMT_INLINE float erfcxf(float x) { return static_cast<float>(erfcx(x)); }
SIMT_INLINE float normcdf(float x) { return normcdff(x); }
SIMT_INLINE float erfinv(float x) { return erfinvf(x); }

// ---- Modified Bessel functions of the first kind: the power series, which converges for every x.
namespace simt::arithmetic {
inline double modified_bessel(int order, double x) {
    double term = order == 0 ? 1.0 : 0.5 * x, sum = term;
    for (int k = 1; k < 2000 && fabs(term) > 1e-17 * fabs(sum); ++k)
        sum += term *= 0.25 * x * x / (static_cast<double>(k) * (k + order));
    return sum;
}
}  // namespace simt::arithmetic
SIMT_INLINE double cyl_bessel_i0(double x) { return simt::arithmetic::modified_bessel(0, x); }
SIMT_INLINE double cyl_bessel_i1(double x) { return simt::arithmetic::modified_bessel(1, x); }
SIMT_INLINE float cyl_bessel_i0f(float x) { return static_cast<float>(simt::arithmetic::modified_bessel(0, x)); }
SIMT_INLINE float cyl_bessel_i1f(float x) { return static_cast<float>(simt::arithmetic::modified_bessel(1, x)); }
