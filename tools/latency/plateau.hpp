// SPDX-License-Identifier: MIT
// Plateaus of a curve of latency by working set: the levels of a memory hierarchy, without the slopes between them.
#pragma once

#include <cstddef>
#include <vector>

struct CurvePoint {
    double bytes = 0, cycles = 0, ns = 0;
};
using LatencyCurve = std::vector<CurvePoint>;  // by size

// Points from `begin` up to `end`.
struct Plateau {
    std::size_t begin = 0, end = 0;

    std::size_t size() const { return end - begin; }
};

// The median of the latencies of a plateau's points; `of` chooses cycles or nanoseconds.
double plateau_median(const LatencyCurve& curve, const Plateau& plateau, double CurvePoint::*of);

// How far apart the latencies of one level may be, relative to the least.
constexpr double plateau_tolerance = 0.04;

// A plateau has three points or more whose latencies are that close, and its last working set is at least 1.3 times the
// first. In the order of the working sets.
std::vector<Plateau> find_plateaus(const LatencyCurve& curve);

// Splits values of two kinds, such as lines in a near and a far part of a cache, so that the variances within the two
// are least (Otsu, 1979): the medians of the lower and the upper ones. The medians are equal if the two are no further
// apart than the tolerance, or not clearly distinct: Ashman's D, their distance in units of their spread, is 2.7 for a
// normal distribution that is split and 3.5 for a uniform one; two kinds have 4 or more. Outliers, a twentieth at
// either end, are ignored. Takes at least one value.
struct TwoLevels {
    double low = 0, high = 0;
    std::size_t low_count = 0, high_count = 0;

    bool is_one() const { return high_count == 0; }
};

TwoLevels split_in_two(std::vector<double> values);
