// What the comparisons behind every "verify" column, the statistics behind every time and the generated inputs promise.
// Prints each promise that is broken and exits 1; tests/common.bats compiles and runs it.
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "common/measure/random.hpp"
#include "common/measure/statistics.hpp"
#include "common/measure/verify.hpp"

static int broken = 0;

static void promise(bool kept, const char* what) {
    if (!kept) std::printf("broken: %s\n", what), ++broken;
}

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

static void single_values() {
    promise(compare_value(1.0, 1.0, 0).right, "equal values are right with bound 0");
    promise(compare_value(1.5, 1.0, 0.5).right, "an error equal to the bound is right");
    promise(!compare_value(std::nextafter(1.5, 2), 1.0, 0.5).right, "an error just above the bound is wrong");
    promise(!compare_value(-1.0, 1.0, 0.5).right, "a wrong sign is wrong");
    promise(!compare_value(nan_value, 1.0, 1e300).right, "a NaN result is wrong whatever the bound");
    promise(!compare_value(1.0, nan_value, 1e300).right, "a NaN reference makes the result wrong");
    promise(!compare_value(1.0, 2.0, nan_value).right, "a NaN bound accepts nothing but equality");
    promise(compare_value(infinity, infinity, 0).right, "equal infinities are right");
    promise(!compare_value(-infinity, infinity, 1).right, "opposite infinities are wrong");
    promise(!compare_value(infinity, 1.0, 1e300).right, "an infinite result is wrong when a finite one is expected");
    const Verdict verdict = compare_value(3, 2, 0.25);
    promise(verdict.detail.find("got 3") != std::string::npos && verdict.detail.find("expected 2") != std::string::npos &&
                verdict.detail.find("0.25") != std::string::npos,
            "the detail names what was got, expected and allowed");
}

// Elements 0, 1, 2, ... with one of them replaced, compared with a bound of 0.25: long enough to be shared among threads.
static Verdict with_one_replaced(std::size_t n, std::size_t place, float value) {
    std::vector<float> elements(n);
    for (std::size_t i = 0; i < n; ++i) elements[i] = float(i);
    if (place < n) elements[place] = value;
    return compare_elements(elements.data(), n, [](std::size_t i) { return double(i); }, [](double) { return 0.25; });
}

static void many_elements() {
    constexpr std::size_t n = 300'000;
    promise(with_one_replaced(n, n, 0).right, "right elements are right");
    promise(with_one_replaced(0, 0, 0).right, "no elements are right");
    for (std::size_t place : {std::size_t{0}, std::size_t{1}, n / 2, n - 1}) {
        promise(!with_one_replaced(n, place, -77).right, "one wrong element anywhere is wrong");
        promise(!with_one_replaced(n, place, float(nan_value)).right, "one NaN anywhere is wrong");
    }
    const Verdict verdict = with_one_replaced(n, 123'456, -77);
    promise(verdict.detail.find("element 123456: got -77, expected 123456") == 0, "the detail names the first wrong element");
}

static void order_statistics() {
    const Summary five = summarize({5, 1, 4, 2, 3});
    promise(five.minimum == 1 && five.p25 == 2 && five.median == 3 && five.p75 == 4 && five.maximum == 5 && five.mean == 3,
            "quantiles of 1..5");
    promise(five.median_interval.low == 1 && five.median_interval.high == 5, "below six samples the interval is the range");
    promise(summarize({1, 2}).median == 1.5 && summarize({1, 2}).p25 == 1.25, "quantiles interpolate between samples");
    promise(summarize({}).median == 0 && summarize({}).maximum == 0, "no samples give zeros");
    promise(std::isinf(relative_half_width({1, 1, 1, 1, 1})), "fewer than six samples never end the sampling");
    promise(relative_half_width({2, 2, 2, 2, 2, 2}) == 0, "equal samples have no uncertainty");
    std::vector<double> hundred(100);
    for (int i = 0; i < 100; ++i) hundred[i] = 100 - i;
    promise(median_interval(hundred).low == 40 && median_interval(hundred).high == 61, "the ranks for 100 samples are 40 and 61");
}

// The interval must hold the true median at least 95 times in 100, also for a distribution with a long tail, as timings have.
static void coverage_of_the_interval() {
    constexpr int trials = 4000;
    std::mt19937_64 generator(1);
    std::lognormal_distribution<double> skewed(0, 1);  // median exp(0) = 1
    for (int n : {6, 7, 10, 30, 101}) {
        int covered = 0;
        for (int trial = 0; trial < trials; ++trial) {
            std::vector<double> samples(n);
            for (double& sample : samples) sample = skewed(generator);
            const Interval interval = median_interval(samples);
            covered += interval.low <= 1 && 1 <= interval.high;
        }
        const double three_deviations = 3 * std::sqrt(0.95 * 0.05 / trials);
        if (covered < (0.95 - three_deviations) * trials) std::printf("n = %d: %d of %d intervals hold the median\n", n, covered, trials);
        promise(covered >= (0.95 - three_deviations) * trials, "the median's interval covers it 95 times in 100");
    }
}

static void generated_inputs() {
    double sum_forwards = 0;
    float sum_backwards = 0;
    bool zero = false, repeated = true;
    constexpr std::size_t n = 100'000;
    for (std::size_t i = 0; i < n; ++i) {
        const auto value = exact_summand<float>(42, i);
        zero |= value == 0;
        repeated &= value == exact_summand<float>(43, i);
        sum_forwards += value;
        sum_backwards += exact_summand<float>(42, n - 1 - i);
    }
    promise(!zero, "no summand is zero");
    promise(!repeated, "another seed gives other summands");
    promise(sum_forwards == double(sum_backwards), "float sums of the summands are exact in any order");
    promise(summand_error_bound<float>(n) == 0 && summand_error_bound<double>(n) == 0, "and so allow no error");
    for (std::size_t i = 0; i < n; ++i) {
        const auto real = uniform<double>(42, i);
        promise(real > -1 && real < 1, "uniform values lie in (-1, 1)");
        const auto integer = std::int64_t{uniform<std::int32_t>(42, i)};
        promise(integer >= -(1 << 30) && integer < (1 << 30), "the sum of two uniform integers does not overflow");
    }
}

int main() {
    single_values();
    many_elements();
    order_statistics();
    coverage_of_the_interval();
    generated_inputs();
    return broken > 0;
}
