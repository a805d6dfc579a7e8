// SPDX-License-Identifier: MIT
// What is reported of what has been found: one number per operation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "common/io/text.hpp"
#include "kernels/reduce/found.cuh"
#include "tools/reduce/host_pieces.hpp"
#include "tools/reduce/options.hpp"

namespace BACKEND {

// The device's operation for one that was asked for by itself. The mean is a sum, divided at the end.
inline Operation operation_on_device(ReduceOperation asked) {
    switch (asked) {
        case ReduceOperation::min: return Operation::minimum;
        case ReduceOperation::max: return Operation::maximum;
        default: return Operation::sum;
    }
}

// Whether methods that do nothing but combine elements can find the result.
inline bool is_combination(const ReduceOperations& operations) {
    return operations.size() == 1 && operations.front() <= ReduceOperation::mean;
}

inline bool is_of_sum(ReduceOperation asked) { return asked == ReduceOperation::sum || asked == ReduceOperation::mean; }

inline bool is_index(ReduceOperation asked) {
    return asked == ReduceOperation::argmin || asked == ReduceOperation::argmax;
}

inline Wanted wanted_for(ReduceOperation asked) {
    switch (asked) {
        case ReduceOperation::sum:
        case ReduceOperation::mean: return wants_sum;
        case ReduceOperation::var:
        case ReduceOperation::std:
        case ReduceOperation::pvar:
        case ReduceOperation::pstd:
        case ReduceOperation::l2: return wants_moments;
        default: return wants_extremes;
    }
}

inline Wanted wanted_for(const ReduceOperations& operations) {
    Wanted wanted{};
    for (const ReduceOperation asked : operations) wanted = wanted | wanted_for(asked);
    return wanted;
}

inline bool is_of_moments(ReduceOperation asked) { return wanted_for(asked) == wants_moments; }

// Whether a result is an integer, which i64 holds.
template <typename T>
bool is_integer_result(ReduceOperation asked) {
    const bool counts = asked >= ReduceOperation::argmin;
    return counts || (std::is_integral_v<T> && asked != ReduceOperation::mean && !is_of_moments(asked));
}

// Ends the program if `count` numbers of this input are too few for one of the operations.
inline void expect_enough(const std::string& input, const ReduceOperations& operations, size_t count) {
    for (const ReduceOperation asked : operations) {
        const bool of_none =
            asked == ReduceOperation::sum || asked == ReduceOperation::l2 || asked == ReduceOperation::nans;
        if (count == 0 && !of_none) fail(Exit::bad_input, "{}: there is no {} of no numbers", input, name_of(asked));
        const bool of_sample = asked == ReduceOperation::var || asked == ReduceOperation::std;
        if (count == 1 && of_sample)
            fail(Exit::bad_input, "{}: a sample of one number has no {}; use --op p{}", input, name_of(asked),
                 name_of(asked));
    }
}

// The nearest number of `bits` bits to a finite sum.
template <typename T>
long double nearest(LongAccumulator<T> sum, unsigned bits) {
    const bool negative = sum.make_magnitude();
    const RoundedMagnitude rounded = sum.round_magnitude(bits, 0);
    const auto significand = static_cast<long double>(rounded.significand);
    const int exponent = static_cast<int>(rounded.position) + LongFormat<T>::smallest_exponent;
    return std::ldexp(negative ? -significand : significand, exponent);
}

inline ExactSum integer_of(const SumByHalves& sum) { return ExactSum{sum.upper} * (ExactSum{1} << 32) + sum.lower; }

// The sum as it is reported, and the one that a mean is made from.
template <typename T>
long double sum_of(const Found<T>& found, bool exact) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<long double>(integer_of(found.summary.sum));
    } else {
        return exact ? found.exact.rounded : static_cast<T>(found.summary.sum.value());
    }
}
template <typename T>
long double sum_for_mean(const Found<T>& found, bool exact) {
    if constexpr (std::is_integral_v<T>) return sum_of(found, exact);
    else if (!exact) return found.summary.sum.value();
    else return std::isfinite(found.exact.rounded) ? nearest(found.exact.sum, 53) : found.exact.rounded;
}

// The sum of the squares of the distances from the mean, divided by `divisor`.
inline long double spread_of(const Moments& moments, std::uint64_t divisor) {
    return divisor == 0 ? 0 : static_cast<long double>(moments.squares) / static_cast<long double>(divisor);
}

// Results that do not exist without numbers are then 0.
template <typename T>
long double value_of(ReduceOperation asked, const Found<T>& found, size_t n, bool exact) {
    const Summary<T>& summary = found.summary;
    const Moments& moments = summary.moments;
    const auto count = static_cast<long double>(n == 0 ? 1 : n);
    const std::uint64_t less_one = moments.count == 0 ? 0 : moments.count - 1;
    const auto unless_nan = [&](long double value) {
        return summary.nans == 0 ? value : std::numeric_limits<long double>::quiet_NaN();
    };
    const auto place = [&](const Placed<T>& placed) -> long double {
        if (summary.nans > 0) return static_cast<long double>(summary.first_nan);
        return placed.at == no_place ? 0 : static_cast<long double>(placed.at);
    };
    const auto least = static_cast<long double>(summary.least.value);
    const auto greatest = static_cast<long double>(summary.greatest.value);
    switch (asked) {
        case ReduceOperation::sum: return sum_of(found, exact);
        case ReduceOperation::mean: return sum_for_mean(found, exact) / count;
        case ReduceOperation::min: return unless_nan(least);
        case ReduceOperation::max: return unless_nan(greatest);
        case ReduceOperation::absmax: return n == 0 ? 0 : unless_nan(std::max(std::fabs(least), std::fabs(greatest)));
        case ReduceOperation::var: return spread_of(moments, less_one);
        case ReduceOperation::pvar: return spread_of(moments, moments.count);
        case ReduceOperation::std: return std::sqrt(spread_of(moments, less_one));
        case ReduceOperation::pstd: return std::sqrt(spread_of(moments, moments.count));
        case ReduceOperation::l2: {  // (no difference: nothing cancels; and an infinity has no distance from a mean)
            const auto is_infinite = [](const Placed<T>& placed) {
                return placed.at != no_place && std::isinf(static_cast<long double>(placed.value));
            };
            if (is_infinite(summary.least) || is_infinite(summary.greatest))
                return unless_nan(std::numeric_limits<long double>::infinity());
            const long double mean = moments.mean;
            return std::sqrt(moments.squares + mean * mean * static_cast<long double>(moments.count));
        }
        case ReduceOperation::argmin: return place(summary.least);
        case ReduceOperation::argmax: return place(summary.greatest);
        case ReduceOperation::nans: return static_cast<long double>(summary.nans);
    }
    __builtin_unreachable();
}

}  // namespace BACKEND
