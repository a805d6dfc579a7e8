// SPDX-License-Identifier: MIT
// Kernels that add to memory without reading the results, alone and beside code that depends on what has been added.
#include <cstdio>

template <typename T>
__global__ void total(T* __restrict__ sum, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sum, static_cast<T>(i % 7));
}

__global__ void histogram(unsigned* bins, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[i * 31 % 100], 1);
}

// The last block to come reads what all have added.
__global__ void total_of_last(int* sum, int* blocks, int* seen) {
    atomicAdd(sum, 1);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(blocks, 1) == static_cast<int>(gridDim.x) - 1) *seen = atomicAdd(sum, 0);
}

__device__ bool tell(int* flag) {
    __threadfence();
    atomicExch(flag, 1);
    return true;
}

// A function that the kernel calls tells another block that the addition is done; that block has another name for it.
__global__ void told(int* sum, const volatile int* same, int* flag, int* seen) {
    if (blockIdx.x == 0) {
        atomicAdd(sum, 5);
        tell(flag);
    } else {
        while (atomicAdd(flag, 0) == 0) {}
        __threadfence();
        *seen = *same;
    }
}

// It adds to an address past the end of its memory.
// `same` leads to the sums, too: behind the barrier, the block sees what its threads have added.
__global__ void seen_by_block(int* sums, const int* same, int* unequal) {
    atomicAdd(&sums[blockIdx.x], 1);
    __syncthreads();
    if (same[blockIdx.x] != static_cast<int>(blockDim.x)) unequal[blockIdx.x] = 1;
}

__global__ void outside(int* sum) { atomicAdd(sum, 1); }

template <typename T>
void print_total(const char* type) {
    const int n = 100000;
    T* sum;
    cudaMallocManaged(&sum, sizeof(T));
    *sum = 0;
    total<<<(n + 127) / 128, 128>>>(sum, n);
    cudaDeviceSynchronize();
    std::printf("%s %.0f\n", type, static_cast<double>(*sum));
    cudaFree(sum);
}

int main() {
    print_total<int>("int");
    print_total<unsigned long long>("unsigned long long");
    print_total<float>("float");
    print_total<double>("double");

    unsigned* bins;
    cudaMallocManaged(&bins, 100 * sizeof(unsigned));
    histogram<<<64, 128>>>(bins, 100000);
    cudaDeviceSynchronize();
    unsigned all = 0, first = bins[0];
    for (int i = 0; i < 100; ++i) all += bins[i] == first;
    std::printf("bins %u of %u\n", all, first);

    int* words;
    cudaMallocManaged(&words, 16 * sizeof(int));
    for (int i = 0; i < 16; ++i) words[i] = 0;
    total_of_last<<<200, 64>>>(&words[0], &words[1], &words[2]);
    cudaDeviceSynchronize();
    std::printf("last %d\n", words[2]);
    told<<<2, 1>>>(&words[3], &words[3], &words[4], &words[5]);
    cudaDeviceSynchronize();
    std::printf("told %d\n", words[5]);

    int* sums;
    cudaMallocManaged(&sums, 64 * sizeof(int));
    for (int i = 0; i < 64; ++i) sums[i] = 0;
    seen_by_block<<<32, 64>>>(sums, sums, sums + 32);
    cudaDeviceSynchronize();
    int unequal = 0;
    for (int i = 0; i < 32; ++i) unequal += sums[32 + i];
    std::printf("blocks that see another sum %d\n", unequal);

    outside<<<4, 1>>>(reinterpret_cast<int*>(0x10));
    std::printf("outside %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
