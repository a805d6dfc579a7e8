#pragma once
// How blocks of different devices wait for each other: words in the memory of the one who waits, stored by the others.
#include <cuda_runtime.h>

#include "common/cuda/mailbox.cuh"
#include "kernels/collective/arguments.cuh"

namespace BACKEND {

/// What a thread has stored or seen before it comes before the word, for every device that acquires it.
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

/// In the memory of rank `to`: how far the block of this index on rank `from` has come.
__device__ __forceinline__ unsigned* signal_between(const Exchange& exchange, Phase phase, unsigned from, unsigned to) {
    const size_t block = static_cast<size_t>(phase) * most_blocks + blockIdx.x;
    return exchange.signals.of[to] + block * most_peers + from;
}

/// Waits until the block of this index has come here on all devices. What any of their threads did before, all threads
/// of this block see after. Called by all threads; at least as many as ranks.
/// (An epoch only grows, and a peer may be one launch ahead: the difference is what counts, also when it wraps.)
__device__ inline void meet(const Exchange& exchange, Phase phase, unsigned rank, unsigned ranks, unsigned epoch) {
    __syncthreads();  // before the block's signal its threads have done their part
    if (threadIdx.x < ranks) {
        const unsigned peer = threadIdx.x;
        store_release_system(signal_between(exchange, phase, rank, peer), epoch);
        const unsigned* const signal = signal_between(exchange, phase, peer, rank);
        while (static_cast<int>(load_acquire_system(signal) - epoch) < 0 && look_again()) {}
    }
    __syncthreads();  // nobody goes on before all signals are there
}

/// Eight bytes of data in two words, whose upper halves are tags. Each word is indivisible; both go by one access.
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
