// SPDX-License-Identifier: MIT
// Shared by separate_main.cu, separate_device.cu and separate_host.cpp.
#pragma once

extern __device__ int shared_counter;
extern __constant__ int shared_factor;
__device__ int twice(int x);
__global__ void tally(int* out);

void launch_tally(int blocks, int* out);
const char* describe(cudaError_t status);
