// SPDX-License-Identifier: MIT
// Threads that come back for what others have not done yet.
#include <cstdio>

__global__ void fill(int n, volatile int* values) {
    const int step = gridDim.x * blockDim.x;
    int missing;
    do {
        missing = 0;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
            if (values[i] != 0) continue;
            const int from = i + 1 < n ? values[i + 1] : 1;
            if (from == 0) {
                missing = 1;
            } else {
                values[i] = from + 1;
            }
        }
    } while (missing != 0);
}

int main() {
    const int n = 1000;
    int* values;
    cudaMallocManaged(&values, n * sizeof(int));
    for (int i = 0; i < n; ++i) values[i] = 0;
    fill<<<4, 64>>>(n, values);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s: first %d, last %d\n", cudaGetErrorString(error), values[0], values[n - 1]);
}
