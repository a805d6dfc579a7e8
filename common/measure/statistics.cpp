// SPDX-License-Identifier: MIT
#include "common/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

double quantile(const std::vector<double>& sorted, double fraction) {
    const double position = fraction * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

static Interval interval_of_sorted(const std::vector<double>& sorted) {
    if (sorted.empty()) return {0, 0};
    const auto n = static_cast<double>(sorted.size());
    if (sorted.size() < 6) return {sorted.front(), sorted.back()};
    const double reach = 1.96 * std::sqrt(n) / 2;
    const double low_rank = std::max(1.0, std::floor(n / 2 - reach));
    const double high_rank = std::min(n, std::ceil(n / 2 + reach) + 1);
    return {sorted[static_cast<std::size_t>(low_rank) - 1], sorted[static_cast<std::size_t>(high_rank) - 1]};
}

Interval median_interval(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    return interval_of_sorted(samples);
}

double relative_half_width(const std::vector<double>& samples) {
    if (samples.size() < 6) return std::numeric_limits<double>::infinity();
    const Summary summary = summarize(samples);
    return (summary.median_interval.high - summary.median_interval.low) / 2 / summary.median;
}

Summary summarize(std::vector<double> samples) {
    Summary summary;
    if (samples.empty()) return summary;
    std::sort(samples.begin(), samples.end());
    summary.minimum = samples.front();
    summary.p25 = quantile(samples, 0.25);
    summary.median = quantile(samples, 0.50);
    summary.p75 = quantile(samples, 0.75);
    summary.maximum = samples.back();
    summary.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
    summary.median_interval = interval_of_sorted(samples);
    return summary;
}
