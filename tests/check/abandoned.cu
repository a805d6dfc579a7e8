// SPDX-License-Identifier: MIT
// Kernels that never end, one launch after the other: whatever their lanes were doing when the watchdog ended them, the
// next launch runs.
#include <cstdio>

#include "cases.cuh"

// Every lane stores to volatile variables behind fences and looks at those of others: the checkers are busy with these.
__global__ void endless(volatile int* flags) {
    const unsigned own = threadIdx.x % 4;
    while (flags[7] == 0) {
        __threadfence();
        flags[own] = flags[(own + 1) % 4] + 1;
    }
}

__global__ void endless_atomics(int* counters) {
    while (atomicMax(&counters[threadIdx.x % 4], blockIdx.x) >= 0) __threadfence();
}

__global__ void endless_allocations() {
    while (true) free(malloc(16));
}

template <class Launch>
void ends_in_time(Launch launch) {
    launch();
    std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaDeviceReset();
}

int main() {
    for (int round = 0; round < 2; ++round) {
        ends_in_time([] { endless<<<16, 32>>>(device_array<int>(8)); });
        ends_in_time([] { endless_atomics<<<16, 32>>>(device_array<int>(4)); });
        ends_in_time([] { endless_allocations<<<16, 32>>>(); });
    }
}
