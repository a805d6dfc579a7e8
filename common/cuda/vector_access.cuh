// SPDX-License-Identifier: MIT
// 16-byte accesses: the widest that a thread can make, with a quarter of the instructions of 4-byte ones.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace BACKEND {

constexpr unsigned vector_bytes = 16;

/// Four floats or ints, two doubles or longs, moved by one instruction.
template <typename T>
struct alignas(vector_bytes) Vector {
    static constexpr unsigned length = vector_bytes / sizeof(T);
    T values[length];
};

/// An array split at 16-byte boundaries: a few elements before the first, whole vectors, and a few elements after the
/// last. Each part may be empty.
template <typename T>
struct VectorSpan {
    size_t head;     // elements before the first boundary, fewer than Vector<T>::length
    size_t vectors;  // whole vectors from there
    size_t tail;     // elements after the last vector, fewer than Vector<T>::length

    /// How many elements lie outside the vectors, and the index of the k-th of them.
    __host__ __device__ size_t edges() const { return head + tail; }
    __host__ __device__ size_t edge(size_t k) const { return k < head ? k : k + vectors * Vector<T>::length; }
};

/// Splits `n` elements at `address`, which is aligned as T is.
template <typename T>
VectorSpan<T> split_into_vectors(const T* address, size_t n) {
    const size_t misaligned_bytes = reinterpret_cast<std::uintptr_t>(address) % vector_bytes;
    size_t head = misaligned_bytes == 0 ? 0 : (vector_bytes - misaligned_bytes) / sizeof(T);
    if (head > n) head = n;
    const size_t vectors = (n - head) / Vector<T>::length;
    return {head, vectors, n - head - vectors * Vector<T>::length};
}

/// Loads a vector that is read once and that no thread writes during the kernel: through the read-only path, and
/// without evicting anything from L1.
template <typename T>
__device__ __forceinline__ Vector<T> load_once(const Vector<T>* address) {
#if defined(__CUDACC__) && !defined(__SIMCC__) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    uint4 words;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
                 : "l"(__cvta_generic_to_global(address)));
#else
    const uint4 words = __ldg(reinterpret_cast<const uint4*>(address));
#endif
    Vector<T> vector;
    memcpy(&vector, &words, sizeof vector);
    return vector;
}

/// Stores a vector to global memory with one instruction. (nvcc turns an ordinary assignment into a store per element.)
template <typename T>
__device__ __forceinline__ void store_vector_global(Vector<T>* address, const Vector<T>& vector) {
    uint4 words;
    memcpy(&words, &vector, sizeof words);
#if defined(__CUDACC__) && !defined(__SIMCC__) && defined(__CUDA_ARCH__)
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(address)), "r"(words.x),
                 "r"(words.y), "r"(words.z), "r"(words.w)
                 : "memory");
#else
    *reinterpret_cast<uint4*>(address) = words;
#endif
}

/// Load and store a vector as 16 bytes, in any memory space. nvcc may split the store.
template <typename T>
__device__ __forceinline__ Vector<T> load_vector(const Vector<T>* address) {
    const uint4 words = *reinterpret_cast<const uint4*>(address);
    Vector<T> vector;
    memcpy(&vector, &words, sizeof vector);
    return vector;
}
template <typename T>
__device__ __forceinline__ void store_vector(Vector<T>* address, const Vector<T>& vector) {
    uint4 words;
    memcpy(&words, &vector, sizeof words);
    *reinterpret_cast<uint4*>(address) = words;
}

}  // namespace BACKEND
