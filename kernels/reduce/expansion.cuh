#pragma once
// Floating-point expansions: a sum kept as a few f64 that add up to it exactly. As long as these hold all bits, adding a
// number costs additions in registers alone and no memory. (Shewchuk: Adaptive precision floating-point arithmetic, 1997.
// In front of a long accumulator: Collange, Defour, Graillat, Iakymchuk: Numerical reproducibility for the parallel
// reduction on multi- and many-core architectures, 2015.)
#include "common/cuda/bits.cuh"
#include "kernels/reduce/double_double.cuh"

#include <cuda_runtime.h>

#include <type_traits>

namespace BACKEND {

/// The parts are some 53 bits apart, the largest first. One holds sums of f32 of similar size, two those of f64.
class Expansion {
public:
    static constexpr int parts = 3;

    /// Whether add() may have this number: no part may overflow, not even with 2^40 of the largest numbers.
    template <typename T>
    __device__ static bool can_take(T value) {
        if constexpr (std::is_same_v<T, double>) return value < 0x1p970 && value > -0x1p970;  // false for a NaN, too
        else return true;
    }

    /// Adds all numbers and leaves in their place what the parts cannot hold. Returns whether that is 0 everywhere, as it
    /// usually is. There is one branch per part, not per number: a branch waits for the additions before it, and without
    /// one the numbers' additions overlap.
    template <unsigned count>
    __device__ __forceinline__ bool add(double (&numbers)[count]) {
#pragma unroll
        for (int i = 0; i < parts; ++i) {
            BitsOf<double> lost = 0;
#pragma unroll
            for (unsigned j = 0; j < count; ++j) {
                numbers[j] = two_sum(parts_[i], numbers[j]);
                lost |= to_bits(numbers[j]);
            }
            if (lost << 1 == 0) return true;  // without the sign of zeros
        }
        return false;
    }

    __device__ double part(int i) const { return parts_[i]; }

private:
    double parts_[parts] = {};
};

}  // namespace BACKEND
