// SPDX-License-Identifier: MIT
// Order statistics of a set of samples: no assumption about the shape of their distribution.
#pragma once

#include <vector>

struct Interval {
    double low, high;
};

struct Summary {
    double minimum = 0, p25 = 0, median = 0, p75 = 0, maximum = 0, mean = 0;
    Interval median_interval{0, 0};  // 95 % confidence interval of the median
};

// Interpolates linearly between neighboring order statistics. At least one sample; fraction: 0 to 1.
double quantile(const std::vector<double>& sorted, double fraction);

// Quartiles are by quantile(). All zeros for no samples.
Summary summarize(std::vector<double> samples);

// The distribution-free 95 % confidence interval of the median: the order statistics whose ranks enclose the
// binomial(n, 1/2) quantiles (Conover, Practical Nonparametric Statistics, 3.2; normal approximation of the ranks).
// With fewer than six samples no interval reaches 95 %, and it is the whole range.
Interval median_interval(std::vector<double> samples);

// Half the width of the median's interval relative to the median; infinite for fewer than six samples.
double relative_half_width(const std::vector<double>& samples);
