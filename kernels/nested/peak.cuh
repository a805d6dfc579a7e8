// SPDX-License-Identifier: MIT
#pragma once
// The integral of a narrow peak over [0, 1], by Simpson's rule on intervals, which are divided if it is not exact
// enough. Host and device get the same results but for the last bits.
#include "kernels/nested/launches.cuh"

#include <cmath>
#include <cstddef>

namespace BACKEND {

/// Neither the middle nor an end of any interval.
constexpr double peak_center = 1.0 / 3;

/// The peak: 1 at the center, 1/2 at a distance of 1 / sharpness.
__host__ __device__ inline double peak_at(double x, double sharpness) {
    const double distance = (x - peak_center) * sharpness;
    return 1 / (1 + distance * distance);
}

struct IntervalEstimate {
    double value, doubt;  // doubt: a bound on the value's error
};

/// The integral over interval i of the 32^level that [0, 1] has at this level. (The five points x are exact.)
__host__ __device__ inline IntervalEstimate estimate_interval(double sharpness, size_t i, unsigned level) {
    const double width = 1.0 / static_cast<double>(size_t{1} << (quadrature_bits * level));
    const auto at = [&](size_t k) { return peak_at(static_cast<double>(4 * i + k) * (width / 4), sharpness); };
    const double ends = at(0) + at(4), middle = at(2), quarters = at(1) + at(3);
    const double whole = width / 6 * (ends + 4 * middle), halves = width / 12 * (ends + 4 * quarters + 2 * middle);
    return {halves + (halves - whole) / 15, fabs(halves - whole) / 15};
}

__host__ __device__ inline bool is_exact_enough(const IntervalEstimate& estimate, double allowed, unsigned level) {
    return estimate.doubt <= allowed || level == quadrature_deepest;
}

struct PartsSum {
    double value = 0;
    unsigned deepest = 0;            // the level of the shortest interval
    unsigned long long divided = 1;  // intervals, including the whole: each into quadrature_parts parts, all tried
};

/// The integral over all parts of an interval, computed by one thread, depth first.
__host__ __device__ inline PartsSum integrate_parts(double sharpness, double allowed, size_t interval, unsigned level) {
    const unsigned top = level + 1;
    size_t i = interval * quadrature_parts;
    PartsSum sum;
    for (unsigned at = top; at > top || i < (interval + 1) * quadrature_parts;) {
        const IntervalEstimate estimate = estimate_interval(sharpness, i, at);
        if (!is_exact_enough(estimate, allowed, at)) {
            i *= quadrature_parts, ++at, ++sum.divided;
            continue;
        }
        sum.value += estimate.value;
        if (at > sum.deepest) sum.deepest = at;
        for (++i; at > top && i % quadrature_parts == 0; --at) i /= quadrature_parts;
    }
    return sum;
}

}  // namespace BACKEND
