// SPDX-License-Identifier: MIT
// A program that ends as the argument says, after a launch that writes out of bounds:
//   running   while its kernel may still run
//   failing   after many calls that return the kernel's error
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void write_behind(int* out, int n) {
    out[threadIdx.x + n] = 1;
    if (threadIdx.x == 0) printf("ran\n");
}

int main(int, char** argv) {
    int* out = nullptr;
    cudaMalloc(&out, 32 * sizeof(int));
    write_behind<<<1, 32>>>(out, 1);
    if (std::strcmp(argv[1], "running") == 0) return 0;
    cudaDeviceSynchronize();
    cudaDeviceSynchronize();
    cudaMemset(out, 0, 32 * sizeof(int));
    cudaFree(out);
}
