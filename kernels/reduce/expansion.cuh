// SPDX-License-Identifier: MIT
#pragma once
// Floating-point expansions: a sum is kept as a few f64 that add up to it exactly. As long as they hold all bits, adding a
// number takes only additions in registers and no memory. (Shewchuk: Adaptive precision floating-point arithmetic, 1997.
// In front of a long accumulator: Collange, Defour, Graillat, Iakymchuk: Numerical reproducibility for the parallel
// reduction on multi- and many-core architectures, 2015.)
#include "common/cuda/bits.cuh"
#include "kernels/reduce/double_double.cuh"

#include <cuda_runtime.h>

#include <type_traits>

namespace BACKEND {

/// Each part is what rounding lost from the one before, about 53 bits below its largest sum. One part holds a sum of f32 of similar size, two one of f64.
class Expansion {
public:
    static constexpr int parts = 3;

    /// Whether add() takes this number: no part may overflow, not even after 2^40 of the largest numbers.
    template <typename T>
    __device__ static bool can_take(T value) {
        if constexpr (std::is_same_v<T, double>) return value < 0x1p970 && value > -0x1p970;  // false for a NaN, too
        else return true;
    }

    /// Adds all numbers, and replaces each by what the parts cannot hold. Returns whether that is 0 everywhere, as it
    /// usually is. One branch per part instead of one per number: a branch waits for the additions before it, whereas the
    /// additions of several numbers overlap.
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
