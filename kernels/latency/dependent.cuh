// SPDX-License-Identifier: MIT
#pragma once
// Operations that each need the result of the previous one, in registers or on one word of memory. One warp; its first
// lane reports.
#include "kernels/latency/arguments.cuh"

namespace BACKEND {

#ifndef __SIMCC__

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

#endif

}  // namespace BACKEND
