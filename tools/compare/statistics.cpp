// SPDX-License-Identifier: MIT
#include "tools/compare/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

namespace compare {

// With fewer values, no interval of a median reaches 95 %.
static constexpr std::size_t fewest_for_interval = 6;
// With fewer runs a side, the least p of ranks is too large for a table of some hundred rows.
static constexpr std::size_t fewest_for_ranks = 8;

// The share of all ways to choose one side's `few` ranks out of few + many whose U is at most `u`. The number of ways
// for each U is a coefficient of the Gaussian binomial, a product of (1 - q^(many + i)) / (1 - q^i). After every factor
// the coefficients are integers, which a long double holds exactly for hundreds of samples.
static double share_up_to(std::size_t few, std::size_t many, std::size_t u) {
    std::vector<long double> ways(u + 1, 0);
    ways[0] = 1;
    long double all = 1;
    for (std::size_t i = 1; i <= few; ++i) {
        for (std::size_t k = u; k >= many + i; --k) ways[k] -= ways[k - many - i];
        for (std::size_t k = i; k <= u; ++k) ways[k] += ways[k - i];
        all *= static_cast<long double>(many + i) / static_cast<long double>(i);
    }
    return static_cast<double>(std::accumulate(ways.begin(), ways.end(), 0.0L) / all);
}

// The probability that a standard normal variable exceeds z.
static double beyond(double z) { return std::erfc(z / std::sqrt(2.0)) / 2; }

double mann_whitney_p(const std::vector<double>& before, const std::vector<double>& after) {
    const std::size_t n_before = before.size(), n_after = after.size(), n = n_before + n_after;
    std::vector<std::pair<double, bool>> all;
    all.reserve(n);
    for (const double value : before) all.emplace_back(value, true);
    for (const double value : after) all.emplace_back(value, false);
    std::sort(all.begin(), all.end());
    // Equal values share the mean of their ranks. (Twice the sum of ranks is a whole number.)
    std::uint64_t twice_rank_sum = 0;
    double tie_term = 0;
    for (std::size_t begin = 0, end; begin < n; begin = end) {
        std::uint64_t of_before = 0;
        for (end = begin; end < n && all[end].first == all[begin].first; ++end) of_before += all[end].second;
        twice_rank_sum += of_before * (begin + 1 + end);
        const auto tied = static_cast<double>(end - begin);
        tie_term += tied * tied * tied - tied;
    }
    const std::uint64_t twice_u = twice_rank_sum - n_before * (n_before + 1);
    const std::uint64_t twice_pairs = 2 * n_before * n_after;
    if (tie_term == 0 && std::min(n_before, n_after) <= 8) {
        const std::size_t lesser_u = std::min(twice_u, twice_pairs - twice_u) / 2;
        return std::min(1.0, 2 * share_up_to(std::min(n_before, n_after), std::max(n_before, n_after), lesser_u));
    }
    const auto pairs = static_cast<double>(n_before) * static_cast<double>(n_after), count = static_cast<double>(n);
    const double greater_u = static_cast<double>(std::max(twice_u, twice_pairs - twice_u)) / 2;
    const double deviation = std::sqrt(pairs / 12 * (count + 1 - tie_term / (count * (count - 1))));
    if (!(deviation > 0)) return 1;  // all values are equal
    return std::min(1.0, 2 * beyond((greater_u - pairs / 2 - 0.5) / deviation));
}

double smallest_p(std::size_t before, std::size_t after) {
    double p = 2;
    for (std::size_t i = 1; i <= std::min(before, after) && p > 1e-300; ++i)
        p *= static_cast<double>(i) / static_cast<double>(std::max(before, after) + i);
    return std::min(1.0, p);
}

// The share of the beta distribution below x, by the continued fraction of the incomplete beta function, evaluated from
// its front (Lentz's method; Press et al., Numerical Recipes, 6.4). For x < (a + 1) / (a + b + 2) it converges fast.
static double beta_share(double x, double a, double b) {
    if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - beta_share(1 - x, b, a);
    constexpr double least = 1e-300;
    const auto not_0 = [](double value) { return std::abs(value) < least ? least : value; };
    double c = 1, d = 1 / not_0(1 - (a + b) * x / (a + 1)), fraction = d;
    for (int i = 1; i <= 500; ++i) {
        const double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i)),
                     odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
        double factor = 1;
        for (const double term : {even, odd}) {
            d = 1 / not_0(1 + term * d);
            c = not_0(1 + term / c);
            factor = c * d;
            fraction *= factor;
        }
        if (std::abs(factor - 1) < 1e-14) break;
    }
    const double logarithm =
        a * std::log(x) + b * std::log1p(-x) - std::lgamma(a) - std::lgamma(b) + std::lgamma(a + b);
    return std::exp(logarithm) * fraction / a;
}

