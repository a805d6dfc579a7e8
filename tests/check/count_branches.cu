// SPDX-License-Identifier: MIT
// Branches that the lanes of a warp take together or not. The loads in them keep g++ from computing both sides.
#include <cstdio>

// Odd and even lanes go different ways.
__global__ void parity(float* data) {
    if (threadIdx.x % 2 == 0)
        data[threadIdx.x] += 1;
    else
        data[threadIdx.x] *= 2;
}

// Odd and even warps do.
__global__ void warp_parity(float* data) {
    if (threadIdx.x / 32 % 2 == 0)
        data[threadIdx.x] += 1;
    else
        data[threadIdx.x] *= 2;
}

// Both in a loop: the lanes meet again in each round.
__global__ void parity_in_loop(volatile float* data) {
    for (int round = 0; round < 500; ++round) {
        if ((threadIdx.x + round) % 2 == 0)
            data[threadIdx.x] = 1;
        else
            data[threadIdx.x + 64] = 2;
        data[threadIdx.x + 128] = 3;
    }
}

// Lane n leaves the loop after n + 1 rounds and waits for the others: 16.5 lanes are in it on average.
__global__ void trip_counts(volatile float* data) {
    for (unsigned round = 0; round <= threadIdx.x; ++round) data[threadIdx.x] = 1;
    data[threadIdx.x + 64] = 2;
}

// The same again and again, with so many stores that lanes which are ahead wait for logs of others in each round.
__global__ void trip_counts_again(volatile float* data) {
    for (unsigned round = 0; round < 3; ++round) {
        unsigned left = 1 + (threadIdx.x + round) % 32;
        do {
#pragma unroll
            for (unsigned store = 0; store < 16; ++store) data[threadIdx.x + store] = 1;
        } while (--left > 0);
    }
}

// A branch in a branch, with a meeting point for both.
__global__ void nested(volatile float* data) {
    if (threadIdx.x < 16) {
        if (threadIdx.x < 8)
            data[threadIdx.x] = 1;
        else
            data[threadIdx.x + 64] = 2;
        data[threadIdx.x + 128] = 3;
    }
    data[threadIdx.x + 192] = 4;
}

// All lanes of all warps go the same way: still a branch.
__global__ void always(volatile float* data, int n) {
    if (threadIdx.x < n) data[threadIdx.x] = 1;
}

__global__ void several_ways(volatile float* data) {
    switch (threadIdx.x % 4) {
        case 0: data[threadIdx.x] = 1; break;
        case 1: data[threadIdx.x + 64] = 2; break;
        case 2: data[threadIdx.x + 128] = 3; break;
        default: data[threadIdx.x + 192] = 4;
    }
    data[threadIdx.x + 256] = 5;
}

__global__ void early_exit(volatile float* data, int n) {
    if (threadIdx.x >= n) return;
    data[threadIdx.x] = 1;
    __syncwarp(0xff);
    data[threadIdx.x + 64] = 2;
}

int main() {
    float* data;
    if (cudaMalloc(&data, 4096) != cudaSuccess) return 1;
    cudaMemset(data, 0, 4096);
    parity<<<1, 64>>>(data);
    warp_parity<<<1, 64>>>(data);
    parity_in_loop<<<1, 64>>>(data);
    trip_counts<<<1, 32>>>(data);
    trip_counts_again<<<1, 32>>>(data);
    nested<<<1, 32>>>(data);
    always<<<1, 64>>>(data, 64);
    several_ways<<<1, 32>>>(data);
    early_exit<<<1, 32>>>(data, 8);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
