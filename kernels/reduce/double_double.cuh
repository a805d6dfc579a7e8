// SPDX-License-Identifier: MIT
#pragma once
// A sum as two f64: the rounded sum, and what rounding has lost.
#include <cuda_runtime.h>

namespace BACKEND {

/// Adds a value to `sum` and returns the rounding error: new sum + error is exactly old sum + value, unless the sum
/// overflows. (Knuth: The Art of Computer Programming, volume 2, 4.2.2.)
__host__ __device__ __forceinline__ double two_sum(double& sum, double value) {
    const double old = sum;
    sum = old + value;
    const double part = sum - old;
    return (old - (sum - part)) + (value - part);
}

struct alignas(16) DoubleDouble {
    double high, low;

    __host__ __device__ __forceinline__ DoubleDouble& operator=(double value) {
        high = value;
        low = 0;
        return *this;
    }
    __host__ __device__ __forceinline__ void add(double value) { low += two_sum(high, value); }
    /// No two-sum for f32: their sum in f64 is already more accurate than a pair of f32.
    __host__ __device__ __forceinline__ void add(float value) { high += value; }
    __host__ __device__ __forceinline__ void add(const DoubleDouble& other) {
        add(other.high);
        low += other.low;
    }

    /// If the sum is infinite or NaN, low is NaN and must be left out.
    __host__ __device__ double value() const { return high - high == 0 ? high + low : high; }
};

}  // namespace BACKEND
