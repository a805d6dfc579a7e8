// SPDX-License-Identifier: MIT
#pragma once
// Neighboring elements that one instruction loads, or of C, stores.
#include "common/cuda/vector_access.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace BACKEND {

/// 4, 8 or 16 bytes of results; or neighbors that were loaded.
template <typename T, int count>
struct alignas(count * sizeof(T)) PackedResults {
    T values[count];
};

/// Neighbors as one load brings them. (A structure of 16-bit elements would be taken apart at once, and loads would
/// wait for that.)
template <typename T, int count>
using LoadedWords = std::conditional_t<
    count * sizeof(T) == 16, uint4,
    std::conditional_t<count * sizeof(T) == 8, uint2, std::conditional_t<count * sizeof(T) == 4, unsigned, T>>>;

/// `once`: they will not be read again, and 16 bytes are not kept in the L1 cache.
template <bool once, typename T, int count>
__device__ inline LoadedWords<T, count> load_neighbors(const LoadedWords<T, count>* address) {
    static_assert(sizeof(LoadedWords<T, count>) == count * sizeof(T));
    if constexpr (once && count * sizeof(T) == vector_bytes) {
        const Vector<T> vector = load_once(reinterpret_cast<const Vector<T>*>(address));
        LoadedWords<T, count> words;
        memcpy(&words, &vector, sizeof words);
        return words;
    } else {
        return *address;
    }
}

template <typename T, int count>
__device__ inline PackedResults<T, count> neighbors_of(const LoadedWords<T, count>& words) {
    static_assert(sizeof(LoadedWords<T, count>) == count * sizeof(T));
    PackedResults<T, count> neighbors;
    memcpy(&neighbors, &words, sizeof neighbors);
    return neighbors;
}

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

/// Stores four neighbors, as far as they lie within, at (row, column) of a rows x columns part of C that begins at `c`
/// and has rows `row_elements` apart. `column` and the column at which the part begins are multiples of four.
__device__ inline void store_four(float* c, size_t row_elements, int row, int column, int rows, int columns,
                                  float4 four) {
    if (row >= rows) return;
    float* target = c + static_cast<size_t>(row) * row_elements + column;
    if (row_elements % 4 == 0 && column + 4 <= columns) {
        *reinterpret_cast<float4*>(target) = four;
    } else {
        if (column < columns) target[0] = four.x;
        if (column + 1 < columns) target[1] = four.y;
        if (column + 2 < columns) target[2] = four.z;
        if (column + 3 < columns) target[3] = four.w;
    }
}

}  // namespace BACKEND
