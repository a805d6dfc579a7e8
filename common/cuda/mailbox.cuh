// SPDX-License-Identifier: MIT
// How the last block of a grid collects the others' partial results: each travels in 64-bit words with a tag that says
// it has arrived, so no fence, ticket or second launch is needed.
//
// Why there is no deadlock: only the last block of the grid waits, and the blocks it waits for wait for nothing. GPUs
// start blocks in the order of their index, so the last one starts after all others. Even if it started first, it would
// occupy the slot of only one block, and the others would run in the remaining slots, one after another if need be.
#pragma once

#include <cuda_runtime.h>

#include <cstring>

namespace BACKEND {

constexpr unsigned long long arrived_tag = 1ULL << 32;

/// A slot for one block's partial result: 32 bits of it in the lower half of each word, the tag in the upper half. An
/// aligned 64-bit access is indivisible, so a thread that sees the tag has the bits, too. Words are 0 between launches.
template <typename T>
struct Mailbox {
    static constexpr unsigned words = sizeof(T) / 4;
    static_assert(sizeof(T) % 4 == 0);
    unsigned long long word[words];

    static __device__ __forceinline__ Mailbox holding(const T& value) {
        unsigned bits[words];
        memcpy(bits, &value, sizeof value);
        Mailbox box;
#pragma unroll
        for (unsigned w = 0; w < words; ++w) box.word[w] = arrived_tag | bits[w];
        return box;
    }

    __device__ __forceinline__ T value() const {
        unsigned bits[words];
#pragma unroll
        for (unsigned w = 0; w < words; ++w) bits[w] = static_cast<unsigned>(word[w]);
        T value;
        memcpy(&value, bits, sizeof value);
        return value;
    }

    /// The tag if all words have it, else 0.
    __device__ __forceinline__ unsigned long long tag() const {
        unsigned long long common = arrived_tag;
#pragma unroll
        for (unsigned w = 0; w < words; ++w) common &= word[w];
        return common;
    }
};

/// Relaxed atomic accesses to words that other blocks access, too: never served by L1 and never torn. They are not
/// ordered among themselves; the tags make that unnecessary. Volatile promises the same to the whole system and is a
/// little slower.
__device__ __forceinline__ unsigned long long load_relaxed(const unsigned long long* address) {
#if defined(__CUDACC__) && !defined(__SIMCC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    unsigned long long word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(word)
                 : "l"(__cvta_generic_to_global(address))
                 : "memory");
    return word;
#elif defined(__SIMCC__)
    return __atomic_load_n(address, __ATOMIC_RELAXED);
#else
    return *static_cast<const volatile unsigned long long*>(address);
#endif
}

__device__ __forceinline__ void store_relaxed(unsigned long long* address, unsigned long long word) {
#if defined(__CUDACC__) && !defined(__SIMCC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(address)), "l"(word) : "memory");
#elif defined(__SIMCC__)
    __atomic_store_n(address, word, __ATOMIC_RELAXED);
#else
    *static_cast<volatile unsigned long long*>(address) = word;
#endif
}

/// Always true. In the simulator it yields: otherwise a thread that polls in a loop would keep its turn.
__device__ __forceinline__ bool look_again() {
#if defined(__SIMCC__)
    __nanosleep(0);
#endif
    return true;
}

template <typename T>
__device__ __forceinline__ Mailbox<T> look_into(const Mailbox<T>* box) {
    Mailbox<T> seen;
#pragma unroll
    for (unsigned w = 0; w < Mailbox<T>::words; ++w) seen.word[w] = load_relaxed(&box->word[w]);
    return seen;
}

template <typename T>
__device__ __forceinline__ void put_into(Mailbox<T>* box, const Mailbox<T>& content) {
#pragma unroll
    for (unsigned w = 0; w < Mailbox<T>::words; ++w) store_relaxed(&box->word[w], content.word[w]);
}

/// Waits for boxes first, first + stride, ... below count, combines `value` with them in that order and empties them.
/// It polls four boxes at a time, since a poll takes a round trip to L2.
template <typename T, typename Operator>
__device__ T collect(T value, Mailbox<T>* boxes, unsigned first, unsigned stride, unsigned count, Operator op) {
    constexpr unsigned looks_in_flight = 4;
    for (; first < count; first += looks_in_flight * stride) {
        Mailbox<T> seen[looks_in_flight];
#pragma unroll
        for (Mailbox<T>& box : seen) box = Mailbox<T>::holding(op.identity());  // for boxes that do not exist
        unsigned long long common_tag;
        do {
            common_tag = arrived_tag;
#pragma unroll
            for (unsigned k = 0; k < looks_in_flight; ++k) {
                if (first + k * stride < count) seen[k] = look_into(&boxes[first + k * stride]);
            }
#pragma unroll
            for (const Mailbox<T>& box : seen) common_tag &= box.tag();
        } while (common_tag == 0 && look_again());
#pragma unroll
        for (unsigned k = 0; k < looks_in_flight; ++k) {
            value = op.combine(value, seen[k].value());
            if (first + k * stride < count) put_into(&boxes[first + k * stride], Mailbox<T>{});
        }
    }
    return value;
}

}  // namespace BACKEND
