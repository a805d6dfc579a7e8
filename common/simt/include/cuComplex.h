// SPDX-License-Identifier: MIT
// Complex numbers of single and double precision, as functions on float2 and double2.
#pragma once
#define CU_COMPLEX_H_  // programs test for it

#include "simt/declare.h"
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

// The same functions for both precisions: `f` is the suffix of the single-precision names.
#define SIMT_COMPLEX(Complex, Real, f)                                                                              \
    SIMT_INLINE Real cuCreal##f(Complex a) { return a.x; }                                                          \
    SIMT_INLINE Real cuCimag##f(Complex a) { return a.y; }                                                          \
    SIMT_INLINE Complex make_##Complex(Real x, Real y) { return SIMT_VALUE(Complex, x, y); }                                    \
    SIMT_INLINE Complex cuConj##f(Complex a) { return SIMT_VALUE(Complex, a.x, -a.y); }                                         \
    SIMT_INLINE Complex cuCadd##f(Complex a, Complex b) { return SIMT_VALUE(Complex, a.x + b.x, a.y + b.y); }                   \
    SIMT_INLINE Complex cuCsub##f(Complex a, Complex b) { return SIMT_VALUE(Complex, a.x - b.x, a.y - b.y); }                   \
    SIMT_INLINE Complex cuCmul##f(Complex a, Complex b) {                                                           \
        return SIMT_VALUE(Complex, a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                               \
    }                                                                                                               \
    SIMT_INLINE Complex cuCfma##f(Complex a, Complex b, Complex c) { return cuCadd##f(cuCmul##f(a, b), c); }        \
    /* Scaled by the size of the divisor, whose square may overflow. */                                             \
    SIMT_INLINE Complex cuCdiv##f(Complex a, Complex b) {                                                           \
        const Real scale = 1 / (__builtin_fabs##f(b.x) + __builtin_fabs##f(b.y));                                   \
        const Real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                          \
        const Real inverse = 1 / (bx * bx + by * by);                                                               \
        return SIMT_VALUE(Complex, (ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse);                               \
    }                                                                                                               \
    SIMT_INLINE Real cuCabs##f(Complex a) { return __builtin_hypot##f(a.x, a.y); }
SIMT_COMPLEX(cuFloatComplex, float, f)
SIMT_COMPLEX(cuDoubleComplex, double, )
#undef SIMT_COMPLEX

SIMT_INLINE cuComplex make_cuComplex(float x, float y) { return SIMT_VALUE(cuComplex, x, y); }
SIMT_INLINE cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return SIMT_VALUE(cuDoubleComplex, a.x, a.y); }
SIMT_INLINE cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
    return SIMT_VALUE(cuFloatComplex, (float)a.x, (float)a.y);
}