double student_p(double t, double freedom) { return beta_share(freedom / (freedom + t * t), freedom / 2, 0.5); }

// Newton's method for log p as a function of log t, which is nearly straight for large t.
double student_t(double p, double freedom) {
    const double scale =
        std::exp(std::lgamma((freedom + 1) / 2) - std::lgamma(freedom / 2)) / std::sqrt(freedom * std::acos(-1.0));
    double logarithm = std::log(2.0);
    for (int i = 0; i < 50; ++i) {
        const double t = std::exp(logarithm), seen = student_p(t, freedom);
        const double density = scale * std::pow(1 + t * t / freedom, -(freedom + 1) / 2);
        const double step = std::clamp(std::log(seen / p) * seen / (2 * density * t), -1.0, 1.0);
        logarithm += step;
        if (std::abs(step) < 1e-12) break;
    }
    return std::exp(logarithm);
}

std::vector<double> corrected_for_number(const std::vector<double>& p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
    std::vector<double> corrected(p.size());
    double least = 1;
    for (std::size_t rank = p.size(); rank > 0; --rank) {
        const std::size_t row = order[rank - 1];
        least = std::min(least, p[row] * static_cast<double>(p.size()) / static_cast<double>(rank));
        corrected[row] = least;
    }
    return corrected;
}

double geometric_mean(const std::vector<double>& positive) {
    double sum = 0;
    for (const double value : positive) sum += std::log(value);
    return positive.empty() ? 0 : std::exp(sum / static_cast<double>(positive.size()));
}

// The k-th smallest of n uniform numbers between 0 and 1 is distributed as Beta(k, n + 1 - k); a number x stands for
// sample floor(n x). The smallest of the n - k numbers above it follows from the (n - k)-th root of a uniform number.
const MedianRatio::Ranks& MedianRatio::ranks_of(std::size_t samples, bool is_after) {
    Ranks& ranks = ranks_[{samples, is_after}];
    if (!ranks.empty()) return ranks;
    std::mt19937_64 random(2 * samples + is_after);
    const bool is_odd = samples % 2 != 0;
    const std::size_t middle = (samples + 1) / 2;
    std::gamma_distribution<double> below(static_cast<double>(middle)),
        above(static_cast<double>(samples + 1 - middle));
    std::uniform_real_distribution<double> uniform;
    const auto rank_of = [samples](double place) {
        return std::min(static_cast<std::size_t>(place * static_cast<double>(samples)), samples - 1);
    };
    for (std::size_t i = 0; i < resamples; ++i) {
        const double low_part = below(random), high_part = above(random);
        const double place = low_part / (low_part + high_part);
        const double next =
            is_odd ? place : 1 - (1 - place) * std::pow(uniform(random), 1 / static_cast<double>(samples - middle));
        ranks.emplace_back(rank_of(place), rank_of(next));
    }
    return ranks;
}

Interval MedianRatio::interval(const std::vector<double>& before, const std::vector<double>& after) {
    const Ranks &of_before = ranks_of(before.size(), false), &of_after = ranks_of(after.size(), true);
    ratios_.resize(resamples);
    for (std::size_t i = 0; i < resamples; ++i)
        ratios_[i] = (after[of_after[i].first] + after[of_after[i].second]) /
                     (before[of_before[i].first] + before[of_before[i].second]);
    const auto quantile = [this](std::size_t index) {
        const auto place = ratios_.begin() + static_cast<std::ptrdiff_t>(index);
        std::nth_element(ratios_.begin(), place, ratios_.end());
        return *place;
    };
    return {quantile(resamples / 40), quantile(resamples - 1 - resamples / 40)};
}

