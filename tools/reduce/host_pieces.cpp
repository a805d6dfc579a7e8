// SPDX-License-Identifier: MIT
// make: -O3 (its time goes into loops over numbers)
#include "tools/reduce/host_pieces.hpp"

#include <limits>
#include <type_traits>

#include "common/measure/vector_units.hpp"

namespace {

// Running totals, as many for any vector length: enough to hide the latency of an addition.
constexpr std::size_t lanes = 32;

template <typename Total>
IN_EVERY_CALLER Total sum_of_lanes(const Total (&totals)[lanes]) {
    Total sums[lanes];
    for (std::size_t i = 0; i < lanes; ++i) sums[i] = totals[i];
    for (std::size_t half = lanes / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
    return sums[0];
}

template <typename T>
struct Sum {
    IN_EVERY_CALLER static double run(const T* values, std::size_t n) {
        double totals[lanes] = {};
        const std::size_t whole = n / lanes * lanes;
        for (std::size_t i = 0; i < whole; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k) totals[k] += static_cast<double>(values[i + k]);
        for (std::size_t i = whole; i < n; ++i) totals[i - whole] += static_cast<double>(values[i]);
        return sum_of_lanes(totals);
    }
};

// No sum of 32-bit numbers that fit into memory overflows 64 bits.
template <>
struct Sum<std::int32_t> {
    IN_EVERY_CALLER static ExactSum run(const std::int32_t* values, std::size_t n) {
        std::int64_t totals[lanes] = {};
        const std::size_t whole = n / lanes * lanes;
        for (std::size_t i = 0; i < whole; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k) totals[k] += values[i + k];
        for (std::size_t i = whole; i < n; ++i) totals[i - whole] += values[i];
        return sum_of_lanes(totals);
    }
};

// Adds halves: v + 2^63, which is unsigned, is 2^32 times its upper half plus the lower one.
template <>
struct Sum<std::int64_t> {
    IN_EVERY_CALLER static ExactSum run(const std::int64_t* values, std::size_t n) {
        std::uint64_t upper[lanes] = {}, lower[lanes] = {};
        const auto add = [&](std::size_t lane, std::int64_t value) __attribute__((always_inline)) {
            const std::uint64_t shifted = static_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 63;
            upper[lane] += shifted >> 32;
            lower[lane] += shifted & 0xffffffff;
        };
        const std::size_t whole = n / lanes * lanes;
        for (std::size_t i = 0; i < whole; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k) add(k, values[i + k]);
        for (std::size_t i = whole; i < n; ++i) add(i - whole, values[i]);
        const ExactSum shift = (ExactSum{1} << 63) * static_cast<ExactSum>(n);
        return ExactSum{sum_of_lanes(upper)} * (ExactSum{1} << 32) + sum_of_lanes(lower) - shift;
    }
};

// A NaN is neither smaller nor larger than anything, so NaNs are looked for separately.
template <typename T, bool is_minimum>
struct Extreme {
    IN_EVERY_CALLER static T run(const T* values, std::size_t n) {
        using Flag = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        T extremes[lanes];
        Flag nans[lanes] = {};
        for (T& extreme : extremes) extreme = values[0];
        const auto take = [&](std::size_t lane, T value) __attribute__((always_inline)) {
            const bool is_new = is_minimum ? value < extremes[lane] : value > extremes[lane];
            extremes[lane] = is_new ? value : extremes[lane];
            if constexpr (std::is_floating_point_v<T>) nans[lane] |= value != value;
        };
        const std::size_t whole = n / lanes * lanes;
        for (std::size_t i = 0; i < whole; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k) take(k, values[i + k]);
        for (std::size_t i = whole; i < n; ++i) take(i - whole, values[i]);
        for (std::size_t k = 1; k < lanes; ++k) {
            take(0, extremes[k]);
            nans[0] |= nans[k];
        }
        return nans[0] ? std::numeric_limits<T>::quiet_NaN() : extremes[0];
    }
};

}  // namespace

double sum_of_piece(const float* values, std::size_t n) { return run_on_vector_units<Sum<float>>(values, n); }
double sum_of_piece(const double* values, std::size_t n) { return run_on_vector_units<Sum<double>>(values, n); }
ExactSum sum_of_piece(const std::int32_t* values, std::size_t n) {
    return run_on_vector_units<Sum<std::int32_t>>(values, n);
}
ExactSum sum_of_piece(const std::int64_t* values, std::size_t n) {
    return run_on_vector_units<Sum<std::int64_t>>(values, n);
}

template <typename T>
T minimum_of_piece(const T* values, std::size_t n) {
    return run_on_vector_units<Extreme<T, true>>(values, n);
}
template <typename T>
T maximum_of_piece(const T* values, std::size_t n) {
    return run_on_vector_units<Extreme<T, false>>(values, n);
}

#define INSTANTIATE(T)                                     \
    template T minimum_of_piece<T>(const T*, std::size_t); \
    template T maximum_of_piece<T>(const T*, std::size_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)
#undef INSTANTIATE
