// SPDX-License-Identifier: MIT
// The reductions on the host: the reference, and two rows of the table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/measure/parallel.hpp"
#include "kernels/reduce/found.cuh"
#include "kernels/reduce/operators.cuh"
#include "tools/reduce/options.hpp"

namespace BACKEND {

// References and partial results on the host are kept wider than the elements.
template <typename T>
using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

// The host's elements, and what to do with them: to combine them by one operation, or else to find what is wanted.
template <typename T>
struct HostInput {
    const T* values = nullptr;
    size_t n = 0;
    Operation operation = Operation::sum;
    bool finds = false;
    Wanted wanted = wants_sum;
    Accuracy accuracy = Accuracy::plain;
    double scale = 1;
};

template <typename T>
Wide<T> combine(Operation operation, Wide<T> a, Wide<T> b) {
    return with_operator<Wide<T>>(operation, [=](auto op) { return op.combine(a, b); });
}

// An empty range reduces to the identity of T's operation, not of Wide<T>'s: the minimum of no i32 is the largest i32.
template <typename T>
Wide<T> reduce_share(const HostInput<T>& input, size_t begin, size_t end) {
    return with_operator<Wide<T>>(input.operation, [&](auto op) {
        Wide<T> total = identity_of<T>(input.operation);
        for (size_t i = begin; i < end; ++i) total = op.combine(total, static_cast<Wide<T>>(input.values[i]));
        return total;
    });
}

template <typename T>
Found<T> found_nothing() {
    Found<T> found{Summary<T>::of_nothing(), {}};
    if constexpr (std::is_floating_point_v<T>) found.exact = {LongAccumulator<T>::zero(), T(-0.0)};
    return found;
}

// The result of one operation as a Found<T>.
template <typename T>
Found<T> found_of(Operation operation, Wide<T> result) {
    Found<T> found = found_nothing<T>();
    Summary<T>& summary = found.summary;
    if (operation == Operation::sum) summary.sum.add(result);
    else (operation == Operation::minimum ? summary.least : summary.greatest) = {static_cast<T>(result), 0};
    summary.nans = operation != Operation::sum && result != result;
    return found;
}

template <typename T>
void merge(Found<T>& found, const Found<T>& other) {
    found.summary.merge(other.summary);
    if constexpr (std::is_floating_point_v<T>) found.exact.sum.merge(other.exact.sum);
}

template <typename T>
LongAccumulator<T> add_exactly(const T* values, size_t n) {
    auto sum = LongAccumulator<T>::zero();
    Sightings<T> sightings;
    for (size_t begin = 0; begin < n;) {
        const size_t end = std::min<size_t>(n, begin + LongFormat<T>::adds_before_carry);
        for (; begin < end; ++begin) sum.add(values[begin], sightings);
        sum.carry();
    }
    sum.seen = sightings.seen();
    return sum;
}

// A few at a time, so that moments are taken around a nearby number.
template <typename T>
Summary<T> summarize(const T* values, size_t begin, size_t end, Wanted wanted, double scale) {
    constexpr size_t few = 4096;
    constexpr unsigned at_once = 8;
    Summary<T> summary = Summary<T>::of_nothing();
    while (begin < end) {
        const size_t stop = std::min(end, begin + few);
        RunningSummary<T> running(wanted, scale);
        for (; begin + at_once <= stop; begin += at_once)
            running.add(reinterpret_cast<const T(&)[at_once]>(values[begin]), begin);
        for (; begin < stop; ++begin) running.add(reinterpret_cast<const T(&)[1]>(values[begin]), begin);
        summary.merge(running.summary());
    }
    return summary;
}

template <typename T>
Found<T> find_in_share(const HostInput<T>& input, size_t begin, size_t end) {
    if (!input.finds) return found_of<T>(input.operation, reduce_share(input, begin, end));
    Found<T> found = found_nothing<T>();
    auto wanted = input.wanted;
    if constexpr (std::is_floating_point_v<T>) {
        if (input.accuracy == Accuracy::exact && (wanted & wants_sum) != 0) {
            found.exact.sum = add_exactly(input.values + begin, end - begin);
            wanted = static_cast<Wanted>(wanted & ~unsigned{wants_sum});
        }
    }
    if (wanted != 0) found.summary = summarize(input.values, begin, end, wanted, input.scale);
    return found;
}

// Rounds the exact sum to the nearest T. Done at the end, as on a device.
template <typename T>
Found<T> rounded(Found<T> found) {
    if constexpr (std::is_floating_point_v<T>) {
        LongAccumulator<T> sum = found.exact.sum;
        found.exact.rounded = sum.take_rounded();
    }
    return found;
}

template <typename T>
Found<T> reduce_on_one_core(const HostInput<T>& input) {
    return rounded(find_in_share(input, 0, input.n));
}

template <typename T>
Found<T> reduce_on_all_cores(const HostInput<T>& input) {
    return rounded(parallel_reduce(
        input.n, found_nothing<T>(), [&](size_t begin, size_t end) { return find_in_share(input, begin, end); },
        [&](Found<T> a, const Found<T>& b) {
            merge(a, b);
            return a;
        }));
}

}  // namespace BACKEND
