// SPDX-License-Identifier: MIT
#pragma once
// How a reduction combines two elements, and in which type.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "kernels/collective/reduction.hpp"

namespace BACKEND {

/// The type of a partial result: 16-bit elements are widened, so that each result is rounded once.
template <typename T>
struct Partial {
    using Type = T;
    static __device__ __forceinline__ T widen(T value) { return value; }
    static __device__ __forceinline__ T narrow(T value) { return value; }
};
template <>
struct Partial<__half> {
    using Type = float;
    static __device__ __forceinline__ float widen(__half value) { return __half2float(value); }
    static __device__ __forceinline__ __half narrow(float value) { return __float2half(value); }
};
template <>
struct Partial<__nv_bfloat16> {
    using Type = float;
    static __device__ __forceinline__ float widen(__nv_bfloat16 value) { return __bfloat162float(value); }
    static __device__ __forceinline__ __nv_bfloat16 narrow(float value) { return __float2bfloat16(value); }
};

/// The reduction is the same for the whole launch, so all lanes take the same branch.
template <typename Value>
__device__ __forceinline__ Value combine(Reduction reduction, Value a, Value b) {
    switch (reduction) {
        case Reduction::product: return a * b;
        case Reduction::minimum: return b < a ? b : a;
        case Reduction::maximum: return a < b ? b : a;
        default: return a + b;
    }
}

/// `count` results of one thread, combined rank by rank.
template <typename T, unsigned count>
struct Partials {
    using Value = typename Partial<T>::Type;
    Value values[count];

    __device__ __forceinline__ void set(const T (&elements)[count]) {
#pragma unroll
        for (unsigned k = 0; k < count; ++k) values[k] = Partial<T>::widen(elements[k]);
    }
    __device__ __forceinline__ void add(Reduction reduction, const T (&elements)[count]) {
#pragma unroll
        for (unsigned k = 0; k < count; ++k) values[k] = combine(reduction, values[k], Partial<T>::widen(elements[k]));
    }
    __device__ __forceinline__ void finish(Reduction reduction, unsigned ranks, T (&elements)[count]) const {
#pragma unroll
        for (unsigned k = 0; k < count; ++k) {
            const Value value = reduction == Reduction::average ? values[k] / static_cast<Value>(ranks) : values[k];
            elements[k] = Partial<T>::narrow(value);
        }
    }
};

}  // namespace BACKEND
