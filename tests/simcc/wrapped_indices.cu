// SPDX-License-Identifier: MIT
// Unsigned indices of shared memory below 0: addresses of shared memory have 32 bits.
#include <cstdio>

__global__ void reverse(int* data) {
    __shared__ int s[64];
    const unsigned t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    data[t] = (s + 64)[~t];
}

__global__ void shift(int* data, unsigned distance) {
    extern __shared__ int s[];
    int* const middle = s + 32;
    const unsigned t = threadIdx.x;
    s[t] = data[t];
    __syncthreads();
    data[t] = t < distance ? middle[t - 32] : middle[t - 32 - distance];
}

int main() {
    int* data;
    cudaMallocManaged(&data, 64 * sizeof *data);
    for (int i = 0; i < 64; ++i) data[i] = i;
    reverse<<<1, 64>>>(data);
    shift<<<1, 64, 64 * sizeof(int)>>>(data, 5);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 64; i += 9) std::printf("%d ", data[i]);
    std::printf("\n");
}
