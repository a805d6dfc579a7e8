// SPDX-License-Identifier: MIT
// The toolkit's C++ library (cuda::std, cuda::atomic, Thrust) decides in this header whether nvcc compiles it. simcc
// defines __CUDACC__ and __NVCC__ for the sake of programs that ask; this library must take its paths for a host compiler instead,
// or it would use the GPU's instructions.
#pragma GCC system_header

// The toolkit's 8-bit floats use members of its own half type.
#define CCCL_DISABLE_NVFP8_SUPPORT

#pragma push_macro("__CUDACC__")
#pragma push_macro("__CUDA_ARCH__")
#pragma push_macro("__NVCC__")
#undef __CUDACC__
#undef __NVCC__
#undef __CUDA_ARCH__
#include_next <cuda/std/__cccl/compiler.h>
#pragma pop_macro("__NVCC__")
#pragma pop_macro("__CUDA_ARCH__")
#pragma pop_macro("__CUDACC__")
