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

// The two-sided p of Student's t with this many degrees of freedom, which need not be whole; and the t whose p it is.
double student_p(double t, double freedom);
double student_t(double p, double freedom);

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

enum class Verdict { faster, slower, same, unknown, none };  // none: there is one figure a side, without samples

const char* name_of(Verdict verdict);

// The samples of one row on one side, by the runs of the program that took them.
struct Sampled {
    std::vector<double> samples;
    std::vector<std::size_t> ends;    // of each run's samples
    std::vector<std::size_t> rounds;  // in which the runs took turns with those of the other side; empty: they did not
    bool are_samples = false;

    std::size_t runs() const { return ends.size(); }
    std::vector<double> run_medians() const;
};

// What a verdict rests on. The samples of a run share the memory that it was given, the temperature and what else ran
// then, so they tell less than they seem to: with several runs on both sides only the runs' medians count.
enum class Evidence {
    none,       // one figure a side
    exact,      // figures that no run changes, or that are all equal: counts
    one_run,    // samples of one run, at least on one side
    rank_test,  // several runs a side: the Mann-Whitney test and a bootstrap of their medians
    t_test,     // too few runs for ranks to tell: Welch's t test of the logarithms of their medians
    pairs,      // runs that took turns: the t test of the trimmed mean of the logarithms of their pairs' ratios
};

// How two sides of a row compare. Less is faster for times, more for rates.
struct Comparison {
    std::size_t before_samples = 0, after_samples = 0, before_runs = 0, after_runs = 0;
    double before = 0, after = 0;  // medians: of the samples of one run, or of the medians of several
    double ratio = 0;              // after / before; 0 if one of them is not above 0
    Interval ratio_interval{0, 0};
    double deviation = 0;  // the standard deviation of its logarithm
    double p = 1, corrected_p = 1;
    std::size_t runs_needed = 0;  // on each side, for a verdict; 0 if there is one, or if it cannot be estimated
    Evidence evidence = Evidence::none;
    Verdict verdict = Verdict::none;

    // Whether another run of the same program may contradict the verdict.
    bool is_of_one_run() const { return evidence == Evidence::one_run; }
    // What the test compared on each side: samples, runs or pairs.
    std::size_t before_units() const { return is_of_one_run() ? before_samples : before_runs; }
    std::size_t after_units() const { return is_of_one_run() ? after_samples : after_runs; }
};

struct Judgement {
    double level = 0.01;   // of the corrected p
    double margin = 0.01;  // a change within this share counts as none
    bool more_is_faster = false;
};

// Compares two sides of a row, without a verdict, which takes all rows. Neither may be empty. `is_count`: the figures
// are the same in each run, unless these say otherwise.
Comparison compare_sampled(const Sampled& before, const Sampled& after, bool is_count, MedianRatio& bootstrap);

// Corrects the rows' p for their number and gives each row its verdict. A row is faster or slower if the sides differ,
// by their p and by an interval of the ratio that excludes 1, and the ratio differs from 1 by more than the margin.
// It is the same if the interval is within the margin and there are enough values for one. Otherwise more runs are
// needed. `judgements`: one for each row.
void judge(std::vector<Comparison>& rows, const std::vector<Judgement>& judgements);

}  // namespace compare
