// SPDX-License-Identifier: MIT
// Order statistics: the statistics in a table are right for any distribution of samples.
#include "common/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "common/io/text.hpp"
#include "tests/properties/property.hpp"

namespace {

struct Distribution {
    const char* name;
    std::function<double(Random&)> draw;
    double median;
};

double uniform(Random& random) { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; }

double normal(Random& random) {
    return std::sqrt(-2 * std::log(uniform(random))) * std::cos(2 * 3.14159265358979323846 * uniform(random));
}

const Distribution distributions[] = {
    {"uniform", uniform, 0.5},
    {"exponential", [](Random& random) { return -std::log(uniform(random)); }, std::log(2.0)},
    {"normal", [](Random& random) { return 100 + normal(random); }, 100},
    {"lognormal", [](Random& random) { return std::exp(normal(random)); }, 1},
    // Like timings of a card with two clock rates: 6 of 10 samples are near 1, the others near 2. The median is where
    // the first part has 5/6 of its samples: 1 + 0.01 * 0.96742.
    {"bimodal", [](Random& random) { return (uniform(random) < 0.6 ? 1.0 : 2.0) + 0.01 * normal(random); },
     1.0096742157},
};

// The probability that the order statistics of these ranks, counted from 1, hold the median of any continuous
// distribution between them: the number of samples below it is binomial(n, 1/2).
double coverage_of_ranks(int n, int low, int high) {
    double sum = 0;
    for (int below_median = low; below_median < high; ++below_median)
        sum += std::exp(std::lgamma(n + 1) - std::lgamma(below_median + 1) - std::lgamma(n - below_median + 1) -
                        n * std::log(2));
    return sum;
}

// In 4000 repetitions the median's interval holds the true median as often as its ranks promise: at least 93 times in
// 100, and with many samples at most 97.
std::string covers(const Distribution& distribution, int n, Random& random) {
    constexpr int repetitions = 4000;
    std::vector<double> ranks(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) ranks[static_cast<std::size_t>(i)] = i + 1;
    const Interval of_ranks = median_interval(ranks);
    const double promised = coverage_of_ranks(n, static_cast<int>(of_ranks.low), static_cast<int>(of_ranks.high));
    // Five samples promise 1 - 2^-4 at most; a few have no ranks between 95 and 99.
    if (n >= 6 && !(promised >= 0.95))
        return text("n = {}: ranks {} to {} promise {}", n, of_ranks.low, of_ranks.high, promised);
    if (n >= 60 && !(promised <= 0.97 + 0.005))
        return text("n = {}: an interval of {} is wider than need be", n, promised);
    int covered = 0;
    std::vector<double> samples(static_cast<std::size_t>(n));
    for (int i = 0; i < repetitions; ++i) {
        for (double& sample : samples) sample = distribution.draw(random);
        const Interval interval = median_interval(samples);
        covered += interval.low <= distribution.median && distribution.median <= interval.high;
    }
    const double share = static_cast<double>(covered) / repetitions;
    const double deviation = std::sqrt(promised * (1 - promised) / repetitions);
    if (std::fabs(share - promised) <= 4.5 * deviation + 1e-9 && share >= 0.93 * (n >= 6)) return "";
    return text("{}, n = {}: {} of {} intervals hold the median, {:.4f} were promised", distribution.name, n, covered,
                repetitions, promised);
}

// The definition, by counting: the sample with this many others below it.
double order_statistic(const std::vector<double>& samples, std::size_t rank) {
    for (const double candidate : samples) {
        const auto smaller = std::count_if(samples.begin(), samples.end(), [&](double x) { return x < candidate; });
        const auto not_larger = std::count_if(samples.begin(), samples.end(), [&](double x) { return x <= candidate; });
        if (static_cast<std::size_t>(smaller) <= rank && rank < static_cast<std::size_t>(not_larger)) return candidate;
    }
    return std::numeric_limits<double>::quiet_NaN();
}

double naive_quantile(const std::vector<double>& samples, double fraction) {
    const double position = fraction * static_cast<double>(samples.size() - 1);
    const double low = order_statistic(samples, static_cast<std::size_t>(std::floor(position)));
    const double high = order_statistic(samples, static_cast<std::size_t>(std::ceil(position)));
    const double weight = position - std::floor(position);
    return (1 - weight) * low + weight * high;
}

bool near(double a, double b) { return std::fabs(a - b) <= 1e-12 * std::max(std::fabs(a), std::fabs(b)); }

std::string quantiles(Random& random) {
    std::vector<double> samples(1 + below(random, 40));
    const std::size_t kinds = 1 + below(random, 50);  // few, so that many samples are equal
    for (double& sample : samples) sample = 1e3 + static_cast<double>(below(random, kinds)) / 7;
    const Summary summary = summarize(samples);
    const auto [smallest, largest] = std::minmax_element(samples.begin(), samples.end());
    long double sum = 0;
    for (const double sample : samples) sum += sample;
    const bool right = summary.minimum == *smallest && summary.maximum == *largest &&
                       near(summary.p25, naive_quantile(samples, 0.25)) &&
                       near(summary.median, naive_quantile(samples, 0.5)) &&
                       near(summary.p75, naive_quantile(samples, 0.75)) &&
                       near(summary.mean, static_cast<double>(sum / static_cast<long double>(samples.size())));
    return right ? ""
                 : text("quantiles {} {} {} of {} samples", summary.p25, summary.median, summary.p75, samples.size());
}

std::string half_widths(Random& random) {
    std::vector<double> samples(below(random, 40));
    for (double& sample : samples) sample = 1 + static_cast<double>(below(random, 1000)) / 100;
    const double width = relative_half_width(samples);
    if (samples.size() < 6) return std::isinf(width) ? "" : text("{} samples: {}", samples.size(), width);
    const Interval interval = median_interval(samples);
    const double expected = (interval.high - interval.low) / (2 * naive_quantile(samples, 0.5));
    if (!near(width, expected)) return text("{} instead of {}", width, expected);
    // It is relative: the unit does not matter.
    for (double& sample : samples) sample *= 1024;
    return near(relative_half_width(samples), width) ? "" : "another unit gives another relative width";
}

}  // namespace

int main(int count, char** arguments) {
    Properties properties(count, arguments);
    for (const Distribution& distribution : distributions)
        for (const int n : {5, 6, 7, 10, 15, 30, 60, 100})
            properties.check("coverage", 1, [&](Random& random) { return covers(distribution, n, random); });
    properties.check("quantiles", 2000, quantiles);
    properties.check("half-widths", 1000, half_widths);
    return properties.exit_status();
}
