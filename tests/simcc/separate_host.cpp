// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

const char* describe(cudaError_t status) { return cudaGetErrorString(status); }
