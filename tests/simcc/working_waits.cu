// SPDX-License-Identifier: MIT
// A thread that works while it waits for a flag, with fences: correct before C++ had atomics.
#include <cstdio>

__device__ int value;

__global__ void hand_over(volatile int* flag, int* out, int* rounds) {
    if (threadIdx.x == 0) {
        int n = 0;
        while (*flag == 0) {
            ++n;
            rounds[0] = n;
            __threadfence();
        }
        __threadfence();
        out[0] = value;
    }
    if (threadIdx.x == 40) {
        value = 42;
        __threadfence();
        *flag = 1;
    }
}

__global__ void hand_over_within_block(int* out) {
    __shared__ volatile int ready;
    __shared__ int shared_value;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        int tries = 0;
        do {
            tries += 3;
            __threadfence_block();
            if (ready) break;
        } while (true);
        out[1] = shared_value + (tries > 0);
    }
    if (threadIdx.x == 0) {
        shared_value = 6;
        __threadfence_block();
        ready = 1;
    }
}

// A counter in shared memory that is looked at before it is changed.
__global__ void limited(int* out) {
    __shared__ int count, largest;
    if (threadIdx.x == 0) count = largest = 0;
    __syncthreads();
    if (count < 10) atomicAdd(&count, 1);
    if (largest < int(threadIdx.x)) atomicMax(&largest, int(threadIdx.x));
    __syncthreads();
    if (threadIdx.x == 0) out[2] = count >= 10 && largest == 63;
}

int main() {
    int *flag, *out, *rounds;
    cudaMallocManaged(&flag, sizeof *flag);
    cudaMallocManaged(&out, 3 * sizeof *out);
    cudaMallocManaged(&rounds, sizeof *rounds);
    *flag = *rounds = 0;
    hand_over<<<1, 64>>>(flag, out, rounds);
    hand_over_within_block<<<1, 64>>>(out);
    limited<<<1, 64>>>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s %d %d %d\n", cudaGetErrorName(error), out[0], out[1], out[2]);
}
