#pragma once
// A sum as two f64: what has been added, and what was lost by rounding.
#include <cuda_runtime.h>

namespace BACKEND {

/// Adds a value to `sum` and returns what rounding lost: the new sum and that are exactly the old sum and the value, unless
/// the sum overflows. (Knuth: The art of computer programming, volume 2.)
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
    /// f32 are added without it: their sum in f64 is already more accurate than a pair of f32.
    __host__ __device__ __forceinline__ void add(float value) { high += value; }
    __host__ __device__ __forceinline__ void add(const DoubleDouble& other) {
        add(other.high);
        low += other.low;
    }

    /// What is lost beside an infinity or a NaN is a NaN.
    __host__ __device__ double value() const { return high - high == 0 ? high + low : high; }
};

}  // namespace BACKEND
