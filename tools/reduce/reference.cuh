// SPDX-License-Identifier: MIT
// The numbers of a benchmark, what they reduce to, and how far a method may be off.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "common/measure/random.hpp"
#include "common/measure/team.hpp"
#include "common/measure/verify.hpp"
#include "tools/reduce/host.cuh"
#include "tools/reduce/results.cuh"

namespace BACKEND {

// By default numbers whose sums need no rounding. Sums of integers must stay within the smallest type.
template <typename T>
ReduceValues values_for(const ReduceOptions& asked, const ReduceOperations& operations) {
    const bool adds = std::any_of(operations.begin(), operations.end(), is_of_sum);
    const bool only_adds = std::all_of(operations.begin(), operations.end(), is_of_sum);
    if (std::is_integral_v<T>) return adds ? ReduceValues::coarse : ReduceValues::uniform;
    return asked.values.value_or(only_adds ? ReduceValues::coarse : ReduceValues::uniform);
}

// Most numbers cancel in pairs, at any of many magnitudes; one in eight is left, and is small.
template <typename T>
T wide_value(std::uint64_t seed, std::uint64_t index) {
    constexpr std::uint64_t magnitudes = sizeof(T) == 4 ? 24 : 60;
    const std::uint64_t pair = index / 2, bits = random_bits(seed + 1, pair);
    if (bits % 8 == 0) return uniform<T>(seed, index);
    const T value = std::ldexp(uniform<T>(seed, pair), static_cast<int>(bits / 8 % magnitudes));
    return index % 2 == 0 ? value : -value;
}

// The seed's numbers from number `first` on.
template <typename T>
void fill_values(T* values, size_t n, ReduceValues kind, std::uint64_t seed, size_t first = 0) {
    if (kind == ReduceValues::coarse) fill(values, n, [=](size_t i) { return exact_summand<T>(seed, first + i); });
    else if (kind == ReduceValues::uniform) fill(values, n, [=](size_t i) { return uniform<T>(seed, first + i); });
    else if constexpr (std::is_floating_point_v<T>)
        fill(values, n, [=](size_t i) { return wide_value<T>(seed, first + i); });
}

// In two passes, unlike any of the methods.
template <typename T>
Moments moments_around(const T* values, size_t n, long double mean) {
    struct Sums {
        long double distances = 0, squares = 0;
    };
    const Sums sums = parallel_reduce(
        n, Sums{},
        [&](size_t begin, size_t end) {
            Sums share;
            for (size_t i = begin; i < end; ++i) {
                const long double distance = static_cast<long double>(values[i]) - mean;
                share.distances += distance;
                share.squares += distance * distance;
            }
            return share;
        },
        [](const Sums& a, const Sums& b) {
            return Sums{a.distances + b.distances, a.squares + b.squares};
        });
    if (n == 0) return {};
    return {n, double(mean), double(sums.squares - sums.distances * sums.distances / static_cast<long double>(n))};
}

// The expected result of an operation, and how far methods may be off.
struct Expected {
    ReduceOperation operation;
    long double value = 0;
    long double ulp = 1;                        // of an element of its size
    double plain = 0, accurate = 0, exact = 0;  // absolute

