// SPDX-License-Identifier: MIT
// The identity of the running lane: the variables behind threadIdx, blockIdx, blockDim and gridDim.
//
// The lane loop of a launch (launch.hpp) sets `x` and calls the inlined kernel. The compiler must know that no store in
// the kernel changes these variables. Then it keeps x in a register and turns the loop over a barrier-free kernel into
// the loop that one would write by hand. g++ knows this only of a static variable whose address is never taken, so that
// is what they are: never write &lane_identity. Yet all objects of a program must share them, since a template or
// inline __device__ function exists once in a program however many objects contain it. So their symbols, private to the
// compiler, are made weak for the linker, which then keeps one definition. `used` keeps the compiler from drawing
// further conclusions from `static`: without it, an object that never writes the variable would read constants.
#pragma once

#include "simt/kernel_launch.hpp"

#ifdef SIMT_CHECKED
#define SIMT_FLAVOR checked
#define SIMT_IDENTITY_SYMBOL(name) "simt_checked_" name
#else
#define SIMT_FLAVOR fast
#define SIMT_IDENTITY_SYMBOL(name) "simt_fast_" name
#endif

#define SIMT_INLINE __attribute__((always_inline)) inline

// Functions that read or write the simulator's own state. In the checked flavor, where every load and store of the
// kernel reports itself, they stay out of line and unchecked.
//   SIMT_UNCHECKED    any such function; SIMT_UNCHECKED_LAMBDA: a function object (after its parameters)
//   SIMT_IDENTITY     its result stays the same as long as a lane runs: the compiler may call it once
//   SIMT_OUT_OF_LINE  called so rarely that no kernel needs a copy of its own
#ifdef SIMT_CHECKED
// g++ 11 reports basic blocks in every function. There these functions ask for patch space, which nothing else does,
// and simcc removes the reports from functions that have it (without_coverage in driver/assembly.cpp).
#if __GNUC__ >= 12
#define SIMT_WITHOUT_COVERAGE no_sanitize_coverage
#else
#define SIMT_WITHOUT_COVERAGE patchable_function_entry(1, 0)
#endif
#define SIMT_UNCHECKED __attribute__((noinline, no_sanitize_thread, SIMT_WITHOUT_COVERAGE)) inline
#define SIMT_UNCHECKED_LAMBDA __attribute__((no_sanitize_thread, SIMT_WITHOUT_COVERAGE))
#define SIMT_IDENTITY __attribute__((const)) SIMT_UNCHECKED
#define SIMT_OUT_OF_LINE SIMT_UNCHECKED
#else
#define SIMT_UNCHECKED SIMT_INLINE
#define SIMT_UNCHECKED_LAMBDA
#define SIMT_IDENTITY SIMT_INLINE
#define SIMT_OUT_OF_LINE __attribute__((noinline, unused)) static
#endif

namespace simt {

inline namespace SIMT_FLAVOR {

#ifdef SIMT_CHECKED
constexpr bool is_checked = true;
#else
constexpr bool is_checked = false;
#endif

struct alignas(16) LaneIdentity {
    unsigned x, y, z;
    unsigned detached;  // the lane has waited: it has its own stack, and its loop no longer runs the lanes after it
};

static __thread __attribute__((used)) LaneIdentity lane_identity asm(SIMT_IDENTITY_SYMBOL("lane_identity"));
static __thread __attribute__((used)) BlockIdentity block_identity asm(SIMT_IDENTITY_SYMBOL("block_identity"));
asm(".weak " SIMT_IDENTITY_SYMBOL("lane_identity") "\n\t.hidden " SIMT_IDENTITY_SYMBOL("lane_identity"));
asm(".weak " SIMT_IDENTITY_SYMBOL("block_identity") "\n\t.hidden " SIMT_IDENTITY_SYMBOL("block_identity"));

/// Index in the block, x fastest: 0 to threads per block - 1. Divided by 32, the quotient is the warp and the remainder
/// the lane.
SIMT_IDENTITY unsigned thread_rank() {
    return lane_identity.x + block_identity.dim_x * (lane_identity.y + block_identity.dim_y * lane_identity.z);
}

SIMT_IDENTITY unsigned threads_per_block() {
    return block_identity.dim_x * block_identity.dim_y * block_identity.dim_z;
}

/// Whether this OS thread runs kernels, which no thread of the host ever does.
SIMT_IDENTITY bool on_device() { return block_identity.dim_x != 0; }

/// Whether grid.sync() is allowed.
SIMT_IDENTITY bool is_cooperative() { return block_identity.cooperative != 0; }

}  // namespace SIMT_FLAVOR
}  // namespace simt
