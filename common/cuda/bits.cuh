// SPDX-License-Identifier: MIT
// The bits of a number as an unsigned integer, on host and device.
#pragma once

#include <cuda_runtime.h>

#include <cstring>

namespace BACKEND {

template <unsigned bytes>
struct BitsOfSize;
template <>
struct BitsOfSize<4> {
    using Type = unsigned int;
};
template <>
struct BitsOfSize<8> {
    using Type = unsigned long long;
};

/// The unsigned integer as wide as T, for atomicCAS and bit shifts.
template <typename T>
using BitsOf = typename BitsOfSize<sizeof(T)>::Type;

template <typename T>
__host__ __device__ inline BitsOf<T> to_bits(T value) {
    BitsOf<T> bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <typename T>
__host__ __device__ inline T from_bits(BitsOf<T> bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace BACKEND
