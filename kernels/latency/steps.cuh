// SPDX-License-Identifier: MIT
#pragma once
// Dependent steps, one at a time, between two readings of the clocks. (They measure hardware that the simulator does not
// have, so only nvcc compiles them.)
//   chase_*   loads whose address is the value of the previous load, from every kind of memory
//   chain_*   arithmetic, shuffles and atomic operations, each of which needs the result of the previous one; barriers of
//             a block and of a cluster, and loads from another block's shared memory
#include <cuda_runtime.h>

namespace BACKEND {

#ifndef __SIMCC__

/// The report of the thread that took the steps.
struct LatencyReading {
    unsigned long long cycles = 0;  // of its multiprocessor's clock, for all timed steps
    unsigned long long ns = 0;      // of the device's timer
    unsigned long long end = 0;     // where the steps led: the host checks it
};

/// The number of untimed steps, which warm the caches, and of timed ones, a multiple of latency_unroll.
struct LatencySteps {
    unsigned warm = 0, timed = 0;
};
constexpr unsigned latency_unroll = 16;

struct LatencyClock {
    unsigned long long cycles, ns;
};

__device__ __forceinline__ LatencyClock read_latency_clock() {
    LatencyClock now;
    asm volatile("mov.u64 %0, %%clock64;\nmov.u64 %1, %%globaltimer;" : "=l"(now.cycles), "=l"(now.ns)::"memory");
    return now;
}

/// Keeps the compiler from moving the value past a reading of the clock. The hardware does not wait for the value, so
/// each reading comes one step early: the difference is still right.
__device__ __forceinline__ void await_value(unsigned& value) { asm volatile("" : "+r"(value)::"memory"); }
__device__ __forceinline__ void await_value(unsigned long long& value) { asm volatile("" : "+l"(value)::"memory"); }

/// Takes the steps from state `at` and reports. `step` maps a state to the next one, with instructions that the
/// compiler leaves unchanged.
template <typename State, typename Step>
__device__ __forceinline__ State time_steps(State at, LatencySteps steps, LatencyReading* reading, Step step) {
    for (unsigned i = 0; i < steps.warm; ++i) at = step(at);
    await_value(at);
    const LatencyClock begin = read_latency_clock();
    for (unsigned i = 0; i < steps.timed; i += latency_unroll) {
#pragma unroll
        for (unsigned k = 0; k < latency_unroll; ++k) at = step(at);
    }
    await_value(at);
    const LatencyClock end = read_latency_clock();
    reading->cycles = end.cycles - begin.cycles;
    reading->ns = end.ns - begin.ns;
    reading->end = static_cast<unsigned long long>(at);
    return at;
}

// ---- pointer chases: the address of every load is the value that the previous one returned.
//
// Places lie `stride` bytes apart and are linked into one cycle, x -> (a x + c) mod n, which defeats prefetching. One
// thread walks, or the lanes of a warp together. A place holds the address of the next one, so that a step is one load
// and nothing else.

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

// ---- operations that each need the result of the previous one, in registers or on one word of memory. One warp; its
// first lane reports.

constexpr unsigned latency_factor = 1664525u, latency_summand = 1013904223u;

/// From register to register: x = factor * x + summand, one instruction. factor and summand are arguments, so that the
/// compiler cannot merge two steps. Ends with x.
__global__ void chain_multiply_adds(unsigned factor, unsigned summand, LatencySteps steps, LatencyReading* reading) {
    LatencyReading own;
    time_steps(threadIdx.x, steps, &own, [=](unsigned x) {
        asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x) : "r"(factor), "r"(summand));
        return x;
    });
    if (threadIdx.x == 0) *reading = own;
}

/// Every lane reads from the lane that the last answer named, and gets the next one. Ends with the number of steps,
/// modulo 32.
__global__ void chain_shuffles(LatencySteps steps, LatencyReading* reading) {
    const unsigned next = (threadIdx.x + 1) % 32;
    LatencyReading own;
    time_steps(threadIdx.x, steps, &own, [=](unsigned at) {
        asm volatile("shfl.sync.idx.b32 %0, %1, %0, 31, 0xffffffff;" : "+r"(at) : "r"(next));
        return at;
    });
    if (threadIdx.x == 0) *reading = own;
}

/// A word of shared memory holds its own address: an atomic addition of zero returns it, and the next addition needs
/// it. Ends with the distance from there, 0. `zero` is an argument, so that the compiler keeps the additions.
__global__ void chain_shared_atomics(unsigned zero, LatencySteps steps, LatencyReading* reading) {
    __shared__ unsigned word;
    if (threadIdx.x != 0) return;
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&word));
    word = address;
    const unsigned end = time_steps(address, steps, reading, [=](unsigned at) {
        asm volatile("atom.shared.add.u32 %0, [%0], %1;" : "+r"(at) : "r"(zero) : "memory");
        return at;
    });
    reading->end = end - address;
}

/// The same on a word of global memory.
__global__ void chain_global_atomics(unsigned long long* word, unsigned long long zero, LatencySteps steps,
                                     LatencyReading* reading) {
    if (threadIdx.x != 0) return;
    const auto address = reinterpret_cast<unsigned long long>(word);
    *word = address;
    const unsigned long long end = time_steps(address, steps, reading, [=](unsigned long long at) {
        asm volatile("atom.global.add.u64 %0, [%0], %1;" : "+l"(at) : "l"(zero) : "memory");
        return at;
    });
    reading->end = end - address;
}

// ---- barriers of a block of 1 to 32 warps and of a cluster, and loads from another block's shared memory. Clusters
// need compute capability 9.0: on older GPUs those kernels do nothing and are not launched.

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
