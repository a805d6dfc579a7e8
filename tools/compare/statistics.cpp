// SPDX-License-Identifier: MIT
#include "tools/compare/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

namespace compare {

// With fewer samples, no interval of a median reaches 95 %.
static constexpr std::size_t fewest_for_interval = 6;

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

Comparison compare_samples(std::vector<double> before, std::vector<double> after, MedianRatio* bootstrap) {
    std::sort(before.begin(), before.end());
    std::sort(after.begin(), after.end());
    Comparison row;
    row.before = quantile(before, 0.5);
    row.after = quantile(after, 0.5);
    if (row.before > 0 && row.after > 0) row.ratio = row.after / row.before;
    if (!bootstrap) return row;
    row.before_samples = before.size();
    row.after_samples = after.size();
    // (With ties the normal approximation may be smaller than so few samples can justify.)
    row.p = std::max(mann_whitney_p(before, after), smallest_p(before.size(), after.size()));
    if (before.front() > 0 && after.front() > 0) row.ratio_interval = bootstrap->interval(before, after);
    row.verdict = Verdict::unknown;
    return row;
}

// The interval of the ratio narrows with the square root of the number of samples. Once it reaches at most half the
// margin to either side, it either excludes 1 or lies within the margin, unless the ratio is near the margin. There the
// interval has to be narrower; at the margin itself no number of samples would do, so there is a limit.
static std::size_t samples_for_verdict(const Comparison& row, const Judgement& judgement, std::size_t rows) {
    const auto before = static_cast<double>(row.before_samples), after = static_cast<double>(row.after_samples);
    const double each = 2 / (1 / before + 1 / after);
    const double reach = (row.ratio_interval.high - row.ratio_interval.low) / 2;
    const double left = judgement.margin - std::abs(row.ratio - 1);
    const double wanted =
        left < 0 ? judgement.margin / 2 : std::clamp(left, judgement.margin / 8, judgement.margin / 2);
    const double factor = judgement.margin > 0 ? reach / wanted : 2;
    std::size_t needed = std::max(row.before_samples, row.after_samples) + 1;
    needed = std::max(needed, static_cast<std::size_t>(std::min(1e9, std::ceil(each * factor * factor))));
    needed = std::max(needed, fewest_for_interval);
    while (smallest_p(needed, needed) >= judgement.level / static_cast<double>(rows)) ++needed;
    return needed;
}

void judge(std::vector<Comparison>& rows, const Judgement& judgement) {
    std::vector<std::size_t> sampled;
    std::vector<double> p;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].verdict == Verdict::none) continue;
        sampled.push_back(i);
        p.push_back(rows[i].p);
    }
    const std::vector<double> corrected = corrected_for_number(p);
    for (std::size_t i = 0; i < sampled.size(); ++i) {
        Comparison& row = rows[sampled[i]];
        row.corrected_p = corrected[i];
        row.verdict = Verdict::unknown;
        row.samples_needed = 0;
        if (row.ratio_interval.low <= 0) continue;  // values that are not above 0 have no ratio
        const bool leaves_out_1 = row.ratio_interval.low > 1 || row.ratio_interval.high < 1;
        const bool differs = row.corrected_p < judgement.level && leaves_out_1;
        const bool is_beyond = std::abs(row.ratio - 1) > judgement.margin;
        const bool is_same = row.ratio_interval.low >= 1 - judgement.margin &&
                             row.ratio_interval.high <= 1 + judgement.margin &&
                             std::min(row.before_samples, row.after_samples) >= fewest_for_interval;
        if (is_same) row.verdict = Verdict::same;
        else if (differs && is_beyond)
            row.verdict = (row.ratio > 1) == judgement.more_is_faster ? Verdict::faster : Verdict::slower;
        else row.samples_needed = samples_for_verdict(row, judgement, sampled.size());
    }
}

}  // namespace compare
