// SPDX-License-Identifier: MIT
// cuda_runtime.h as C programs see it, and C++ programs without kernels before C++17: the API, its types and their
// constructors, and CUDA's qualifiers, which mean nothing to host code.
#pragma once

#include <limits.h>
#include <stddef.h>

#define __host__
#define __device__
#define __global__
#define __constant__
#define __shared__
#define __managed__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(bytes) __attribute__((aligned(bytes)))

#include "cuda_runtime_api.h"
#include "library_types.h"
#include "vector_functions.h"

SIMT_INLINE struct cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
    const struct cudaPitchedPtr value = {pointer, pitch, width, height};
    return value;
}
SIMT_INLINE struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
    const struct cudaExtent value = {width, height, depth};
    return value;
}
SIMT_INLINE struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    const struct cudaPos value = {x, y, z};
    return value;
}
