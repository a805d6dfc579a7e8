// SPDX-License-Identifier: MIT
// Needs relocatable device code: the weights are another file's.
#include "weighted.h"

extern __constant__ float first_weight;
__device__ float weight(int i);

__global__ void sum_block(const float* values, int count, float* sum) {
    __shared__ float of_thread[64];
    extern __shared__ float copies[];
    const int i = static_cast<int>(threadIdx.x);
    copies[i] = i < count ? values[i] : 0;
    __syncthreads();
    of_thread[63 - i] = first_weight * weight(i) * copies[i];
    __syncthreads();
    if (i != 0) return;
    for (int k = 0; k < 64; ++k) *sum += of_thread[k];
}

cudaError_t weighted_sum(const float* values, int count, float* sum, cudaStream_t stream) {
    sum_block<<<1, 64, 64 * sizeof(float), stream>>>(values, count, sum);
    return cudaGetLastError();
}
