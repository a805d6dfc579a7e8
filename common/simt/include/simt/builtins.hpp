// SPDX-License-Identifier: MIT
// CUDA's additions to C++: function and variable qualifiers, and the built-in variables.
//
// simcc's rewriter turns threadIdx, blockIdx, blockDim and gridDim into calls of the functions below.
#pragma once

#include "simt/identity.hpp"
#include "vector_types.h"

// In a .cu file simcc defines these as themselves, so they stay in the text for its rewriter to read and remove.
#ifndef __global__
#define __global__
#define __device__
#define __host__
#define __managed__
#define __constant__
#define __grid_constant__
#endif
// In a .cu file the rewriter reads the bounds from this attribute, which it removes.
#ifdef __SIMCC__
#define __launch_bounds__(...) __attribute__((simt_launch_bounds(__VA_ARGS__)))
#else
#define __launch_bounds__(...)
#endif
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__ inline
#ifndef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif
#define __builtin_align__(bytes) __align__(bytes)
#define __no_return__ __attribute__((noreturn))
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __cudart_builtin__
// One block at a time runs on an OS thread, so a thread-local variable is shared by exactly the lanes of a block. The
// runtime saves and restores these variables when it suspends a block. 128 bytes keep arrays apart and allow any
// access. (In checked code they count as used in ways that the compiler does not see: it would otherwise replace loads
// of a variable that nothing writes by its initial value, and there would be no access to check.)
#if defined(__PIC__) && !defined(__PIE__)
#define SIMT_SHARED_ACCESS
#else
// An access gets the variable's address and then adds an offset. Else g++ may put both into 32 bits of one instruction,
// which the linker refuses if a path that no thread takes has an index such as 0xffffffff.
#define SIMT_SHARED_ACCESS , tls_model("initial-exec")
#endif
#ifdef SIMT_CHECKED
#define __shared__ __attribute__((aligned(128), used SIMT_SHARED_ACCESS)) thread_local
#else
#define __shared__ __attribute__((aligned(128) SIMT_SHARED_ACCESS)) thread_local
#endif

/// The dynamic part of a block's shared memory: the rewriter turns `extern __shared__` into this.
extern "C" __thread char simt_dynamic_shared[];

namespace simt {
inline namespace SIMT_FLAVOR {

SIMT_IDENTITY uint3 thread_index() { return {lane_identity.x, lane_identity.y, lane_identity.z}; }
SIMT_IDENTITY uint3 block_index() { return {block_identity.index_x, block_identity.index_y, block_identity.index_z}; }
SIMT_IDENTITY dim3 block_dim() { return {block_identity.dim_x, block_identity.dim_y, block_identity.dim_z}; }
SIMT_IDENTITY unsigned worker_index() { return block_identity.worker; }
SIMT_IDENTITY dim3 grid_dim() { return {block_identity.grid_x, block_identity.grid_y, block_identity.grid_z}; }

SIMT_INLINE void* dynamic_shared() { return simt_dynamic_shared; }

}  // namespace SIMT_FLAVOR
}  // namespace simt

/// Lanes of a warp. A constant here, so `warpSize` may be an array size or template argument, which nvcc does not allow.
constexpr int warpSize = 32;
