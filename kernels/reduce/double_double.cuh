#pragma once
// A sum as two f64: the rounded sum, and what rounding has lost.
#include <cuda_runtime.h>

namespace BACKEND {

struct alignas(16) DoubleDouble {
    double high, low;

    __host__ __device__ __forceinline__ DoubleDouble& operator=(double value) {
        high = value;
        low = 0;
        return *this;
    }
    /// (Knuth's two-sum: the new high plus the addend of low is exactly the old high plus the value.)
    __host__ __device__ __forceinline__ void add(double value) {
        const double sum = high + value;
        const double part = sum - high;
        low += (high - (sum - part)) + (value - part);
        high = sum;
    }
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
