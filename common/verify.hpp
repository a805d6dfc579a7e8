// Comparing a result with a reference in higher precision. Every comparison is written !(error <= bound): a NaN fails.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>

#include "common/parallel.hpp"
#include "common/text.hpp"

struct Verdict {
    bool right = true;
    std::string detail = {};  // for a wrong result: got, expected, allowed
};

// One number. `bound` is absolute.
inline Verdict compare_value(long double got, long double expected, long double bound) {
    if (!(std::fabs(got - expected) <= bound) && got != expected)  // equal infinities have no difference
        return {false, text("got {:.17g}, expected {:.17g}, allowed error {:.3g}", double(got), double(expected), double(bound))};
    return {};
}

// n elements against expected(i) in double; bound(expected) is absolute. Reports the first wrong element.
template <typename T, typename Expected, typename Bound>
Verdict compare_elements(const T* got, std::size_t n, Expected expected, Bound bound) {
    const std::size_t first_wrong = parallel_reduce(
        n, n,
        [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const double want = expected(i);
                if (!(std::fabs(double(got[i]) - want) <= bound(want))) return i;
            }
            return n;
        },
        [](std::size_t a, std::size_t b) { return a < b ? a : b; });
    if (first_wrong == n) return {};
    const double want = expected(first_wrong);
    return {false, text("element {}: got {:.9g}, expected {:.9g}, allowed error {:.3g}", first_wrong, double(got[first_wrong]),
                        want, bound(want))};
}
