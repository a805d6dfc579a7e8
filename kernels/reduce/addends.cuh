// SPDX-License-Identifier: MIT
#pragma once
// What the textbook's kernels add up. They know only sums: of a type whose 0 changes nothing, with += and +, atomicAdd
// and __shfl_down_sync. With one of these types in place of T, as wide as T, they find every result for every T:
//     Addend<T>     the sum. Integers have no sign, so that they wrap around without undefined behavior
//     Least<T>      + is the minimum, 0 the largest value
//     Greatest<T>   + is the maximum, 0 the smallest value
#include "common/cuda/bits.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <type_traits>

namespace BACKEND {

template <typename T>
using Addend = std::conditional_t<std::is_integral_v<T>, BitsOf<T>, T>;

template <typename T, bool greatest>
struct ExtremeAddend {
    T value;

    ExtremeAddend() = default;  // sets nothing: a variable in shared memory must not be initialized
    __host__ __device__ constexpr ExtremeAddend(int) : value(Extreme<T>{greatest}.identity()) {}  // only from 0

    __device__ friend ExtremeAddend operator+(ExtremeAddend a, const ExtremeAddend& b) { return a += b; }
    __device__ ExtremeAddend& operator+=(const ExtremeAddend& b) {
        value = Extreme<T>{greatest}.combine(value, b.value);
        return *this;
    }

    __device__ friend ExtremeAddend __shfl_down_sync(unsigned mask, ExtremeAddend mine, unsigned offset) {
        mine.value = ::__shfl_down_sync(mask, mine.value, offset);
        return mine;
    }

    /// Where the hardware has no such atomic: computes the new value from the one last seen, and writes it only if no
    /// other thread has written in between. The first guess is the identity: reading the address first would be one
    /// more access, and a data race.
    __device__ friend void atomicAdd(ExtremeAddend* address, ExtremeAddend mine) {
        if constexpr (std::is_floating_point_v<T>) {
            auto* word = reinterpret_cast<BitsOf<T>*>(address);
            BitsOf<T> seen = to_bits(ExtremeAddend(0).value);
            for (;;) {
                const BitsOf<T> found =
                    atomicCAS(word, seen, to_bits(Extreme<T>{greatest}.combine(from_bits<T>(seen), mine.value)));
                if (found == seen) return;
                seen = found;
            }
        } else {
            using Word = std::conditional_t<sizeof(T) == 4, int, long long>;  // as the atomics are declared
            if constexpr (greatest) atomicMax(reinterpret_cast<Word*>(address), static_cast<Word>(mine.value));
            else atomicMin(reinterpret_cast<Word*>(address), static_cast<Word>(mine.value));
        }
    }
};

template <typename T>
using Least = ExtremeAddend<T, false>;
template <typename T>
using Greatest = ExtremeAddend<T, true>;

}  // namespace BACKEND
