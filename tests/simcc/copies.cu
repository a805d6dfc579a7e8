// SPDX-License-Identifier: MIT
// Barriers of two halves, asynchronous copies in groups and stages, and the heap of kernels.
#include <cooperative_groups.h>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Each phase adds the neighbor's value of the phase before; the last warp leaves after the first phase.
__global__ void phases(int* out) {
    __shared__ Barrier barrier;
    __shared__ int values[2][128];
    const unsigned i = threadIdx.x;
    if (i == 0) init(&barrier, blockDim.x);
    values[0][i] = i;
    __syncthreads();
    values[1][i] = values[0][(i + 1) % 128];
    if (i >= 96) return barrier.arrive_and_drop();
    barrier.arrive_and_wait();
    values[0][i] += values[1][(i + 1) % 128];
    Barrier::arrival_token token = barrier.arrive();
    if (!barrier.try_wait_for(static_cast<Barrier::arrival_token&&>(token), std::chrono::seconds(5))) return;
    out[i] = values[0][(i + 1) % 96];
}

// A warp that waits for data, and one that brings it.
__global__ void handover(int* out) {
    __shared__ Barrier filled;
    __shared__ int data[32];
    if (threadIdx.x == 0) init(&filled, 64);
    __syncthreads();
    if (threadIdx.x >= 32) {
        data[threadIdx.x - 32] = 7 * threadIdx.x;
        static_cast<void>(filled.arrive());
    } else {
        filled.wait(filled.arrive());
        out[threadIdx.x] = data[31 - threadIdx.x];
    }
}

__global__ void in_groups(const int* in, int* out) {
    __shared__ int tile[2][32];
    const unsigned i = threadIdx.x;
    tile[0][i] = tile[1][i] = -1;
    __pipeline_memcpy_async(&tile[0][i], in + i, 4);
    __pipeline_commit();
    __pipeline_memcpy_async(&tile[1][i], in + 32 + i, 4, i % 2 * 4);
    __pipeline_commit();
    out[i] = tile[0][i];        // too early: not yet there
    __pipeline_wait_prior(1);
    out[32 + i] = tile[0][i];   // the older group is
    out[64 + i] = tile[1][i];   // the newer one is not
    __pipeline_wait_prior(0);
    out[96 + i] = tile[1][i];
}

__global__ void in_stages(const int* in, int* out, int n) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) int tile[2][64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const auto fetch = [&](int stage) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, tile[stage % 2], in + 64 * stage, sizeof tile[0], pipe);
        pipe.producer_commit();
    };
    fetch(0);
    for (int stage = 0; stage < n / 64; ++stage) {
        if (stage + 1 < n / 64) fetch(stage + 1);
        pipe.consumer_wait();
        out[64 * stage + threadIdx.x] = tile[stage % 2][63 - threadIdx.x];
        pipe.consumer_release();
    }
}

__global__ void lists(int** heads) {
    int* list = static_cast<int*>(malloc(3 * sizeof(int)));
    for (int i = 0; i < 3; ++i) list[i] = 10 * threadIdx.x + i;
    heads[threadIdx.x] = list;
}
__global__ void sum_lists(int** heads, int* out) {
    int sum = 0;
    for (int i = 0; i < 3; ++i) sum += heads[threadIdx.x][i];
    free(heads[threadIdx.x]);
    out[threadIdx.x] = sum;
}

__global__ void free_lists(int** heads) { free(heads[threadIdx.x]); }

// Where a list was that is gone, cleared memory: g++ makes calloc() of malloc() and memset() with zero.
__global__ void count_leftovers(int* out, int n) {
    int* const cleared = static_cast<int*>(malloc(n * sizeof(int)));
    memset(cleared, 0, n * sizeof(int));
    out[threadIdx.x] = 0;
    for (int i = 0; i < n; ++i) out[threadIdx.x] += cleared[i] != 0;
    free(cleared);
}

__global__ void without_init() {
    __shared__ Barrier barrier;
    barrier.arrive_and_wait();
}

int main() {
    int *in, *out, **heads, wrong = 0;
    cudaMallocManaged(&in, 256 * 4);
    cudaMallocManaged(&out, 256 * 4);
    cudaMallocManaged(&heads, 64 * sizeof(int*));
    for (int i = 0; i < 256; ++i) in[i] = 3 * i + 1;

    phases<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 96; ++i) wrong += out[i] != (i + 1) % 96 + ((i + 1) % 96 + 2) % 128;
    handover<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; ++i) wrong += out[i] != 7 * (63 - i);
    printf("barriers: %d wrong\n", wrong);

    wrong = 0;
    in_groups<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; ++i)
        wrong += out[i] != -1 || out[32 + i] != in[i] || out[64 + i] != -1 || out[96 + i] != (i % 2 ? 0 : in[32 + i]);
    in_stages<<<1, 64>>>(in, out, 256);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; ++i) wrong += out[i] != in[i / 64 * 64 + 63 - i % 64];
    printf("copies: %d wrong\n", wrong);

    wrong = 0;
    lists<<<1, 64>>>(heads);
    sum_lists<<<1, 64>>>(heads, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; ++i) wrong += out[i] != 30 * i + 3;
    count_leftovers<<<1, 64>>>(out, 500);
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < 64; ++i) wrong += out[i];
    printf("heap: %d wrong\n", wrong);

    lists<<<1, 64>>>(heads);
    free_lists<<<1, 64>>>(heads);
    free_lists<<<1, 64>>>(heads);
    printf("freed twice: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    cudaDeviceReset();
    without_init<<<1, 32>>>();
    printf("without init: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
