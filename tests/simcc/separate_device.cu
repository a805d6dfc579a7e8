// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include "separate.h"

__device__ int shared_counter = 0;
__device__ int twice(int x) { return 2 * x; }
__global__ void tally(int* out) { out[0] = shared_factor * (atomicAdd(&shared_counter, 1) + 1); }
inline __device__ int in_both_files(int x) { return x + 1; }
__global__ void elsewhere(int* out) { out[2] = in_both_files(1); }

void launch_tally(int blocks, int* out) { tally<<<blocks, 1>>>(out); }
