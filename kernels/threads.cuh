// SPDX-License-Identifier: MIT
#pragma once
// Every thread records who it is, where it runs and when: its indices, its lane, its multiprocessor, and the time
// before and after some arithmetic.
#include "common/cuda/launch_shape.cuh"

#include <cuda_runtime.h>

#include <cstddef>

namespace BACKEND {

/// What one thread reports.
struct ThreadRecord {
    uint3 block, thread;  // blockIdx and threadIdx
    unsigned lane, multiprocessor;
    unsigned long long begin_ns, end_ns;  // of the device's timer, the same for all multiprocessors
    unsigned cycles;                      // between them, of the multiprocessor's clock
    unsigned work;                        // where the steps led
};

/// A step of arithmetic that needs the result of the previous one.
__host__ __device__ constexpr unsigned next_of(unsigned work) { return work * 1664525u + 1013904223u; }

struct ThreadClock {
    unsigned long long ns, cycles;
};

__device__ __forceinline__ ThreadClock read_thread_clock() {
    ThreadClock now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now.ns)::"memory");
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now.cycles)::"memory");
    return now;
}

/// The linear index of a point in an extent, x fastest.
__host__ __device__ constexpr size_t rank_in(uint3 point, dim3 extent) {
    return point.x + extent.x * (point.y + static_cast<size_t>(extent.y) * point.z);
}

/// Any grid, any block; one record per thread, block after block.
__global__ void record_threads(ThreadRecord* records, unsigned steps) {
    const ThreadClock begin = read_thread_clock();
    const size_t rank = rank_in(threadIdx, blockDim);
    const size_t index = rank_in(blockIdx, gridDim) * (blockDim.x * blockDim.y * blockDim.z) + rank;
    unsigned work = static_cast<unsigned>(index);
    for (unsigned i = 0; i < steps; ++i) {
        work = next_of(work);
        asm volatile("" : "+r"(work));  // keeps the compiler from merging steps
    }
    ThreadRecord record;
    record.block = blockIdx;
    record.thread = threadIdx;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(record.lane));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(record.multiprocessor));
    record.work = work;
    const ThreadClock end = read_thread_clock();
    record.begin_ns = begin.ns;
    record.end_ns = end.ns;
    record.cycles = static_cast<unsigned>(end.cycles - begin.cycles);
    records[index] = record;
}

}  // namespace BACKEND
