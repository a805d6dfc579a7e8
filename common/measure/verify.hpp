// SPDX-License-Identifier: MIT
// Comparing a result with a reference in higher precision. Every comparison is !(error <= bound), so a NaN fails.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

#include "common/io/text.hpp"
#include "common/measure/parallel.hpp"
#include "common/measure/team.hpp"

struct Verdict {
    bool right = true;
    std::string detail = {};  // for a wrong result: got, expected, allowed
};

// The verdict of the first process with a wrong result, the same in all processes.
inline Verdict verdict_of_all(Team& team, const Verdict& mine) {
    if (team.processes() == 1) return mine;
    const std::string wrong = "wrong: ";
    for (const std::string& words : team.gather(mine.right ? "" : wrong + mine.detail))
        if (!words.empty()) return {false, words.substr(wrong.size())};
    return {};
}

// Compares one number. `bound` is absolute.
inline Verdict compare_value(long double got, long double expected, long double bound) {
    if (!(std::fabs(got - expected) <= bound) && got != expected)  // equal infinities differ by NaN
        return {false, text("got {:.17g}, expected {:.17g}, allowed error {:.3g}", double(got), double(expected),
                            double(bound))};
    return {};
}

// How a message shows an element: whole numbers exactly, others so that they read back the same.
template <typename T>
auto shown(long double value) {
    if constexpr (std::is_integral_v<T>) return static_cast<long long>(value);
    else return static_cast<double>(value);
}

// Compares n elements with expected(i) in long double, which holds every int64_t and the sum of two doubles;
// bound(expected) is absolute. Reports the first wrong element; the message counts from `first_index`.
template <typename T, typename Expected, typename Bound>
Verdict compare_elements(const T* got, std::size_t n, Expected expected, Bound bound, std::size_t first_index = 0) {
    const std::size_t first_wrong = parallel_reduce(
        n, n,
        [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const long double want = expected(i);
                if (!(std::fabs(static_cast<long double>(got[i]) - want) <= bound(want))) return i;
            }
            return n;
        },
        [](std::size_t a, std::size_t b) { return a < b ? a : b; });
    if (first_wrong == n) return {};
    const long double want = expected(first_wrong);
    return {false, text("element {}: got {}, expected {}, allowed error {:.3g}", first_index + first_wrong,
                        shown<T>(got[first_wrong]), shown<T>(want), static_cast<double>(bound(want)))};
}
