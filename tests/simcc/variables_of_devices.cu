// SPDX-License-Identifier: MIT
// Each device has variables of its own: what one is given, or its kernels write, the others do not see.
#include <cstdio>

__device__ int counter = 10;
__constant__ int factor = 1;
__device__ const int hundred = 100;
__managed__ int of_all = 0;

__global__ void count() { atomicAdd(&counter, factor); }
__global__ void tell(int* out) {
    *out = 10 * hundred * factor + counter;
    atomicAdd(&of_all, 1);
}

int main() {
    constexpr int devices = 3;
    int* out[devices];
    for (int device = 0; device < devices; ++device) {
        cudaSetDevice(device);
        cudaMallocManaged(&out[device], sizeof(int));
        const int mine = device + 1;
        if (device > 0) cudaMemcpyToSymbol(factor, &mine, sizeof mine);
    }
    for (int round = 0; round < 5; ++round)
        for (int device = 0; device < devices; ++device) {
            cudaSetDevice(device);
            count<<<4, 64>>>();
        }
    for (int device = 0; device < devices; ++device) {
        cudaSetDevice(device);
        tell<<<1, 1>>>(out[device]);
        int there = 0;
        cudaMemcpyFromSymbol(&there, counter, sizeof there);
        cudaDeviceSynchronize();
        printf("device %d: %d, counter %d\n", device, *out[device], there);
    }
    cudaSetDevice(1);
    int* address;
    cudaGetSymbolAddress((void**)&address, counter);
    cudaMemset(address, 0, sizeof *address);
    for (int device = 0; device < 2; ++device) {
        int there = 0;
        cudaSetDevice(device);
        cudaMemcpyFromSymbol(&there, counter, sizeof there);
        printf("device %d: counter %d\n", device, there);
    }
    printf("all devices: %d\n", of_all);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
