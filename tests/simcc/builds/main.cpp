// SPDX-License-Identifier: MIT
// A host program in C++ of any age.
#include <cuda_runtime.h>

#include <cstdio>

#include "weighted.h"

int main() {
    float values[64], result = 0;
    float *d_values = 0, *d_sum = 0;
    const dim3 size(1, 2);
    for (int i = 0; i < 64; ++i) values[i] = static_cast<float>(i);
    if (cudaMalloc(&d_values, sizeof values) || cudaMalloc(&d_sum, sizeof(float))) return 1;
    if (cudaMemset(d_sum, 0, sizeof(float))) return 1;
    if (cudaMemcpy(d_values, values, sizeof values, cudaMemcpyHostToDevice)) return 1;
    if (weighted_sum(d_values, 64, d_sum, 0)) return 1;
    if (cudaMemcpyAsync(&result, d_sum, sizeof(float), cudaMemcpyDeviceToHost)) return 1;
    if (cudaDeviceSynchronize()) return 1;
    std::printf("%.1f %u\n", result, size.y + size.z);
    return cudaFree(d_values) || cudaFree(d_sum);
}
