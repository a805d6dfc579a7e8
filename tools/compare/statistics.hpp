// SPDX-License-Identifier: MIT
// The statistics of a comparison: whether two sets of samples differ, by how much, and how certain that is.
#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "common/measure/statistics.hpp"

namespace compare {

// The two-sided p of the Mann-Whitney test (Annals of Mathematical Statistics 18, 1947): how likely samples that differ
// this much are if both sides have the same distribution, whatever its shape. Uses the exact distribution of U if
// either side has at most eight samples and there are no ties; else the normal approximation, corrected for ties and
// for continuity. Neither side may be empty.
double mann_whitney_p(const std::vector<double>& before, const std::vector<double>& after);

// The smallest p that this many samples can give.
double smallest_p(std::size_t before, std::size_t after);

// Each p, corrected for their number by the procedure of Benjamini and Hochberg (Journal of the Royal Statistical
// Society B 57, 1995). If no row differs, the probability that any falls below a level is at most that level; if some
// differ, at most that share of the rows below it do not, on average.
std::vector<double> corrected_for_number(const std::vector<double>& p);

double geometric_mean(const std::vector<double>& positive);

// The 95 % percentile interval of the ratio of two medians by the bootstrap (Efron and Tibshirani, An Introduction to
// the Bootstrap, 13.3). A resample's median is an order statistic of the samples whose rank follows a beta
// distribution, so the rank is drawn without the resample. Ranks depend only on the number of samples, and are drawn
// once for each number.
class MedianRatio {
public:
    static constexpr std::size_t resamples = 2000;

    // Samples in ascending order, all above 0; neither side may be empty.
    Interval interval(const std::vector<double>& before, const std::vector<double>& after);

private:
    using Ranks = std::vector<std::pair<std::size_t, std::size_t>>;  // of the two samples whose mean the median is

    const Ranks& ranks_of(std::size_t samples, bool is_after);

    std::map<std::pair<std::size_t, bool>, Ranks> ranks_;
    std::vector<double> ratios_;
};

enum class Verdict { faster, slower, same, unknown, none };  // none: there are no samples, only medians

const char* name_of(Verdict verdict);

// How two sets of samples compare. Less is faster for times, more for rates.
struct Comparison {
    std::size_t before_samples = 0, after_samples = 0;
    double before = 0, after = 0;  // medians
    double ratio = 0;              // after / before; 0 if one of them is not above 0
    Interval ratio_interval{0, 0};
    double p = 1, corrected_p = 1;
    std::size_t samples_needed = 0;  // on each side, for a verdict; 0 if there is one
    Verdict verdict = Verdict::none;
};

struct Judgement {
    double level = 0.05;   // of the corrected p
    double margin = 0.01;  // a change within this share counts as none
    bool more_is_faster = false;
};

// Compares two sets of samples, without a verdict, which takes all rows. Neither side may be empty. Without a bootstrap
// the values are not samples, and only their medians are compared.
Comparison compare_samples(std::vector<double> before, std::vector<double> after, MedianRatio* bootstrap);

// Corrects the rows' p for their number and gives each row its verdict. A row is faster or slower if the samples
// differ, by their p and by an interval of the ratio that excludes 1, and the medians differ by more than the margin.
// It is the same if the interval is within the margin and there are enough samples for one. Otherwise more samples are
// needed.
void judge(std::vector<Comparison>& rows, const Judgement& judgement);

}  // namespace compare