    double bound(Accuracy accuracy) const {
        return accuracy == Accuracy::plain ? plain : accuracy == Accuracy::accurate ? accurate : exact;
    }
};

template <typename T>
struct Reference {
    size_t n = 0;
    std::vector<Expected> of;
};

template <typename T>
long double ulp_of(long double value) {
    if constexpr (std::is_integral_v<T>) return 1;
    const long double smallest = std::numeric_limits<T>::min();
    return std::ldexp(1.0L, std::ilogb(std::max(std::fabs(value), smallest)) + 1 - std::numeric_limits<T>::digits);
}

template <typename T>
double sum_of_magnitudes(const T* values, size_t n) {
    return parallel_reduce(
        n, 0.0,
        [&](size_t begin, size_t end) {
            double share = 0;
            for (size_t i = begin; i < end; ++i) share += std::fabs(double(values[i]));
            return share;
        },
        [](double a, double b) { return a + b; });
}

// What a reference needs to know of the numbers: of one process's at first, then of all processes'.
template <typename T>
struct Known {
    size_t n;
    double magnitudes;  // their sum, where sums round
    Found<T> found;
};

template <typename T>
Known<T> known_to(Team& team, Known<T> known) {
    static_assert(std::is_trivially_copyable_v<Known<T>>);
    if (team.processes() == 1) return known;
    const std::vector<std::string> all = team.gather({reinterpret_cast<const char*>(&known), sizeof known});
    known = {0, 0, found_nothing<T>()};
    for (const std::string& bytes : all) {
        Known<T> other;
        std::memcpy(static_cast<void*>(&other), bytes.data(), sizeof other);
        known.n += other.n;
        known.magnitudes += other.magnitudes;
        merge(known.found, other.found);
    }
    known.found = rounded(known.found);
    return known;
}

// Sets the bounds of a sum. Half a unit in the last place is for the rounding at the end.
template <typename T>
void set_sum_bounds(Expected& sum, size_t count, double magnitudes, ReduceValues values) {
    if constexpr (std::is_floating_point_v<T>) {
        const auto n = double(count);
        sum.plain = sum.accurate = sum.exact = summand_error_bound<T>(count);
        if (values == ReduceValues::coarse) return;
        const auto half_ulp = double(sum.ulp / 2);
        sum.plain = half_ulp + n * magnitudes * std::numeric_limits<T>::epsilon();
        sum.accurate = half_ulp + n * magnitudes * (sizeof(T) == 4 ? 0x1p-53 : n * 0x1p-105);
        sum.exact = half_ulp;
    }
}

// `input` asks for exact sums: long accumulators compute them where simple ones would not be exact. In a team, each of
// whose processes has some of the numbers, it is the reference for all of them; moments must not be asked for.
template <typename T>
Reference<T> make_reference(HostInput<T> input, const ReduceOperations& operations, ReduceValues values,
                            Team& team = Team::alone()) {
    const bool adds = std::any_of(operations.begin(), operations.end(), is_of_sum);
    const bool needs_mean = std::any_of(operations.begin(), operations.end(), is_of_moments);
    if (needs_mean) input.wanted = input.wanted | wants_sum;
    const bool rounds = std::is_floating_point_v<T> && values != ReduceValues::coarse;
    input.accuracy = rounds ? Accuracy::exact : Accuracy::accurate;
    const auto spread = input.wanted;
    input.wanted = static_cast<Wanted>(spread & ~unsigned{wants_moments});
    const double own_magnitudes = rounds && adds ? sum_of_magnitudes(input.values, input.n) : 0;
    auto [n, magnitudes, found] = known_to<T>(team, {input.n, own_magnitudes, reduce_on_all_cores(input)});
    long double sum = 0;
    if constexpr (std::is_floating_point_v<T>)
        sum = rounds ? nearest(found.exact.sum, 64) : static_cast<long double>(found.summary.sum.value());
    else sum = sum_of(found, true);
    const long double count = n == 0 ? 1 : n;
    if (needs_mean) found.summary.moments = moments_around(input.values, n, sum / count);
    Reference<T> reference{n, {}};
    for (const ReduceOperation operation : operations) {
        Expected expected{operation};
        expected.value = operation == ReduceOperation::sum    ? sum
                         : operation == ReduceOperation::mean ? sum / count
                                                              : value_of(operation, found, n, false);
        if (is_of_sum(operation)) {
            Expected of_sum{ReduceOperation::sum, sum, ulp_of<T>(sum)};
            set_sum_bounds<T>(of_sum, n, magnitudes, values);
            const double divisor = operation == ReduceOperation::mean ? double(count) : 1;
            const double division =
                operation == ReduceOperation::mean ? 0x1p-52 * double(std::fabs(expected.value)) : 0;
            expected.plain = of_sum.plain / divisor + division;
            expected.accurate = of_sum.accurate / divisor + division;
            expected.exact = of_sum.exact / divisor + division;
        } else if (is_of_moments(operation)) {  // roundings add up as a random walk does
            expected.plain = (64 + 8 * std::sqrt(double(count))) * 0x1p-53 * double(expected.value);
            expected.accurate = expected.exact = expected.plain;
        }
        expected.ulp = ulp_of<T>(expected.value);
        reference.of.push_back(expected);
    }
    return reference;
}

// Sets `error` to the largest of all operations, in units in the last place of an element.
template <typename T>
Verdict compare_with(const Reference<T>& reference, const Found<T>& found, Accuracy accuracy, double tolerance,
                     double& error) {
    constexpr long double most = 1e30L;  // a sum of 0 has units too small for a table
    error = 0;
    for (const Expected& expected : reference.of) {
        const long double got = value_of(expected.operation, found, reference.n, accuracy == Accuracy::exact);
        const double bound = tolerance >= 0 ? tolerance * double(std::fabs(expected.value)) : expected.bound(accuracy);
        Verdict verdict = compare_value(got, expected.value, bound);
        if (!verdict.right && reference.of.size() > 1)
            verdict.detail = text("{}: {}", name_of(expected.operation), verdict.detail);
        if (!verdict.right) return verdict;
        if (got != expected.value)
            error = std::max(error, double(std::min(most, std::fabs(got - expected.value) / expected.ulp)));
    }
    return {};
}

}  // namespace BACKEND
