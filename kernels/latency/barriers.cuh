// SPDX-License-Identifier: MIT
#pragma once
// Barriers of a block of 1 to 32 warps and of a cluster, and loads from another block's shared memory. Clusters need
// compute capability 9.0: on older GPUs those kernels do nothing and are not launched.
#include "kernels/latency/arguments.cuh"

namespace BACKEND {

#ifndef __SIMCC__

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define LATENCY_CLUSTERS 1
#else
#define LATENCY_CLUSTERS 0
#endif

/// One block. Every thread counts its barriers; the first thread reports.
__global__ void chain_block_barriers(LatencySteps steps, LatencyReading* reading) {
    LatencyReading own;
    time_steps(0u, steps, &own, [](unsigned count) {
        asm volatile("bar.sync 0;" ::: "memory");
        return count + 1;
    });
    if (threadIdx.x == 0) *reading = own;
}

__device__ __forceinline__ void cluster_barrier() {
#if LATENCY_CLUSTERS
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/// One cluster; the first thread of its first block reports.
__global__ void chain_cluster_barriers([[maybe_unused]] LatencySteps steps, [[maybe_unused]] LatencyReading* reading) {
#if LATENCY_CLUSTERS
    LatencyReading own;
    time_steps(0u, steps, &own, [](unsigned count) {
        cluster_barrier();
        return count + 1;
    });
    if (blockIdx.x == 0 && threadIdx.x == 0) *reading = own;
#endif
}

constexpr unsigned distributed_words = 512;

/// One cluster: the first block walks through the words of the last block's shared memory, each of which holds the
/// address of the next. Ends with the index of a word.
__global__ void chase_distributed([[maybe_unused]] unsigned start, [[maybe_unused]] LatencySteps steps,
                                  [[maybe_unused]] LatencyReading* reading) {
#if LATENCY_CLUSTERS
    __shared__ unsigned long long words[distributed_words];
    unsigned long long base = 0;
    asm("mapa.u64 %0, %1, %2;" : "=l"(base) : "l"(words), "r"(gridDim.x - 1));
    // An odd step visits all of the words.
    for (unsigned i = threadIdx.x; i < distributed_words; i += blockDim.x)
        words[i] = base + (i + 97) % distributed_words * sizeof(unsigned long long);
    cluster_barrier();  // the last block has linked its words
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const unsigned long long first = base + start * sizeof(unsigned long long);
        const unsigned long long end = time_steps(first, steps, reading, [](unsigned long long at) {
            asm volatile("ld.u64 %0, [%0];" : "+l"(at)::"memory");
            return at;
        });
        reading->end = (end - base) / sizeof(unsigned long long);
    }
    __syncwarp();       // the aligned barrier needs whole warps
    cluster_barrier();  // the last block must not exit, and free its memory, before the walk has ended
#endif
}

#endif

}  // namespace BACKEND
