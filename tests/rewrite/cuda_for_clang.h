// SPDX-License-Identifier: MIT
// What clang wants declared before it reads CUDA, and the simulator's headers do not declare.
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, unsigned long shared = 0, void* stream = nullptr);
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
#undef __launch_bounds__
#define __launch_bounds__(...)  // simcc's own form of it is for its rewriter
