// SPDX-License-Identifier: MIT
// CUDA error checking with expression, location and remedy. The cold path is out of line: a check costs one comparison.
//
// The room wraps CUDA thinly, once for each backend. For host code: devices, memory, streams and events that free
// themselves (device, buffers, host_memory), copies through them (staged_copy, peer_access), a filter's pieces on several
// devices (slots), the shape of a launch (launch_shape) and NVIDIA's libraries, loaded at run time (library.hpp, cublas).
// For kernels: what blocks and warps do together, and instructions that C++ does not have. Errors go out as failures.
#pragma once

#include <cuda_runtime.h>

namespace BACKEND {

// Throws Failure(cuda_error): "common/cuda/buffers.cuh:28: cudaMalloc(16.0 GiB): out of memory (cudaError...); REMEDY".
[[noreturn]] void fail_cuda(cudaError_t error, const char* expression, const char* file, int line);

inline void check(cudaError_t error, const char* expression, const char* file, int line) {
    if (__builtin_expect(error != cudaSuccess, 0)) fail_cuda(error, expression, file, line);
}

}  // namespace BACKEND

#define CHECK(expression) ::BACKEND::check((expression), #expression, __FILE__, __LINE__)
