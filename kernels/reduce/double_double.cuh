#pragma once
// A sum as two f64: what has been added, and what was lost by rounding.
#include <cuda_runtime.h>

namespace BACKEND {

struct alignas(16) DoubleDouble {
    double high, low;

    __host__ __device__ __forceinline__ DoubleDouble& operator=(double value) {
        high = value;
        low = 0;
        return *this;
    }
    /// (Knuth's two-sum: high and what is added to low are exactly the old high and the value.)
    __host__ __device__ __forceinline__ void add(double value) {
        const double sum = high + value;
        const double part = sum - high;
        low += (high - (sum - part)) + (value - part);
        high = sum;
    }
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
