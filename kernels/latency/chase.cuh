// SPDX-License-Identifier: MIT
#pragma once
// Pointer chases: the address of every load is the value that the previous one returned.
//
// Places lie `stride` bytes apart and are linked into one cycle, x -> (a x + c) mod n, which defeats prefetching. One
// thread walks, or the lanes of a warp together. A place holds the address of the next one, so that a step is one load
// and nothing else.
#include "kernels/latency/arguments.cuh"

namespace BACKEND {

#ifndef __SIMCC__

/// The cycle of a chase: n places.
struct ChaseCycle {
    unsigned long long n, a, c;

    __host__ __device__ unsigned long long next(unsigned long long x) const { return (a * x + c) % n; }
};

/// Links places in global memory or in mapped host memory. Any grid and block.
__global__ void link_addresses(unsigned char* memory, unsigned long long stride, ChaseCycle cycle) {
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long x = first; x < cycle.n; x += threads)
        *reinterpret_cast<unsigned long long*>(memory + x * stride) =
            reinterpret_cast<unsigned long long>(memory + cycle.next(x) * stride);
}

/// Links places in a texture's memory: they hold indices of words. Any grid and block.
__global__ void link_indices(unsigned* words, unsigned long long stride, ChaseCycle cycle) {
    const unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long x = first; x < cycle.n; x += threads)
        words[x * stride / sizeof(unsigned)] = static_cast<unsigned>(cycle.next(x) * stride / sizeof(unsigned));
}

/// How a step loads.
struct CachedLoad {  // through L1
    static __device__ __forceinline__ unsigned long long load(unsigned long long address) {
        asm volatile("ld.global.u64 %0, [%0];" : "+l"(address)::"memory");
        return address;
    }
};
struct UncachedLoad {  // past L1
    static __device__ __forceinline__ unsigned long long load(unsigned long long address) {
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(address)::"memory");
        return address;
    }
};
struct VolatileLoad {  // from memory itself, every time
    static __device__ __forceinline__ unsigned long long load(unsigned long long address) {
        asm volatile("ld.volatile.global.u64 %0, [%0];" : "+l"(address)::"memory");
        return address;
    }
};
struct ConstantLoad {
    static __device__ __forceinline__ unsigned long long load(unsigned long long address) {
        asm volatile("ld.const.u64 %0, [%0];" : "+l"(address));
        return address;
    }
};

/// One to 32 lanes, which all walk the same path; the first one reports. (Adding threadIdx.x / 32, which is 0, keeps
/// the address out of the uniform registers, from which loads would take another path to constant memory.)
template <typename Space>
__global__ void chase_addresses(unsigned long long start, LatencySteps steps, LatencyReading* reading) {
    LatencyReading own;
    time_steps(start + threadIdx.x / 32, steps, &own, [](unsigned long long at) { return Space::load(at); });
    if (threadIdx.x == 0) *reading = own;
}

constexpr unsigned latency_constant_bytes = 64 * 1024;
__constant__ __align__(16) unsigned char latency_constants[latency_constant_bytes];

/// One thread. Stores the address of the constants as loads from constant memory take it; the host links them.
__global__ void find_constants(unsigned long long* address) {
    asm("cvta.to.const.u64 %0, %1;" : "=l"(*address) : "l"(latency_constants));
}

/// One thread.
__global__ void chase_texture(cudaTextureObject_t texture, unsigned start, LatencySteps steps,
                              LatencyReading* reading) {
    time_steps(start, steps, reading, [=](unsigned at) { return tex1Dfetch<unsigned>(texture, static_cast<int>(at)); });
}

/// Dynamic shared memory of n * stride bytes, linked here. Any block; its first thread walks from place `start`.
__global__ void chase_shared(unsigned start, unsigned stride, ChaseCycle cycle, LatencySteps steps,
                             LatencyReading* reading) {
    extern __shared__ __align__(16) unsigned char places[];
    const auto base = static_cast<unsigned>(__cvta_generic_to_shared(places));
    for (unsigned x = threadIdx.x; x < cycle.n; x += blockDim.x)
        *reinterpret_cast<unsigned*>(places + x * stride) = base + static_cast<unsigned>(cycle.next(x)) * stride;
    __syncthreads();  // all places are linked
    if (threadIdx.x != 0) return;
    const unsigned end = time_steps(base + start * stride, steps, reading, [](unsigned at) {
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
        return at;
    });
    reading->end = (end - base) / stride;
}

/// One thread. The latency past L1 of each of `lines` places, `stride` bytes apart: readings[i] is for `timed` loads of
/// place i alone, which holds its own address.
__global__ void time_each_line(unsigned char* memory, unsigned long long stride, unsigned lines, unsigned timed,
                               LatencyReading* readings) {
    for (unsigned i = 0; i < lines; ++i) {
        const auto place = reinterpret_cast<unsigned long long>(memory + i * stride);
        time_steps(place, {4, timed}, readings + i, [](unsigned long long at) { return UncachedLoad::load(at); });
    }
}

#endif

}  // namespace BACKEND
