// SPDX-License-Identifier: MIT
#pragma once
// How blocks of different devices wait for each other: each polls words in its own memory that the others store.
#include <cuda_runtime.h>

#include "common/cuda/mailbox.cuh"
#include "kernels/collective/arguments.cuh"

namespace BACKEND {

/// A device that acquires this word also sees everything that this thread stored or saw before.
__device__ __forceinline__ void store_release_system(unsigned* address, unsigned word) {
#if defined(__SIMCC__)
    __atomic_store_n(address, word, __ATOMIC_RELEASE);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(address)), "r"(word) : "memory");
#else
    __threadfence_system();
    *static_cast<volatile unsigned*>(address) = word;
#endif
}

__device__ __forceinline__ unsigned load_acquire_system(const unsigned* address) {
#if defined(__SIMCC__)
    return __atomic_load_n(address, __ATOMIC_ACQUIRE);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    unsigned word;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                 : "=r"(word)
                 : "l"(__cvta_generic_to_global(address))
                 : "memory");
    return word;
#else
    const unsigned word = *static_cast<const volatile unsigned*>(address);
    __threadfence_system();
    return word;
#endif
}

/// The two meetings of a launch.
enum class Phase : unsigned { begin, end };
constexpr size_t signal_words = size_t{2} * most_blocks * most_peers;

/// In the memory of rank `to`: the last epoch in which the block of this index on rank `from` arrived at this phase.
__device__ __forceinline__ unsigned* signal_between(const Exchange& exchange, Phase phase, unsigned from, unsigned to) {
    const size_t block = static_cast<size_t>(phase) * most_blocks + blockIdx.x;
    return exchange.signals.of[to] + block * most_peers + from;
}

/// A barrier of the blocks of this index on all devices: afterwards all threads of this block see everything that any
/// of their threads did before. Called by all threads of a block, which has at least as many threads as there are
/// ranks. (Epochs only grow, and a peer may be one launch ahead. Comparing their difference also works when they wrap.)
__device__ inline void meet(const Exchange& exchange, Phase phase, unsigned rank, unsigned ranks, unsigned epoch) {
    __syncthreads();  // all threads of the block have done their part before its signal
    if (threadIdx.x < ranks) {
        const unsigned peer = threadIdx.x;
        store_release_system(signal_between(exchange, phase, rank, peer), epoch);
        const unsigned* const signal = signal_between(exchange, phase, peer, rank);
        while (static_cast<int>(load_acquire_system(signal) - epoch) < 0 && look_again()) {}
    }
    __syncthreads();  // no thread continues before all signals have arrived
}

/// Eight bytes of data in the lower halves of two words whose upper halves are tags. Each word is accessed atomically,
/// both in one instruction.
struct alignas(16) Line {
    unsigned long long words[2];

    static __device__ __forceinline__ Line holding(const unsigned (&bits)[2], unsigned tag) {
        const unsigned long long upper = static_cast<unsigned long long>(tag) << 32;
        return {{upper | bits[0], upper | bits[1]}};
    }
    __device__ __forceinline__ bool has(unsigned tag) const { return words[0] >> 32 == tag && words[1] >> 32 == tag; }
};

__device__ __forceinline__ void store_line(unsigned long long* address, const Line& line) {
#if defined(__SIMCC__)
    __atomic_store_n(address, line.words[0], __ATOMIC_RELAXED);
    __atomic_store_n(address + 1, line.words[1], __ATOMIC_RELAXED);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("st.relaxed.sys.global.v2.u64 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(address)),
                 "l"(line.words[0]), "l"(line.words[1])
                 : "memory");
#else
    auto* const words = static_cast<volatile unsigned long long*>(address);
    words[0] = line.words[0];
    words[1] = line.words[1];
#endif
}

__device__ __forceinline__ Line load_line(const unsigned long long* address) {
    Line line;
#if defined(__SIMCC__)
    line.words[0] = __atomic_load_n(address, __ATOMIC_RELAXED);
    line.words[1] = __atomic_load_n(address + 1, __ATOMIC_RELAXED);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("ld.relaxed.sys.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(line.words[0]), "=l"(line.words[1])
                 : "l"(__cvta_generic_to_global(address))
                 : "memory");
#else
    const auto* const words = static_cast<const volatile unsigned long long*>(address);
    line.words[0] = words[0];
    line.words[1] = words[1];
#endif
    return line;
}

}  // namespace BACKEND
