// SPDX-License-Identifier: MIT
// Threads that work together: atomics, shuffles, votes, cooperative groups, locks, and blocks that wait for each other.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>
#include <vector>
namespace cg = cooperative_groups;

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
    __shared__ unsigned local[16];
    if (threadIdx.x < 16) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[data[i] % 16], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__inline__ __device__ float warp_sum(float value) {
    for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}
__global__ void block_sum(const float* in, float* out, int n) {
    static __shared__ float partial[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    sum = warp_sum(sum);
    if (lane == 0) partial[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / warpSize ? partial[lane] : 0.0f;
        sum = warp_sum(sum);
        if (lane == 0) atomicAdd(out, sum);
    }
}
__global__ void tree_sum(const int* in, int* out) {
    __shared__ int data[128];
    data[threadIdx.x] = in[threadIdx.x];
    for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride) data[threadIdx.x] += data[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) *out = data[0];
}
__global__ void votes(unsigned* out) {
    unsigned even = __ballot_sync(0xffffffff, threadIdx.x % 2 == 0);
    int any = __any_sync(0xffffffff, threadIdx.x == 40), all = __all_sync(0xffffffff, threadIdx.x < 64);
    int last = __shfl_sync(0xffffffff, (int)threadIdx.x, 31), up = __shfl_up_sync(0xffffffff, (int)threadIdx.x, 1);
    int swapped = __shfl_xor_sync(0xffffffff, (int)threadIdx.x, 1);
    int count = __syncthreads_count(threadIdx.x < 10);
    if (threadIdx.x == 5) out[0] = even, out[1] = any, out[2] = all, out[3] = last, out[4] = up, out[5] = swapped, out[6] = count;
}
__global__ void groups(int* out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    int sum = cg::reduce(tile, (int)threadIdx.x, cg::plus<int>());
    int first = tile.shfl(sum, 0);
    block.sync();
    if (threadIdx.x % 3 == 0) {
        cg::coalesced_group active = cg::coalesced_threads();
        if (active.thread_rank() == 0) atomicAdd(&out[2], (int)active.size());
    }
    if (block.thread_rank() == 20) out[0] = first, out[1] = tile.meta_group_rank();
}
__global__ void grid_steps(int* data, int* out) {
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank(), n = grid.size();
    data[i] = i;
    grid.sync();
    int neighbor = data[(i + blockDim.x) % n];
    grid.sync();
    data[i] = neighbor;
    grid.sync();
    if (i == 0) *out = data[0] + data[n - 1];
}
__device__ int lock = 0;
__device__ volatile int guarded = 0;
__global__ void spin(int rounds) {
    for (int i = 0; i < rounds; i++) {
        bool done = false;
        while (!done) {
            if (atomicCAS(&lock, 0, 1) == 0) {
                guarded = guarded + 1;
                __threadfence();
                atomicExch(&lock, 0);
                done = true;
            }
        }
    }
}
__device__ unsigned finished = 0;
__global__ void last_block(const int* in, int* partial, int* out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x] * 2;
        __threadfence();
        last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++) sum += partial[i];
        *out = sum;
    }
}

int main() {
    const int n = 10000;
    std::vector<unsigned char> bytes(n);
    std::vector<float> ones(n, 1.0f);
    for (int i = 0; i < n; i++) bytes[i] = i % 48;
    unsigned char* d_bytes;
    float *d_ones, *d_sum;
    unsigned *bins, *flags;
    int *in, *out, *data;
    cudaMalloc(&d_bytes, n), cudaMalloc(&d_ones, n * sizeof(float)), cudaMallocManaged(&d_sum, 4);
    cudaMallocManaged(&bins, 64), cudaMallocManaged(&flags, 64);
    cudaMallocManaged(&in, 512), cudaMallocManaged(&out, 64), cudaMallocManaged(&data, 4096);
    cudaMemcpy(d_bytes, bytes.data(), n, cudaMemcpyHostToDevice);
    cudaMemcpy(d_ones, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    histogram<<<4, 64>>>(d_bytes, n, bins);
    *d_sum = 0;
    block_sum<<<4, 96>>>(d_ones, d_sum, n);
    for (int i = 0; i < 128; i++) in[i] = i;
    tree_sum<<<1, 128>>>(in, out);
    votes<<<1, 64>>>(flags);
    cudaDeviceSynchronize();
    printf("histogram %u %u, shuffles %g, tree %d\n", bins[0], bins[15], *d_sum, out[0]);
    printf("votes %x %u %u %u %u %u %u\n", flags[0], flags[1], flags[2], flags[3], flags[4], flags[5], flags[6]);
    out[0] = out[1] = out[2] = 0;
    groups<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("groups %d %d %d\n", out[0], out[1], out[2]);
    void* arguments[] = {&data, &out};
    cudaError_t status = cudaLaunchCooperativeKernel((void*)grid_steps, 4, 64, arguments);
    cudaDeviceSynchronize();
    printf("grid %s %d\n", cudaGetErrorName(status), out[0]);
    spin<<<4, 40>>>(3);
    int counted;
    cudaMemcpyFromSymbol(&counted, guarded, sizeof counted);
    last_block<<<50, 32>>>(in, data, out);
    cudaDeviceSynchronize();
    printf("lock %d, last block %d, %s\n", counted, out[0], cudaGetErrorString(cudaGetLastError()));
}
