// SPDX-License-Identifier: MIT
// How the simulator's headers declare the CUDA runtime API.
#pragma once

// Declares a runtime function under the linker symbol simt_NAME, so that the simulator and NVIDIA's libcudart can be
// linked into one executable; the source still says NAME.
#define SIMT_API(name, ...) extern "C" cudaError_t name(__VA_ARGS__) __asm__("simt_" #name)
#define SIMT_API_RETURNING(type, name, ...) extern "C" type name(__VA_ARGS__) __asm__("simt_" #name)

// Small functions that kernels call. They are always inlined: the fast and the instrumented build of a program may be
// linked together, and a shared out-of-line copy would belong to only one of them.
#define SIMT_INLINE __attribute__((always_inline)) inline
