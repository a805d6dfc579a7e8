// SPDX-License-Identifier: MIT
#pragma once
// What the kernels of latency have in common: dependent steps, one at a time, between two readings of the clocks. (They
// measure hardware that the simulator does not have, so only nvcc compiles them.)
//   chase.cuh      loads whose address is the value of the previous load, from every kind of memory
//   dependent.cuh  arithmetic, shuffles and atomic operations, each of which needs the result of the previous one
//   barriers.cuh   barriers of a block and of a cluster, and loads from another block's shared memory
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

#endif

}  // namespace BACKEND
