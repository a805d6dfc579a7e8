// SPDX-License-Identifier: MIT
#include <cstdio>
#include "separate.h"

__constant__ int shared_factor = 10;
__global__ void own(int* out) { out[1] = twice(21) + shared_counter; }
inline __device__ int in_both_files(int x) { return x + 1; }
__global__ void also_own(int* out) { out[2] = in_both_files(1); }

int main() {
    int* out;
    cudaMallocManaged(&out, 16);
    launch_tally(3, out);
    tally<<<1, 1>>>(out);
    own<<<1, 1>>>(out);
    also_own<<<1, 1>>>(out);
    cudaError_t status = cudaDeviceSynchronize();
    printf("%d %d %d %s\n", out[0], out[1], out[2], describe(status));
}
