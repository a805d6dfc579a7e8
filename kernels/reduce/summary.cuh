// SPDX-License-Identifier: MIT
#pragma once
// A summary of numbers from one pass over them, for host and device: sum, moments, extremes and their places, NaNs.
#include "kernels/reduce/double_double.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace BACKEND {

/// A sum of 64-bit integers in halves: upper * 2^32 + lower, exact for up to 2^31 numbers of any size.
struct alignas(16) SumByHalves {
    std::int64_t upper;
    std::int64_t lower;

    __host__ __device__ __forceinline__ void add(std::int64_t value) {
        upper += value >> 32;
        lower += value & 0xffffffff;
    }
    __host__ __device__ __forceinline__ void add(const SumByHalves& other) {
        upper += other.upper;
        lower += other.lower;
    }
};

template <typename T>
using SummarySum = std::conditional_t<std::is_integral_v<T>, SumByHalves, DoubleDouble>;

/// A number and the first index at which it occurs; no_place if it occurs nowhere.
constexpr std::uint64_t no_place = ~std::uint64_t{0};

template <typename T>
struct alignas(16) Placed {
    T value;
    std::uint64_t at;

    template <bool greatest>
    __host__ __device__ void merge(const Placed& other) {
        const bool beyond = greatest ? other.value > value : other.value < value;
        if (beyond || (other.value == value && other.at < at)) *this = other;
    }
};

/// The mean of `count` numbers, and the sum of the squares of their distances from it.
struct Moments {
    std::uint64_t count;
    double mean, squares;

    /// (Chan, Golub, LeVeque: Updating formulae and a pairwise algorithm for computing sample variances, 1979.)
    __host__ __device__ void merge(const Moments& other) {
        if (other.count == 0) return;
        if (count == 0) {
            *this = other;
            return;
        }
        const double distance = other.mean - mean;
        const double share = static_cast<double>(other.count) / static_cast<double>(count + other.count);
        squares += other.squares + distance * distance * share * static_cast<double>(count);
        mean += distance * share;
        count += other.count;
    }
};

template <typename T>
struct Summary {
    SummarySum<T> sum;
    Placed<T> least, greatest;  // of the numbers that are not NaN
    std::uint64_t nans, first_nan;
    Moments moments;  // of the numbers times the scale

    __host__ __device__ static Summary of_nothing() {
        return {{0, 0}, {largest_value<T>, no_place}, {smallest_value<T>, no_place}, 0, no_place, {0, 0, 0}};
    }

    __host__ __device__ void merge(const Summary& other) {
        sum.add(other.sum);
        moments.merge(other.moments);
        least.template merge<false>(other.least);
        greatest.template merge<true>(other.greatest);
        nans += other.nans;
        first_nan = first_nan < other.first_nan ? first_nan : other.first_nan;
    }
};

/// One thread's summary in progress. Moments are taken about the first number: its distance from the others is of the
/// order of their spread, whatever the mean is, so little cancels at the end.
template <typename T>
class RunningSummary {
public:
    __host__ __device__ RunningSummary(Wanted wanted, double scale) : wanted_(wanted), scale_(scale) {}

    /// Adds the numbers at indices first, first + 1, ... Call it in index order, or the places are not the first ones.
    template <unsigned length>
    __host__ __device__ __forceinline__ void add(const T (&values)[length], std::uint64_t first) {
        if ((wanted_ & wants_sum) != 0) {
            for (const T value : values) found_.sum.add(value);
        }
        if ((wanted_ & wants_moments) != 0) {
            if (count_ == 0) origin_ = values[0];
            count_ += length;
            for (const T value : values) {
                const double distance = distance_from_origin(value);
                distances_ += distance;
                squares_ += distance * distance;
            }
        }
        if ((wanted_ & wants_extremes) != 0) {
            for (unsigned k = 0; k < length; ++k) compare(values[k], first + k);
        }
    }

    __host__ __device__ Summary<T> summary() const {
        Summary<T> found = found_;
        if (count_ == 0) return found;
        const double mean = distances_ / static_cast<double>(count_);
        const double squares = squares_ - mean * distances_;
        const double origin = std::is_same_v<T, double> ? origin_ * scale_ : static_cast<double>(origin_);
        found.moments = {count_, origin + mean, squares < 0 ? 0 : squares};
        return found;
    }

private:
    /// Squares of f64 may overflow or underflow, so f64 are scaled first. Squares of the other types cannot.
    __host__ __device__ __forceinline__ double distance_from_origin(T value) const {
        if constexpr (std::is_same_v<T, double>) {
            return value * scale_ - origin_ * scale_;
        } else if constexpr (std::is_same_v<T, std::int64_t>) {  // exact if 64 bits hold it, else as good as exact
            const auto distance = static_cast<std::int64_t>(std::uint64_t(value) - std::uint64_t(origin_));
            const bool wraps = ((value ^ origin_) & (value ^ distance)) < 0;
            return wraps ? static_cast<double>(value) - static_cast<double>(origin_) : static_cast<double>(distance);
        } else {
            return static_cast<double>(value) - static_cast<double>(origin_);
        }
    }

    __host__ __device__ __forceinline__ void compare(T value, std::uint64_t at) {
        const bool is_number = value == value;
        if (value < found_.least.value || (found_.least.at == no_place && is_number)) found_.least = {value, at};
        if (value > found_.greatest.value || (found_.greatest.at == no_place && is_number)) {
            found_.greatest = {value, at};
        }
        if (!is_number) {
            ++found_.nans;
            if (found_.first_nan == no_place) found_.first_nan = at;
        }
    }

    Wanted wanted_;
    double scale_;
    T origin_ = 0;
    std::uint64_t count_ = 0;
    double distances_ = 0, squares_ = 0;
    Summary<T> found_ = Summary<T>::of_nothing();
};

}  // namespace BACKEND
