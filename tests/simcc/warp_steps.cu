// SPDX-License-Identifier: MIT
// Sums and scans of a warp as they were written before Volta: without __syncwarp(). On a later GPU they may be wrong, so
// compile them for sm_60.
#include <cstdio>

__device__ void warp_sum(volatile float* s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}

__global__ void sum(const float* in, float* out) {
    __shared__ float s[128];
    const int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) warp_sum(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}

// Each step reads what the lane before has stored in the last one, and may not see what it stores in this one.
__global__ void scan(int* data) {
    __shared__ volatile int s[128];
    int i = 2 * threadIdx.x - (threadIdx.x & 31);
    s[i] = 0;
    i += 32;
    s[i] = data[threadIdx.x];
    for (int distance = 1; distance < 32; distance *= 2) s[i] += s[i - distance];
    data[threadIdx.x] = s[i];
}

int main() {
    const int blocks = 16, n = blocks * 128;
    float *in, *out;
    int* data;
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, blocks * sizeof *out);
    cudaMallocManaged(&data, 64 * sizeof *data);
    float expected = 0;
    for (int i = 0; i < n; ++i) expected += in[i] = i % 7;
    for (int i = 0; i < 64; ++i) data[i] = i;
    sum<<<blocks, 128>>>(in, out);
    scan<<<1, 64>>>(data);
    cudaDeviceSynchronize();
    float total = 0;
    for (int i = 0; i < blocks; ++i) total += out[i];
    std::printf("%s, %d, %d\n", total == expected ? "right" : "wrong", data[31], data[63]);
}
