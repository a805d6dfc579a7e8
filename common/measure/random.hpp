// SPDX-License-Identifier: MIT
// Seeded inputs: element i depends on the seed and i alone, so any number of threads fills an array the same way.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/measure/parallel.hpp"

// SplitMix64's output function over a counter (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = (seed + 0x632be59bd9b4e019u) * 0xff51afd7ed558ccdu + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// For sums. Odd numbers from -127 to 127, for floating types divided by 256: symmetric, never zero, and so coarse that
// every partial sum of up to about 10^9 of them is exact in float, in any order. One missing or duplicated element then
// changes the result by more than any rounding.
template <typename T>
T exact_summand(std::uint64_t seed, std::uint64_t index) {
    const int odd = 2 * static_cast<int>(random_bits(seed, index) >> 57) - 127;
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(odd) / 256;
    else return static_cast<T>(odd);
}

// The error that a correct method may make in a sum of n of them. A partial sum is a random walk with a deviation of
// 0.29 sqrt(n); while 4 deviations stay below 2^16 (n up to 3.1 * 10^9) it fits the 24 bits of a float, and no error is
// allowed. Beyond that, each addition may round by 2^-8, half a unit in the last place from 2^16 on, and the rounding
// errors add up like a random walk.
template <typename T>
double summand_error_bound(std::size_t n) {
    const double deviation = 0.29 * std::sqrt(static_cast<double>(n));
    if (!std::is_same_v<T, float> || 4 * deviation < 65536) return 0;
    return std::sqrt(static_cast<double>(n)) / 256;
}

// Uniform over (-1, 1) for floating types, over most of the range for integers: for minima, maxima and element-wise work.
template <typename T>
T uniform(std::uint64_t seed, std::uint64_t index) {
    const auto bits = static_cast<std::int64_t>(random_bits(seed, index));
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(static_cast<double>(bits >> 11) * 0x1p-52);
    else return static_cast<T>(bits >> (66 - 8 * sizeof(T)));  // a quarter of the range: sums of two do not overflow
}

template <typename T, typename Generator>
void fill(T* values, std::size_t n, Generator generate) {
    if (n * sizeof(T) > most_bytes_to_fill()) return;
    parallel_for(n, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) values[i] = generate(i);
    });
}
