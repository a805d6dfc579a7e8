// SPDX-License-Identifier: MIT
// Threads of all blocks draw tickets from one counter, some of them from two in turn.
#include <cstdio>

__global__ void draw(unsigned* counters, unsigned* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[atomicAdd(&counters[0], 1u)] = i;
    if (i % 5 == 0) atomicAdd(&counters[1 + i % 2], atomicAdd(&counters[3], 2u) % 2 + 1);
}

int main() {
    const int n = 1000003;
    unsigned *counters, *out;
    cudaMallocManaged(&counters, 4 * sizeof *counters);
    cudaMallocManaged(&out, n * sizeof *out);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 4; ++i) counters[i] = 0;
        for (int i = 0; i < n; ++i) out[i] = n;
        draw<<<(n + 255) / 256, 256>>>(counters, out, n);
        const cudaError_t error = cudaDeviceSynchronize();
        unsigned long long sum = 0;
        bool drawn = true;
        for (int i = 0; i < n; ++i) sum += out[i], drawn &= out[i] < n;
        printf("%s: %u %u %u %u, %d, sum %llu\n", cudaGetErrorString(error), counters[0], counters[1], counters[2],
               counters[3], drawn, sum);
    }
}
