// SPDX-License-Identifier: MIT
// CUDA's short vectors (float4, uint2, ...) and dim3: names, members and alignments that device code relies on.
#pragma once
#define __VECTOR_TYPES_H__  // programs test for it

#include "simt/declare.h"

// The instrumented build copies a vector in one access of its whole size, so that the simulator sees the single 8- or
// 16-byte request that a GPU would issue; the fast build leaves copies to the compiler.
#ifdef SIMT_CHECKED
#include "simt/vector_copy.hpp"
#else
#define SIMT_VECTOR2_COPY(vector, scalar)
#define SIMT_VECTOR4_COPY(vector, scalar)
#endif

#define SIMT_VECTOR1(name, scalar) \
    typedef struct name { scalar x; } name;
#define SIMT_VECTOR2(name, scalar, alignment) \
    typedef struct __attribute__((aligned(alignment))) name { scalar x, y; SIMT_VECTOR2_COPY(name, scalar) } name;
#define SIMT_VECTOR3(name, scalar) \
    typedef struct name { scalar x, y, z; } name;
#define SIMT_VECTOR4(name, scalar, alignment) \
    typedef struct __attribute__((aligned(alignment))) name { scalar x, y, z, w; SIMT_VECTOR4_COPY(name, scalar) } name;

// One scalar's family of vectors, aligned to their size up to 16 bytes, the widest access of a GPU.
#define SIMT_VECTORS(prefix, scalar, alignment2, alignment4) \
    SIMT_VECTOR1(prefix##1, scalar)                          \
    SIMT_VECTOR2(prefix##2, scalar, alignment2)              \
    SIMT_VECTOR3(prefix##3, scalar)                          \
    SIMT_VECTOR4(prefix##4, scalar, alignment4)

SIMT_VECTORS(char, signed char, 2, 4)
SIMT_VECTORS(uchar, unsigned char, 2, 4)
SIMT_VECTORS(short, short, 4, 8)
SIMT_VECTORS(ushort, unsigned short, 4, 8)
SIMT_VECTORS(int, int, 8, 16)
SIMT_VECTORS(uint, unsigned int, 8, 16)
SIMT_VECTORS(long, long, 16, 16)
SIMT_VECTORS(ulong, unsigned long, 16, 16)
SIMT_VECTORS(longlong, long long, 16, 16)
SIMT_VECTORS(ulonglong, unsigned long long, 16, 16)
SIMT_VECTORS(float, float, 8, 16)
SIMT_VECTORS(double, double, 16, 16)

/// CUDA 13 names the alignment of the 32-byte vectors.
SIMT_VECTOR4(long4_16a, long, 16)
SIMT_VECTOR4(long4_32a, long, 32)
SIMT_VECTOR4(ulong4_16a, unsigned long, 16)
SIMT_VECTOR4(ulong4_32a, unsigned long, 32)
SIMT_VECTOR4(longlong4_16a, long long, 16)
SIMT_VECTOR4(longlong4_32a, long long, 32)
SIMT_VECTOR4(ulonglong4_16a, unsigned long long, 16)
SIMT_VECTOR4(ulonglong4_32a, unsigned long long, 32)
SIMT_VECTOR4(double4_16a, double, 16)
SIMT_VECTOR4(double4_32a, double, 32)

#undef SIMT_VECTOR1
#undef SIMT_VECTOR2
#undef SIMT_VECTOR3
#undef SIMT_VECTOR4
#undef SIMT_VECTORS

/// A launch extent: omitted axes are 1.
typedef struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus

    /// (Always inlined: the simulator's own functions use it, and they are not instrumented.)
    __attribute__((always_inline)) SIMT_CONSTEXPR dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
    __attribute__((always_inline)) SIMT_CONSTEXPR dim3(uint3 extent) : x(extent.x), y(extent.y), z(extent.z) {}
    __attribute__((always_inline)) SIMT_CONSTEXPR operator uint3() const { return SIMT_VALUE(uint3, x, y, z); }
#endif
} dim3;
