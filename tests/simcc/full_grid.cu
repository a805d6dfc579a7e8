// SPDX-License-Identifier: MIT
// A cooperative grid as large as the device holds, and one in which a thread recurses too deeply.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>

__global__ void meet(int* counts) {
    atomicAdd(&counts[0], 1);
    cooperative_groups::this_grid().sync();
    if (threadIdx.x == 0) atomicAdd(&counts[1], counts[0]);
}

// Needs a page of stack for each step.
__device__ int descend(int depth, int* sink) {
    volatile int room[1024];
    room[depth % 1024] = depth;
    __syncwarp(1u << threadIdx.x % 32);
    return depth == 0 ? room[0] : descend(depth - 1, sink) + room[depth % 1024];
}

__global__ void meet_and_descend(int* counts, int depth) {
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == blockDim.x / 2) counts[0] = descend(depth, counts);
}

int main(int, char** arguments) {
    int depth = std::atoi(arguments[1]), block = 256, per_multiprocessor = 0, multiprocessors = 0, *counts;
    cudaMallocManaged(&counts, 2 * sizeof(int));
    counts[0] = counts[1] = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, meet, block, 0);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    const int grid = per_multiprocessor * multiprocessors;
    void* meet_arguments[] = {&counts};
    cudaLaunchCooperativeKernel(meet, grid, block, meet_arguments);
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%d blocks, %s, %d\n", grid, cudaGetErrorName(error), counts[1] == grid * grid * block);
    void* descend_arguments[] = {&counts, &depth};
    cudaLaunchCooperativeKernel(meet_and_descend, grid, block, descend_arguments);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
