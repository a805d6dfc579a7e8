// SPDX-License-Identifier: MIT
// cudaMemcpy() of pointers, and of classes whose members simcc has shown: pointers to host memory among them become ones
// that kernels cannot follow, as in the arguments of launches, and on the way back what they were.
#pragma once

#include "cuda_runtime_api.h"
#include "simt/launch.hpp"
#include "simt/shifts.hpp"

#ifndef SIMT_CHECKED

namespace simt {
inline namespace SIMT_FLAVOR {

template <typename T>
struct HoldsPointers {
    static constexpr bool value = shows_members<T>(0);
};
template <typename T>
struct HoldsPointers<const T> : HoldsPointers<T> {};
template <typename T>
struct HoldsPointers<T*> {
    static constexpr bool value = true;
};
template <>
struct HoldsPointers<void> {
    static constexpr bool value = false;
};

template <bool condition>
struct CopyResult {};
template <>
struct CopyResult<true> {
    using type = cudaError_t;
};

template <typename T>
void change_pointers(void* memory, size_t bytes, HostPointers change) {
    T* const values = static_cast<T*>(memory);
    for (size_t i = 0; i < bytes / sizeof(T); ++i) change.hide<T>(values[i]);
}

template <typename T>
cudaError_t copy_with_pointers(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    using Value = typename Plain<T>::type;
    if (is_hidden_from_host(to) && !is_hidden_from_host(from)) {
        if (void* const copy = ::malloc(bytes)) {
            __builtin_memcpy(copy, from, bytes);
            change_pointers<Value>(copy, bytes, {});
            const cudaError_t result = ::cudaMemcpy(to, static_cast<const void*>(copy), bytes, kind);
            ::free(copy);
            return result;
        }
    }
    const cudaError_t result = ::cudaMemcpy(to, from, bytes, kind);
    if (result == cudaSuccess && is_hidden_from_host(from) && !is_hidden_from_host(to))
        change_pointers<Value>(to, bytes, {true});
    return result;
}

template <bool to_holds, typename To, typename From>
struct CopiedType {
    using type = From;
};
template <typename To, typename From>
struct CopiedType<true, To, From> {
    using type = To;
};

}  // namespace SIMT_FLAVOR
}  // namespace simt

template <typename To, typename From>
inline typename simt::CopyResult<simt::HoldsPointers<To>::value || simt::HoldsPointers<From>::value>::type cudaMemcpy(
    To* to, From* from, size_t bytes, cudaMemcpyKind kind) {
    using Copied = typename simt::CopiedType<simt::HoldsPointers<To>::value, To, From>::type;
    return simt::copy_with_pointers<Copied>(to, from, bytes, kind);
}

#endif
