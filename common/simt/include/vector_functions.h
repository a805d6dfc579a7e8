// SPDX-License-Identifier: MIT
// make_float4(x, y, z, w) and its family: one constructor function per short vector of vector_types.h.
#pragma once
#define __VECTOR_FUNCTIONS_H__  // programs test for it

#include "simt/declare.h"
#include "vector_types.h"

#define SIMT_MAKE_VECTOR4(name, scalar)                                                    \
    SIMT_INLINE SIMT_CONSTEXPR name make_##name(scalar x, scalar y, scalar z, scalar w) {  \
        return SIMT_VALUE(name, x, y, z, w);                                               \
    }
#define SIMT_MAKE_VECTORS(prefix, scalar)                                                                           \
    SIMT_INLINE SIMT_CONSTEXPR prefix##1 make_##prefix##1(scalar x) { return SIMT_VALUE(prefix##1, x); }            \
    SIMT_INLINE SIMT_CONSTEXPR prefix##2 make_##prefix##2(scalar x, scalar y) {                                     \
        return SIMT_VALUE(prefix##2, x, y);                                                                         \
    }                                                                                                               \
    SIMT_INLINE SIMT_CONSTEXPR prefix##3 make_##prefix##3(scalar x, scalar y, scalar z) {                           \
        return SIMT_VALUE(prefix##3, x, y, z);                                                                      \
    }                                                                                                               \
    SIMT_MAKE_VECTOR4(prefix##4, scalar)

SIMT_MAKE_VECTORS(char, signed char)
SIMT_MAKE_VECTORS(uchar, unsigned char)
SIMT_MAKE_VECTORS(short, short)
SIMT_MAKE_VECTORS(ushort, unsigned short)
SIMT_MAKE_VECTORS(int, int)
SIMT_MAKE_VECTORS(uint, unsigned int)
SIMT_MAKE_VECTORS(long, long)
SIMT_MAKE_VECTORS(ulong, unsigned long)
SIMT_MAKE_VECTORS(longlong, long long)
SIMT_MAKE_VECTORS(ulonglong, unsigned long long)
SIMT_MAKE_VECTORS(float, float)
SIMT_MAKE_VECTORS(double, double)

SIMT_MAKE_VECTOR4(long4_16a, long)
SIMT_MAKE_VECTOR4(long4_32a, long)
SIMT_MAKE_VECTOR4(ulong4_16a, unsigned long)
SIMT_MAKE_VECTOR4(ulong4_32a, unsigned long)
SIMT_MAKE_VECTOR4(longlong4_16a, long long)
SIMT_MAKE_VECTOR4(longlong4_32a, long long)
SIMT_MAKE_VECTOR4(ulonglong4_16a, unsigned long long)
SIMT_MAKE_VECTOR4(ulonglong4_32a, unsigned long long)
SIMT_MAKE_VECTOR4(double4_16a, double)
SIMT_MAKE_VECTOR4(double4_32a, double)

#undef SIMT_MAKE_VECTOR4
#undef SIMT_MAKE_VECTORS
