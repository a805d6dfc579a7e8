// SPDX-License-Identifier: MIT
// How the simulator's headers declare the CUDA runtime API.
#pragma once

// C programs see the API as C++ programs do, without overloads, templates and default arguments.
#ifdef __cplusplus
#define SIMT_C extern "C"
#define SIMT_DEFAULT(value) = value
#else
#define SIMT_C extern
#define SIMT_DEFAULT(value)
#endif

// Declares a runtime function under the linker symbol simt_NAME, so that the simulator and NVIDIA's libcudart can be
// linked into one executable; the source still says NAME.
#define SIMT_API(name, ...) SIMT_C cudaError_t name(__VA_ARGS__) __asm__("simt_" #name)
#define SIMT_API_RETURNING(type, name, ...) SIMT_C type name(__VA_ARGS__) __asm__("simt_" #name)

// Small functions that kernels call. They are always inlined: the fast and the instrumented build of a program may be
// linked together, and a shared out-of-line copy would belong to only one of them.
#ifdef __cplusplus
#define SIMT_INLINE __attribute__((always_inline)) inline
#else
#define SIMT_INLINE static __attribute__((always_inline)) __inline__
#endif

// In C, and in C++ before C++11, a value of a struct is a compound literal.
#if defined(__cplusplus) && __cplusplus >= 201103L
#define SIMT_CONSTEXPR constexpr
#define SIMT_VALUE(type, ...) type{__VA_ARGS__}
#else
#define SIMT_CONSTEXPR
#define SIMT_VALUE(type, ...) __extension__(type){__VA_ARGS__}
#endif
