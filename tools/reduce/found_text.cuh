// SPDX-License-Identifier: MIT
// How a filter prints what it has found.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "common/io/number_writer.hpp"
#include "tools/reduce/found_total.cuh"

namespace BACKEND {

inline bool fits_i64(ExactSum sum) { return sum == static_cast<std::int64_t>(sum); }

inline unsigned __int128 magnitude_of(ExactSum sum) {
    return sum < 0 ? -static_cast<unsigned __int128>(sum) : static_cast<unsigned __int128>(sum);
}

inline std::string exact_text(ExactSum sum) {
    auto rest = magnitude_of(sum);
    std::string digits;
    do digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    while ((rest /= 10) > 0);
    return (sum < 0 ? "-" : "") + digits;
}

inline std::string integer_sum_text(ExactSum sum) {
    if (!fits_i64(sum))
        fail(Exit::bad_input, "the sum is {}, which does not fit into 64 bits; use -t f64 for a rounded one",
             exact_text(sum));
    return exact_text(sum);
}

// A mean that is not an integer is printed as the nearest f64.
inline std::string integer_mean_text(ExactSum sum, size_t n) {
    const auto count = static_cast<ExactSum>(n);
    if (sum % count == 0) return exact_text(sum / count);
    return number_text(double(static_cast<long double>(sum) / static_cast<long double>(count)));
}

inline std::string real_text(double value, DType dtype) {
    if (dtype != DType::f32) return number_text(value);
    const auto narrow = static_cast<float>(value);
    if (std::isinf(narrow) && std::isfinite(value)) refuse_overflow(DType::f32);
    return number_text(narrow);
}

class FoundText {
public:
    FoundText(const FoundTotals& totals, bool exact) : totals_(totals), exact_(exact) {}

    std::string of(ReduceOperation asked) const {
        const auto count = static_cast<long double>(totals_.count);
        const auto place = [&](const Placed<long double>& placed) {
            return exact_text(totals_.nans > 0 ? totals_.first_nan : placed.at);
        };
        switch (asked) {
            case ReduceOperation::sum: return totals_.floating ? sum_text() : integer_sum_text(totals_.integer);
            case ReduceOperation::mean:
                return totals_.floating ? number_text(sum_for_mean() / double(totals_.count))
                                        : integer_mean_text(totals_.integer, totals_.count);
            case ReduceOperation::min: return extreme_text(totals_.least.value);
            case ReduceOperation::max: return extreme_text(totals_.greatest.value);
            case ReduceOperation::absmax:
                return extreme_text(std::max(std::fabs(totals_.least.value), std::fabs(totals_.greatest.value)));
            case ReduceOperation::var: return spread_text(totals_.squares / (count - 1));
            case ReduceOperation::pvar: return spread_text(totals_.squares / count);
            case ReduceOperation::std: return spread_text(std::sqrt(totals_.squares / (count - 1)));
            case ReduceOperation::pstd: return spread_text(std::sqrt(totals_.squares / count));
            case ReduceOperation::l2: {  // (an infinity has no distance from a mean)
                const bool infinite = std::isinf(totals_.least.value) || std::isinf(totals_.greatest.value);
                if (totals_.count > 0 && totals_.nans == 0 && infinite) return number_text(INFINITY);
                return spread_text(std::sqrt(totals_.squares + totals_.mean * totals_.mean * count));
            }
            case ReduceOperation::argmin: return place(totals_.least);
            case ReduceOperation::argmax: return place(totals_.greatest);
            case ReduceOperation::nans: return exact_text(totals_.nans);
        }
        __builtin_unreachable();
    }

private:
    std::string sum_text() const {
        if (totals_.dtype != DType::f32 || !exact_)
            return real_text(expect_finite(nearest_in<double>()), totals_.dtype);
        const auto sum = nearest_in<float>();
        if (std::isinf(sum) && !saw_special()) refuse_overflow(DType::f32);
        return number_text(sum);
    }

    double sum_for_mean() const { return expect_finite(nearest_in<double>()); }

    bool saw_special() const { return (totals_.exact.seen & (saw_nan | saw_infinity | saw_negative_infinity)) != 0; }

    double expect_finite(double sum) const {
        if (!std::isfinite(sum) && !saw_special()) refuse_overflow(DType::f64);
        return sum;
    }

    // The nearest T to the exact sum, in one rounding.
    template <typename T>
    T nearest_in() const {
        constexpr int unit = LongFormat<double>::smallest_exponent;
        constexpr int smallest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
        LongAccumulator<double> sum = totals_.exact;
        add_integer(sum);
        if (totals_.count == 0) return 0;
        if (saw_special() || sum.seen == 0) return static_cast<T>(sum.take_rounded());
        const bool negative = sum.make_magnitude();
        const RoundedMagnitude rounded = sum.round_magnitude(std::numeric_limits<T>::digits, smallest - unit);
        const double magnitude = std::ldexp(double(rounded.significand), int(rounded.position) + unit);
        return static_cast<T>(negative && magnitude > 0 ? -magnitude : magnitude);
    }

    void add_integer(LongAccumulator<double>& sum) const {
        Sightings<double> finite;
        const double sign = totals_.integer < 0 ? -1 : 1;
        unsigned __int128 rest = magnitude_of(totals_.integer);
        for (int exponent = 0; rest != 0; exponent += 32, rest >>= 32)
            sum.add(sign * std::ldexp(double(static_cast<std::uint32_t>(rest)), exponent), finite);
        sum.carry();
    }

    std::string extreme_text(long double value) const {
        if (totals_.nans > 0) return number_text(std::numeric_limits<double>::quiet_NaN());
        if (!totals_.floating) return exact_text(static_cast<ExactSum>(value));
        return real_text(double(value), totals_.dtype);
    }

    // An f64, whatever the type of the numbers.
    static std::string spread_text(long double value) {
        if (std::isfinite(value) && !std::isfinite(double(value))) refuse_overflow(DType::f64);
        return number_text(double(value));
    }

    const FoundTotals& totals_;
    const bool exact_;
};

}  // namespace BACKEND
