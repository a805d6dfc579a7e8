#pragma once
// Neighboring elements of C that one instruction stores.
#include "common/cuda/vector_access.cuh"

#include <cuda_runtime.h>

#include <cstring>

namespace BACKEND {

/// 4, 8 or 16 bytes of results.
template <typename T, int count>
struct alignas(count * sizeof(T)) PackedResults {
    T values[count];
};

/// Stores them to global memory, at a place that is aligned to their size.
template <typename T, int count>
__device__ inline void store_packed(T* target, const PackedResults<T, count>& results) {
    static_assert(sizeof results == 4 || sizeof results == 8 || sizeof results == vector_bytes);
    if constexpr (sizeof results == 4) {
        unsigned word = 0;
        memcpy(&word, &results, sizeof word);
        *reinterpret_cast<unsigned*>(target) = word;
    } else if constexpr (sizeof results == vector_bytes) {
        Vector<T> vector;
        memcpy(&vector, &results, sizeof vector);
        store_vector_global(reinterpret_cast<Vector<T>*>(target), vector);
    } else {
        uint2 words;
        memcpy(&words, &results, sizeof words);
#if defined(__CUDACC__) && !defined(__SIMCC__) && defined(__CUDA_ARCH__)
        // As in store_vector_global(): nvcc would split an assignment.
        asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(target)), "r"(words.x),
                     "r"(words.y)
                     : "memory");
#else
        *reinterpret_cast<uint2*>(target) = words;
#endif
    }
}

}  // namespace BACKEND
