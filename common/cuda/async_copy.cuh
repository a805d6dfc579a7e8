// SPDX-License-Identifier: MIT
// Copies from global to shared memory that bypass the registers (cp.async, compute capability 8.0 and later). On older
// devices they are ordinary copies, complete when they return: slower, but just as correct. The simulator makes them at
// the wait, by CUDA's primitives for pipelines.
#pragma once

#include <cuda_runtime.h>

#ifdef __SIMCC__
#include <cuda_pipeline_primitives.h>
#endif

#include <cstdint>

#if !defined(__SIMCC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define ASYNC_COPIES 1
#else
#define ASYNC_COPIES 0
#endif

namespace BACKEND {

/// Starts copying one T of 4, 8 or 16 bytes; both addresses are aligned to its size. If `there` is false, writes zeros
/// and does not read the source.
template <typename T>
__device__ inline void copy_async(T* shared, const T* global, bool there) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
#if ASYNC_COPIES
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    const int bytes = there ? static_cast<int>(sizeof(T)) : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(global), "n"(sizeof(T)), "r"(bytes)
                 : "memory");
#elif defined(__SIMCC__)
    __pipeline_memcpy_async(shared, global, sizeof(T), there ? 0 : sizeof(T));
#else
    *shared = there ? *global : T{};
#endif
}

/// Starts copying 16 bytes, without evicting anything from L1; both addresses are aligned to 16.
template <typename T>
__device__ inline void copy_async_past_l1(T* shared, const T* global) {
    static_assert(sizeof(T) == 16);
#if ASYNC_COPIES
    const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(global) : "memory");
#elif defined(__SIMCC__)
    __pipeline_memcpy_async(shared, global, sizeof(T));
#else
    *shared = *global;
#endif
}

/// Commits this thread's copies since the last commit as one group.
__device__ inline void commit_copies() {
#if ASYNC_COPIES
    asm volatile("cp.async.commit_group;" ::: "memory");
#elif defined(__SIMCC__)
    __pipeline_commit();
#endif
}

/// Waits until at most `pending` of this thread's groups are in flight. A barrier makes the rest visible to the block.
template <int pending>
__device__ inline void wait_copies() {
#if ASYNC_COPIES
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
#elif defined(__SIMCC__)
    __pipeline_wait_prior(pending);
#endif
}

}  // namespace BACKEND
