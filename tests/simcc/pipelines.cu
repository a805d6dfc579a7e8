// SPDX-License-Identifier: MIT
// cuda::pipeline with roles: some threads only copy, the others only compute. And pipelines whose threads do both.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
constexpr int tile = 64, stages = 3, tiles = 40;

template <int kind>
__global__ void sum_tiles(const int* in, int* out, int producers) {
    __shared__ int buffer[stages][tile];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
    cg::thread_block block = cg::this_thread_block();
    const bool produces = static_cast<int>(block.thread_rank()) < producers;
    auto pipe = kind == 0 ? cuda::make_pipeline(block, &state, static_cast<size_t>(producers))
                          : cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer
                                                                        : cuda::pipeline_role::consumer);
    if (produces) {
        for (int t = 0; t < tiles; ++t) {
            pipe.producer_acquire();
            for (int i = threadIdx.x; i < tile; i += producers)
                cuda::memcpy_async(&buffer[t % stages][i], &in[(blockIdx.x * tiles + t) * tile + i], sizeof(int), pipe);
            pipe.producer_commit();
        }
    } else {
        const int consumers = blockDim.x - producers;
        int sum = 0;
        for (int t = 0; t < tiles; ++t) {
            pipe.consumer_wait();
            for (int i = threadIdx.x - producers; i < tile; i += consumers) sum += buffer[t % stages][i] * (t + 1);
            pipe.consumer_release();
        }
        atomicAdd(&out[blockIdx.x], sum);
    }
}

__global__ void sum_together(const int* in, int* out) {
    __shared__ int buffer[2][tile];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    auto fetch = [&](int t) {
        pipe.producer_acquire();
        cuda::memcpy_async(block, buffer[t % 2], &in[(blockIdx.x * tiles + t) * tile], sizeof(int) * tile, pipe);
        pipe.producer_commit();
    };
    fetch(0);
    for (int t = 0; t < tiles; ++t) {
        if (t + 1 < tiles) fetch(t + 1);
        pipe.consumer_wait();
        for (int i = threadIdx.x; i < tile; i += blockDim.x) sum += buffer[t % 2][i] * (t + 1);
        pipe.consumer_release();
    }
    atomicAdd(&out[blockIdx.x], sum);
}

int main() {
    int *in, *out, blocks = 2;
    cudaMallocManaged(&in, blocks * tiles * tile * sizeof(int));
    cudaMallocManaged(&out, blocks * sizeof(int));
    for (int i = 0; i < blocks * tiles * tile; ++i) in[i] = i % 101 - 50;
    for (int way = 0; way < 4; ++way) {
        for (int b = 0; b < blocks; ++b) out[b] = 0;
        if (way == 0) sum_tiles<0><<<blocks, 64>>>(in, out, 32);
        if (way == 1) sum_tiles<1><<<blocks, 96>>>(in, out, 32);
        if (way == 2) sum_tiles<1><<<blocks, 128>>>(in, out, 96);
        if (way == 3) sum_together<<<blocks, 64>>>(in, out);
        printf("%s: ", cudaGetErrorName(cudaDeviceSynchronize()));
        printf("%d %d\n", out[0], out[1]);
    }
}
