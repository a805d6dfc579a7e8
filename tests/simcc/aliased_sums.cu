// SPDX-License-Identifier: MIT
// A thread that adds to memory sees its own sums at once, whatever other name it has for them.
#include <cstdio>

constexpr int blocks = 64, threads = 32, n = blocks * threads;

__device__ int table[n];
__device__ int* names;
struct Names {
    const int* same;
};

// Adds to sums[i] twice, and counts where it reads something else behind that.
__global__ void by_parameter(int* sums, const int* same, int* wrong) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[i], 2);
    atomicAdd(&sums[i], 3);
    if (same[i] != 5) atomicAdd(wrong, 1);
}
__global__ void by_variable(int* sums, int* wrong) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[i], 2);
    atomicAdd(&sums[i], 3);
    if (names[i] != 5) wrong[i] = 1;
}
__global__ void by_object(int* sums, Names all, int* wrong) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[i], 2);
    atomicAdd(&sums[i], 3);
    if (all.same[i] != 5) wrong[i] = 1;
}
__device__ int read(int i) { return table[i]; }
__global__ void by_function(int* sums, int* wrong) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[i], 2);
    atomicAdd(&sums[i], 3);
    if (read(i) != 5) wrong[i] = 1;
}
__global__ void by_pointer(int* sums, int** all, int* wrong) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[i], 2);
    atomicAdd(&sums[i], 3);
    if (all[0][i] != 5) wrong[i] = 1;
}
__global__ void by_write(int* sums, int* same, int* wrong) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&sums[i], 2);
    atomicAdd(&sums[i], 2);
    same[i] = 5;
}

int *sums, *wrong;
void tell(const char* name, const int* result) {
    cudaDeviceSynchronize();
    int count = 0;
    for (int i = 0; i < n; ++i) count += wrong[i] + (result[i] != 5);
    printf("%s: %d wrong\n", name, count);
    cudaMemset(sums, 0, n * sizeof(int));
    cudaMemset(wrong, 0, n * sizeof(int));
    cudaDeviceSynchronize();
}

int main() {
    int *in_table, **all, *copy = new int[n];
    cudaMallocManaged(&sums, n * sizeof(int));
    cudaMallocManaged(&wrong, n * sizeof(int));
    cudaMallocManaged(&all, sizeof(int*));
    *all = sums;
    cudaMemcpyToSymbol(names, &sums, sizeof sums);
    cudaGetSymbolAddress(reinterpret_cast<void**>(&in_table), table);
    by_parameter<<<blocks, threads>>>(sums, sums, wrong), tell("parameter", sums);
    by_variable<<<blocks, threads>>>(sums, wrong), tell("variable", sums);
    by_object<<<blocks, threads>>>(sums, Names{sums}, wrong), tell("object", sums);
    by_function<<<blocks, threads>>>(in_table, wrong);
    cudaMemcpyFromSymbol(copy, table, n * sizeof(int));
    tell("function", copy);
    by_pointer<<<blocks, threads>>>(sums, all, wrong), tell("pointer", sums);
    by_write<<<blocks, threads>>>(sums, sums, wrong), tell("write", sums);
    delete[] copy;
}