const char* name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::faster: return "faster";
        case Verdict::slower: return "slower";
        case Verdict::same: return "same";
        case Verdict::unknown: return "unknown";
        default: return "none";
    }
}

std::vector<double> Sampled::run_medians() const {
    std::vector<double> medians;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        std::vector<double> run(samples.begin() + std::ptrdiff_t(begin), samples.begin() + std::ptrdiff_t(end));
        std::sort(run.begin(), run.end());
        medians.push_back(quantile(run, 0.5));
        begin = end;
    }
    return medians;
}

namespace {

// The logarithm of a ratio, how far it may be off, and the degrees of freedom of Student's t.
struct Estimate {
    double logarithm, deviation, freedom;
};

void set_ratio(Comparison& row, const Estimate& estimate) {
    const double reach = estimate.deviation * student_t(0.05, estimate.freedom);
    row.deviation = estimate.deviation;
    row.ratio = std::exp(estimate.logarithm);
    row.ratio_interval = {std::exp(estimate.logarithm - reach), std::exp(estimate.logarithm + reach)};
    row.p = student_p(std::abs(estimate.logarithm) / estimate.deviation, estimate.freedom);
}

double variance_of(const std::vector<double>& values) {
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return sum / double(values.size() - 1);
}

std::vector<double> logarithms(std::vector<double> values) {
    for (double& value : values) value = std::log(value);
    return values;
}

// The variance of values that were rounded to the last digit that any of them has, relative to their size: what is
// known of runs that seem to agree, such as 5, 5 and 5 ms.
double variance_of_rounding(const std::vector<double>& before, const std::vector<double>& after) {
    double unit = 1;
    const auto is_whole = [&](double value) { return std::abs(value / unit - std::round(value / unit)) < 1e-6; };
    const auto are_whole = [&] {
        return std::all_of(before.begin(), before.end(), is_whole) && std::all_of(after.begin(), after.end(), is_whole);
    };
    const double least = std::min(before.front(), after.front());
    while (unit > least * 1e-9 && !are_whole()) unit /= 10;
    return unit * unit / 12 / (least * least);
}

// The variance of the median of a few normal variables over that of their mean, from its values for 1 to 7; beyond,
// its limit.
double spread_of_median(std::size_t count) {
    constexpr double known[] = {1, 1, 1, 1.346, 1.192, 1.434, 1.288, 1.473};
    return count < std::size(known) ? known[count] : std::acos(-1.0) / 2;
}

// Welch's t (Biometrika 34, 1947) for the ratio of the medians; both sides in ascending order.
Estimate welch(const std::vector<double>& before, const std::vector<double>& after) {
    const double floor = variance_of_rounding(before, after);
    const auto share = [floor](const std::vector<double>& side) {
        return std::max(variance_of(logarithms(side)), floor) * spread_of_median(side.size()) / double(side.size());
    };
    const double of_before = share(before), of_after = share(after), both = of_before + of_after;
    const double freedom =
        both * both /
        (of_before * of_before / double(before.size() - 1) + of_after * of_after / double(after.size() - 1));
    return {std::log(quantile(after, 0.5) / quantile(before, 0.5)), std::sqrt(both), freedom};
}

// The trimmed mean of the pairs' logarithms, without a tenth of them at each end, and its t by the winsorized variance
// (Tukey and McLaughlin, Sankhya A 25, 1963): a pair in which something else kept the machine busy does not decide.
Estimate trimmed(std::vector<double> logarithms, double floor) {
    std::sort(logarithms.begin(), logarithms.end());
    const std::size_t count = logarithms.size(), cut = (count + 5) / 10, kept = count - 2 * cut;
    const auto begin = logarithms.begin() + std::ptrdiff_t(cut), end = begin + std::ptrdiff_t(kept);
    const double mean = std::accumulate(begin, end, 0.0) / double(kept);
    std::fill(logarithms.begin(), begin, *begin);
    std::fill(end, logarithms.end(), *(end - 1));
    const double variance = std::max(variance_of(logarithms), floor);
    return {mean, std::sqrt(variance * double(count)) / double(kept), double(kept - 1)};
}

// The figures of the runs that took turns: those of one round have the same index. A run without a partner is left out.
struct Pairs {
    std::vector<double> before, after;
};
Pairs pairs_of(const Sampled& before, const Sampled& after) {
    const std::vector<double> of_before = before.run_medians(), of_after = after.run_medians();
    Pairs pairs;
    for (std::size_t i = 0, k = 0; i < of_before.size(); ++i) {
        while (k < of_after.size() && after.rounds[k] < before.rounds[i]) ++k;
        if (k == of_after.size() || after.rounds[k] != before.rounds[i]) continue;
        pairs.before.push_back(of_before[i]);
        pairs.after.push_back(of_after[k]);
    }
    return pairs;
}

bool are_equal(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

// All of one side's figures are equal, and so are those of the other.
bool are_exact(const Sampled& before, const Sampled& after, bool is_count) {
    if (!are_equal(before.samples) || !are_equal(after.samples)) return false;
    return is_count || (before.samples.front() == after.samples.front() && before.are_samples && after.are_samples);
}

}  // namespace

Comparison compare_sampled(const Sampled& before, const Sampled& after, bool is_count, MedianRatio& bootstrap) {
    Comparison row;
    row.before_runs = before.runs();
    row.after_runs = after.runs();
    const bool are_several = std::min(row.before_runs, row.after_runs) > 1;
    std::vector<double> of_before = are_several ? before.run_medians() : before.samples,
                        of_after = are_several ? after.run_medians() : after.samples;
    std::sort(of_before.begin(), of_before.end());
    std::sort(of_after.begin(), of_after.end());
    row.before = quantile(of_before, 0.5);
    row.after = quantile(of_after, 0.5);
    if (row.before > 0 && row.after > 0) row.ratio = row.after / row.before;
    const bool have_ratios = of_before.front() > 0 && of_after.front() > 0;
    row.before_samples = before.are_samples ? before.samples.size() : 0;
    row.after_samples = after.are_samples ? after.samples.size() : 0;
    if (are_exact(before, after, is_count)) {
        row.evidence = Evidence::exact;
        row.before_samples = before.samples.size();
        row.after_samples = after.samples.size();
        if (row.before == row.after) row.ratio = 1;
        row.ratio_interval = {row.ratio, row.ratio};
        row.p = row.before == row.after ? 1 : 0;
        return row;
    }
    if (!before.are_samples || !after.are_samples) return row;
    if (are_several && have_ratios && !before.rounds.empty() && !after.rounds.empty()) {
        const Pairs pairs = pairs_of(before, after);
        row.before_runs = row.after_runs = pairs.before.size();
        row.evidence = Evidence::pairs;
        if (row.before_runs < 2) return row.evidence = Evidence::one_run, row;
        std::vector<double> ratios;
        for (std::size_t i = 0; i < pairs.before.size(); ++i) ratios.push_back(pairs.after[i] / pairs.before[i]);
        set_ratio(row, trimmed(logarithms(ratios), 2 * variance_of_rounding(of_before, of_after)));
        return row;
    }
    row.evidence = !are_several ? Evidence::one_run
                   : std::min(of_before.size(), of_after.size()) >= fewest_for_ranks || !have_ratios
                       ? Evidence::rank_test
                       : Evidence::t_test;
    if (row.evidence == Evidence::t_test) {
        set_ratio(row, welch(of_before, of_after));
        return row;
    }
    // (With ties the normal approximation may be smaller than so few values can justify.)
    row.p = std::max(mann_whitney_p(of_before, of_after), smallest_p(of_before.size(), of_after.size()));
    if (!have_ratios) return row;
    row.ratio_interval = bootstrap.interval(of_before, of_after);
    row.deviation = std::log(row.ratio_interval.high / row.ratio_interval.low) / 2 / student_t(0.05, 1e6);
    return row;
}

// The interval of the ratio narrows with the square root of the number of runs. Once it reaches at most half the
// margin to either side, or half way to 1, it either excludes 1 or lies within the margin, unless the ratio is near the
// margin. There the interval has to be narrower; at the margin itself no number of runs would do, so there is a limit.
// One run a side does not show how much runs differ.
static std::size_t runs_for_verdict(const Comparison& row, const Judgement& judgement, std::size_t rows) {
    if (row.is_of_one_run()) return 0;
    const double before = double(row.before_runs), after = double(row.after_runs), each = 2 / (1 / before + 1 / after);
    const double change = std::abs(row.ratio - 1), left = judgement.margin - change;
    const double wanted = left < 0 ? std::max(judgement.margin, std::abs(std::log(row.ratio))) / 2
                                   : std::clamp(left, judgement.margin / 8, judgement.margin / 2);
    const double p = std::min(judgement.level, 0.05), level = judgement.level / double(rows);
    std::size_t needed = std::max({row.before_runs + 1, row.after_runs + 1, fewest_for_interval});
    while (needed < 100 && smallest_p(needed, needed) >= level) ++needed;
    // (Each step takes the t of the number before: three bring it close enough.)
    for (int i = 0; i < 3; ++i) {
        const double t = student_t(p, double(needed - 1));
        const double runs = each * std::pow(row.deviation * t / wanted, 2);
        if (runs <= double(needed)) break;
        needed = std::size_t(std::min(1e9, std::ceil(runs)));
    }
    return needed;
}

static Verdict verdict_of(const Comparison& row, const Judgement& judgement) {
    const Verdict more = judgement.more_is_faster ? Verdict::faster : Verdict::slower,
                  less = judgement.more_is_faster ? Verdict::slower : Verdict::faster;
    const bool is_exact = row.evidence == Evidence::exact;
    if (is_exact && !(row.ratio > 0))  // from 0 or to it
        return row.before == row.after ? Verdict::same : row.before < row.after ? more : less;
    if (row.ratio_interval.low <= 0) return Verdict::unknown;  // values that are not above 0 have no ratio
    const bool leaves_out_1 = row.ratio_interval.low > 1 || row.ratio_interval.high < 1;
    const bool differs = row.corrected_p < judgement.level && leaves_out_1;
    const bool is_beyond = std::abs(row.ratio - 1) > judgement.margin;
    const bool has_interval = is_exact || row.evidence == Evidence::t_test || row.evidence == Evidence::pairs ||
                              std::min(row.before_units(), row.after_units()) >= fewest_for_interval;
    const bool is_same = row.ratio_interval.low >= 1 - judgement.margin &&
                         row.ratio_interval.high <= 1 + judgement.margin && has_interval;
    if (is_same) return Verdict::same;
    if (differs && is_beyond) return row.ratio > 1 ? more : less;
    return Verdict::unknown;
}

void judge(std::vector<Comparison>& rows, const std::vector<Judgement>& judgements) {
    std::vector<std::size_t> tested;
    std::vector<double> p;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].evidence == Evidence::none) continue;
        rows[i].corrected_p = rows[i].p;
        if (rows[i].evidence == Evidence::exact) continue;
        tested.push_back(i);
        p.push_back(rows[i].p);
    }
    const std::vector<double> corrected = corrected_for_number(p);
    for (std::size_t i = 0; i < tested.size(); ++i) rows[tested[i]].corrected_p = corrected[i];
    for (std::size_t i = 0; i < rows.size(); ++i) {
        Comparison& row = rows[i];
        if (row.evidence == Evidence::none) continue;
        row.verdict = verdict_of(row, judgements[i]);
        row.runs_needed = 0;
        if (row.verdict == Verdict::unknown && row.ratio_interval.low > 0)
            row.runs_needed = runs_for_verdict(row, judgements[i], tested.size());
    }
}

}  // namespace compare
