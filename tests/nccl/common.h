// SPDX-License-Identifier: MIT
// What the tests' programs share: checks of calls, and a kernel.
#pragma once

#include <nccl.h>

#include <cstdio>
#include <cstdlib>

#define CUDA(call)                                                             \
    do {                                                                       \
        const cudaError_t error = (call);                                      \
        if (error != cudaSuccess) {                                            \
            std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error)); \
            std::exit(4);                                                      \
        }                                                                      \
    } while (0)
#define NCCL(call)                                                                                         \
    do {                                                                                                   \
        const ncclResult_t error = (call);                                                                 \
        if (error != ncclSuccess) {                                                                        \
            std::printf("line %d: %s: %s\n", __LINE__, ncclGetErrorString(error), ncclGetLastError(NULL)); \
            std::exit(5);                                                                                  \
        }                                                                                                  \
    } while (0)

static __global__ void fill(float* values, int n, float value) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] = value;
}
