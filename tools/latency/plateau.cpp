// SPDX-License-Identifier: MIT
#include "tools/latency/plateau.hpp"

#include <algorithm>
#include <cmath>

// Fewer points may be level by chance, and many of nearly the same size say nothing about larger ones.
constexpr std::size_t fewest_points = 3;
constexpr double least_span = 1.3;

// The longest run of points in [begin, end) whose latencies are close; on a tie the first.
static Plateau longest_plateau(const LatencyCurve& curve, std::size_t begin, std::size_t end) {
    Plateau longest{begin, begin};
    for (std::size_t first = begin; first < end; ++first) {
        double least = curve[first].cycles, most = least;
        std::size_t last = first;
        for (std::size_t i = first + 1; i < end; ++i) {
            least = std::min(least, curve[i].cycles);
            most = std::max(most, curve[i].cycles);
            if (!(most <= least * (1 + plateau_tolerance))) break;
            last = i;
        }
        if (last + 1 - first > longest.size()) longest = {first, last + 1};
    }
    return longest;
}

static void append_plateaus(const LatencyCurve& curve, std::size_t begin, std::size_t end,
                            std::vector<Plateau>& plateaus) {
    if (end - begin < fewest_points) return;
    const Plateau longest = longest_plateau(curve, begin, end);
    if (longest.size() < fewest_points) return;
    // Points next to a level but outside its tolerance are its slope, which may be flat for a few points.
    const bool wide = curve[longest.end - 1].bytes >= least_span * curve[longest.begin].bytes;
    append_plateaus(curve, begin, longest.begin, plateaus);
    if (wide) plateaus.push_back(longest);
    append_plateaus(curve, longest.end, end, plateaus);
}

double plateau_median(const LatencyCurve& curve, const Plateau& plateau, double CurvePoint::*of) {
    std::vector<double> values;
    for (std::size_t i = plateau.begin; i < plateau.end; ++i) values.push_back(curve[i].*of);
    std::sort(values.begin(), values.end());
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// Neighboring plateaus whose medians are within the tolerance belong to one level: they are merged.
std::vector<Plateau> find_plateaus(const LatencyCurve& curve) {
    std::vector<Plateau> found, merged;
    append_plateaus(curve, 0, curve.size(), found);
    for (const Plateau& plateau : found) {
        const auto level = [&](const Plateau& of) { return plateau_median(curve, of, &CurvePoint::cycles); };
        const bool same = !merged.empty() && level(plateau) <= level(merged.back()) * (1 + plateau_tolerance) &&
                          level(merged.back()) <= level(plateau) * (1 + plateau_tolerance);
        if (same) merged.back().end = plateau.end;
        else merged.push_back(plateau);
    }
    return merged;
}

// Mean and variance of sorted values.
struct Spread {
    double mean = 0, variance = 0;
};

static Spread spread_of(const std::vector<double>& values, std::size_t begin, std::size_t end) {
    Spread spread;
    for (std::size_t i = begin; i < end; ++i) spread.mean += values[i] / double(end - begin);
    for (std::size_t i = begin; i < end; ++i)
        spread.variance += (values[i] - spread.mean) * (values[i] - spread.mean) / double(end - begin);
    return spread;
}

// Where the sum of the squared distances from the two means is least. For at least two sorted values.
static std::size_t best_split(const std::vector<double>& values) {
    std::size_t best = 1;
    double least = 0;
    for (std::size_t split = 1; split < values.size(); ++split) {
        if (values[split] == values[split - 1] && split > 1) continue;
        const double squares = spread_of(values, 0, split).variance * double(split) +
                               spread_of(values, split, values.size()).variance * double(values.size() - split);
        if (split == 1 || squares < least) least = squares, best = split;
    }
    return best;
}

TwoLevels split_in_two(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t outliers = values.size() / 20;
    values = {values.begin() + long(outliers), values.end() - long(outliers)};
    const auto median = [&](std::size_t begin, std::size_t end) {
        return (values[begin + (end - begin - 1) / 2] + values[begin + (end - begin) / 2]) / 2;
    };
    const TwoLevels one = {median(0, values.size()), median(0, values.size()), values.size(), 0};
    if (values.size() < 2) return one;
    constexpr double least_distance = 4;  // Ashman's D
    const std::size_t split = best_split(values);
    const Spread low = spread_of(values, 0, split), high = spread_of(values, split, values.size());
    const double distance = std::sqrt(2) * (high.mean - low.mean), spread = std::sqrt(low.variance + high.variance);
    if (!(distance >= least_distance * spread) || !(high.mean > low.mean * (1 + plateau_tolerance))) return one;
    return {median(0, split), median(split, values.size()), split, values.size() - split};
}
