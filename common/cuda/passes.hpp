// SPDX-License-Identifier: MIT
// nvcc compiles a source once for the host and once for each architecture, where it takes only the kernels. To save
// that time, a program's source puts code without kernels within #if HOST_PASS. Every kernel must be instantiated
// outside of it, for example by a table of variants.
#pragma once

#if defined(__CUDA_ARCH__) && !defined(__SIMCC__)
#define HOST_PASS 0
#else
#define HOST_PASS 1
#endif
