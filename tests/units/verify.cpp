// SPDX-License-Identifier: MIT
// Tests of the comparisons behind every "verify" column, the statistics behind every time, and the generated inputs.
// Prints each broken promise and exits 1; tests/verification.bats compiles and runs it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/cuda/throughput.hpp"
#include "common/io/number_reader.hpp"
#include "common/measure/parallel.hpp"
#include "common/measure/random.hpp"
#include "common/measure/statistics.hpp"
#include "common/measure/verdict.hpp"
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
    promise(verdict.detail.find("got 3") != std::string::npos &&
                verdict.detail.find("expected 2") != std::string::npos &&
                verdict.detail.find("0.25") != std::string::npos,
            "the detail names what was got, expected and allowed");
}

// Elements 0, 1, 2, ... with one of them replaced, compared with a bound of 0.25: long enough to be shared among threads.
static Verdict with_one_replaced(std::size_t n, std::size_t place, float value) {
    std::vector<float> elements(n);
    for (std::size_t i = 0; i < n; ++i) elements[i] = float(i);
    if (place < n) elements[place] = value;
    return compare_elements(
        elements.data(), n, [](std::size_t i) { return double(i); }, [](double) { return 0.25; });
}

// Every share of a loop runs, and what one throws arrives here, from whichever thread.
static void shares_of_a_loop() {
    for (std::size_t failing : {std::size_t{0}, std::size_t{3}, std::size_t{7}}) {
        std::vector<int> done(8, 0);
        std::string caught;
        try {
            run_shares(1000, done.size(), [&](std::size_t i, std::size_t, std::size_t) {
                done[i] = 1;
                if (i == failing) throw std::runtime_error("share " + std::to_string(i));
            });
        } catch (const std::runtime_error& error) {
            caught = error.what();
        }
        promise(caught == "share " + std::to_string(failing), "an exception of any share arrives at the caller");
        promise(std::count(done.begin(), done.end(), 1) == 8, "all shares run to their ends beside one that fails");
    }
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
    promise(verdict.detail.find("element 123456: got -77, expected 123456") == 0,
            "the detail names the first wrong element");
}

static void order_statistics() {
    const Summary five = summarize({5, 1, 4, 2, 3});
    promise(
        five.minimum == 1 && five.p25 == 2 && five.median == 3 && five.p75 == 4 && five.maximum == 5 && five.mean == 3,
        "quantiles of 1..5");
    promise(five.median_interval.low == 1 && five.median_interval.high == 5,
            "below six samples the interval is the range");
    promise(summarize({1, 2}).median == 1.5 && summarize({1, 2}).p25 == 1.25, "quantiles interpolate between samples");
    promise(summarize({}).median == 0 && summarize({}).maximum == 0, "no samples give zeros");
    promise(std::isinf(relative_half_width({1, 1, 1, 1, 1})), "fewer than six samples never end the sampling");
    promise(relative_half_width({2, 2, 2, 2, 2, 2}) == 0, "equal samples have no uncertainty");
    std::vector<double> hundred(100);
    for (int i = 0; i < 100; ++i) hundred[i] = 100 - i;
    promise(median_interval(hundred).low == 40 && median_interval(hundred).high == 61,
            "the ranks for 100 samples are 40 and 61");
}

// The interval must hold the true median at least 95 times in 100, also for long-tailed distributions such as timings.
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
        if (covered < (0.95 - three_deviations) * trials)
            std::printf("n = %d: %d of %d intervals hold the median\n", n, covered, trials);
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

// Every 8-bit float has the value of its fields and survives conversion to float; a float is rounded to the nearest,
// ties to even, and to the largest if it is too large.
template <typename T>
static void float8_numbers(int exponent_bits, float infinity) {
    constexpr int fraction_bits = T::Format::fraction_bits, fractions = 1 << fraction_bits;
    std::vector<float> finite;  // the positive ones, in the order of their bits
    bool exact = true, same = true;
    for (unsigned bits = 0; bits < 256; ++bits) {
        T number;
        number.bits = static_cast<std::uint8_t>(bits);
        const unsigned magnitude = bits & 127;
        const int exponent = static_cast<int>(magnitude) >> fraction_bits,
                  fraction = static_cast<int>(magnitude) % fractions;
        const float sign = bits < 128 ? 1 : -1;
        if (magnitude <= T::Format::largest) {
            const float value = std::ldexp(float(exponent > 0 ? fractions + fraction : fraction),
                                           std::max(exponent, 1) - T::Format::bias - fraction_bits);
            exact &= float(number) == sign * value && std::signbit(float(number)) == (bits >= 128);
            same &= T(float(number)).bits == bits;
            if (bits < 128) finite.push_back(value);
        } else {
            exact &= exponent == (1 << exponent_bits) - 1 &&
                     (fraction == 0 ? float(number) == sign * infinity : std::isnan(float(number)));
        }
    }
    promise(exact && same && finite.back() == T::Format::largest_value, "8-bit numbers are what their fields say");
    bool nearest = true;
    for (std::uint64_t i = 0; i < 1'000'000; ++i) {
        // Any bit patterns; every other one is a value around the type's range, and many of these are ties.
        auto bits = static_cast<std::uint32_t>(random_bits(42, i));
        if (i % 2) bits = (bits & 0x80f80000u) | (127 - 20 + bits % 40) << 23 | (i % 8 == 1 ? bits >> 20 & 1 : 0);
        const float value = float_of_bits(bits);
        if (std::isnan(value)) {
            nearest &= T(value).bits == 0x7f;
            continue;
        }
        const float magnitude = std::fabs(value);
        const auto above = std::lower_bound(finite.begin(), finite.end(), magnitude);
        auto at = static_cast<std::size_t>(above - finite.begin());
        if (at == finite.size()) --at;
        else if (at > 0) {
            const double up = double(finite[at]) - magnitude, down = double(magnitude) - finite[at - 1];
            if (down < up || (down == up && at % 2)) --at;
        }
        nearest &= T(value).bits == (at | (std::signbit(value) ? 128 : 0));
    }
    promise(nearest, "a float becomes the nearest 8-bit number, ties to even");
}

// Names, sizes and codes follow from the table of element types; 16-bit types round as in IEEE 754.
static void element_types() {
    const std::vector<DType> all = {DType::f32, DType::f64,  DType::i32, DType::i64,
                                    DType::f16, DType::bf16, DType::tf32};
    float8_numbers<Float8E4M3>(4, NAN);
    float8_numbers<Float8E5M2>(5, HUGE_VALF);
    promise(names_of(all) == "f32, f64, i32, i64, f16, bf16 or tf32", "names of the element types");
    std::string sizes, codes;
    for (DType dtype : all) sizes += std::to_string(size_of(dtype)), codes += npy_code_of(dtype);
    promise(sizes == "4848224" && codes == "f4f8i4i8f2f4", "sizes and .npy codes of the element types");
    for (DType dtype : all) promise(parse_dtype(name_of(dtype), all) == dtype, "a type is found again by its name");
    static_assert(dtype_of<float> == DType::f32 && dtype_of<std::int64_t> == DType::i64 &&
                  dtype_of<BFloat16> == DType::bf16);
    bool same_half = true, same_bfloat16 = true;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        Half half;
        BFloat16 bfloat16;
        half.bits = bfloat16.bits = static_cast<std::uint16_t>(bits);
        same_half &= std::isnan(float(half)) || Half(float(half)).bits == bits;
        same_bfloat16 &= std::isnan(float(bfloat16)) || BFloat16(float(bfloat16)).bits == bits;
    }
    promise(same_half && same_bfloat16, "16-bit numbers come back from float as they were");
    promise(float(BFloat16(1 + 0x1p-8f)) == 1 && float(BFloat16(1 + 0x3p-8f)) == 1 + 0x1p-6f,
            "a tie goes to the even bf16");
    promise(std::isnan(float(BFloat16(float(nan_value)))) && std::isinf(float(BFloat16(3.4e38f))),
            "NaN and too large a bf16");
    promise(float(Half(1 + 0x1p-11f)) == 1 && std::isinf(float(Half(65520))),
            "a tie goes to the even f16, 65520 to infinity");
    int calls = 0;
    with_dtype(DType::i64, [&](auto zero) { calls += std::is_same_v<decltype(zero), std::int64_t>; });
    promise(calls == 1, "i64 is computed in int64_t");
    for (DType dtype : {DType::f16, DType::bf16}) {
        bool refused = false;
        try {
            with_dtype(dtype, [&](auto) { ++calls; });
        } catch (const Failure&) {
            refused = true;
        }
        promise(refused && calls == 1, "a type without kernels is refused, and not taken for another");
    }
    Chunk whole;
    whole.count = 3;
    whole.dtype = DType::i64;
    whole.bytes.resize(24);
    for (int i = 0; i < 3; ++i) whole.as<std::int64_t>()[i] = 1000 * i - 1;
    for (DType dtype : all) {
        const Chunk back = whole.converted_to(dtype).converted_to(DType::i64);
        promise(back.as<std::int64_t>()[0] == -1 && (dtype == DType::bf16 || back.as<std::int64_t>()[2] == 1999),
                "whole numbers survive every type that holds them");
    }
}

// NVIDIA's published rates, in 10^12 operations per second, follow from our table, the number of multiprocessors and
// the clock of the published figure: the boost clock.
static void published_peaks() {
    const struct {
        const char* gpu;
        int compute_capability, multiprocessors;
        double clock_mhz;
        int Throughput::*rate;
        double published;
    } rows[] = {
        {"Tesla P100-SXM2-16GB", 60, 56, 1480, &Throughput::f32, 10.6},
        {"Tesla P100-SXM2-16GB", 60, 56, 1480, &Throughput::f64, 5.3},
        {"Tesla P100-SXM2-16GB", 60, 56, 1480, &Throughput::f16, 21.2},
        {"NVIDIA GeForce GTX 1080 Ti", 61, 28, 1582, &Throughput::f32, 11.3},
        {"Tesla V100-SXM2-16GB", 70, 80, 1530, &Throughput::f32, 15.7},
        {"Tesla V100-SXM2-16GB", 70, 80, 1530, &Throughput::f64, 7.8},
        {"Tesla V100-SXM2-16GB", 70, 80, 1530, &Throughput::f16, 31.4},
        {"Tesla V100-SXM2-16GB", 70, 80, 1530, &Throughput::tensor_f16, 125},
        {"Tesla T4", 75, 40, 1590, &Throughput::f32, 8.1},
        {"Tesla T4", 75, 40, 1590, &Throughput::tensor_f16, 65},
        {"Tesla T4", 75, 40, 1590, &Throughput::tensor_i8, 130},
        {"NVIDIA GeForce RTX 2080 Ti", 75, 68, 1545, &Throughput::f32, 13.4},
        {"NVIDIA GeForce RTX 2080 Ti", 75, 68, 1545, &Throughput::tensor_f16, 53.8},
        {"NVIDIA GeForce RTX 2080 Ti", 75, 68, 1545, &Throughput::tensor_i8, 215.2},
        {"NVIDIA GeForce GTX 1660 Ti", 75, 24, 1770, &Throughput::tensor_f16, 0},
        {"NVIDIA A100-SXM4-40GB", 80, 108, 1410, &Throughput::f32, 19.5},
        {"NVIDIA A100-SXM4-40GB", 80, 108, 1410, &Throughput::f64, 9.7},
        {"NVIDIA A100-SXM4-40GB", 80, 108, 1410, &Throughput::f16, 78},
        {"NVIDIA A100-SXM4-40GB", 80, 108, 1410, &Throughput::tensor_f16, 312},
        {"NVIDIA A100-SXM4-40GB", 80, 108, 1410, &Throughput::tensor_bf16, 312},
        {"NVIDIA A100-SXM4-40GB", 80, 108, 1410, &Throughput::tensor_tf32, 156},
        {"NVIDIA A100-SXM4-40GB", 80, 108, 1410, &Throughput::tensor_f64, 19.5},
        {"NVIDIA A100-SXM4-40GB", 80, 108, 1410, &Throughput::tensor_i8, 624},
        {"NVIDIA GeForce RTX 3090", 86, 82, 1695, &Throughput::f32, 35.6},
        {"NVIDIA GeForce RTX 3090", 86, 82, 1695, &Throughput::f16, 35.6},
        {"NVIDIA GeForce RTX 3090", 86, 82, 1695, &Throughput::tensor_f16, 71},
        {"NVIDIA GeForce RTX 3090", 86, 82, 1695, &Throughput::tensor_tf32, 35.6},
        {"NVIDIA GeForce RTX 3090", 86, 82, 1695, &Throughput::tensor_i8, 284},
        {"NVIDIA RTX A6000", 86, 84, 1800, &Throughput::tensor_f16, 154.8},
        {"NVIDIA RTX A6000", 86, 84, 1800, &Throughput::tensor_tf32, 77.4},
        {"NVIDIA A40", 86, 84, 1740, &Throughput::tensor_bf16, 149.7},
        {"NVIDIA A40", 86, 84, 1740, &Throughput::tensor_i8, 299.3},
        {"NVIDIA GeForce RTX 4090", 89, 128, 2520, &Throughput::f32, 82.6},
        {"NVIDIA GeForce RTX 4090", 89, 128, 2520, &Throughput::f64, 1.29},
        {"NVIDIA GeForce RTX 4090", 89, 128, 2520, &Throughput::tensor_f16, 165.2},
        {"NVIDIA GeForce RTX 4090", 89, 128, 2520, &Throughput::tensor_tf32, 82.6},
        {"NVIDIA GeForce RTX 4090", 89, 128, 2520, &Throughput::tensor_i8, 660.6},
        {"NVIDIA GeForce RTX 4090", 89, 128, 2520, &Throughput::tensor_f8, 330.3},
        {"NVIDIA L40", 89, 142, 2490, &Throughput::f32, 90.5},
        {"NVIDIA L40", 89, 142, 2490, &Throughput::tensor_f16, 181.05},
        {"NVIDIA L40", 89, 142, 2490, &Throughput::tensor_i8, 362},
        {"NVIDIA L40S", 89, 142, 2520, &Throughput::tensor_f16, 362.05},
        {"NVIDIA L40S", 89, 142, 2520, &Throughput::tensor_tf32, 183},
        {"NVIDIA L40S", 89, 142, 2520, &Throughput::tensor_f8, 733},
        // Hopper's tensor cores are published at 1830 MHz, its other units at 1980.
        {"NVIDIA H100 80GB HBM3", 90, 132, 1980, &Throughput::f32, 66.9},
        {"NVIDIA H100 80GB HBM3", 90, 132, 1980, &Throughput::f64, 33.5},
        {"NVIDIA H100 80GB HBM3", 90, 132, 1980, &Throughput::f16, 133.8},
        {"NVIDIA H100 80GB HBM3", 90, 132, 1980, &Throughput::tensor_f64, 66.9},
        {"NVIDIA H100 80GB HBM3", 90, 132, 1830, &Throughput::tensor_f16, 989.4},
        {"NVIDIA H100 80GB HBM3", 90, 132, 1830, &Throughput::tensor_tf32, 494.7},
        {"NVIDIA H100 80GB HBM3", 90, 132, 1830, &Throughput::tensor_i8, 1978.9},
        {"NVIDIA H100 80GB HBM3", 90, 132, 1830, &Throughput::tensor_f8, 1978.9},
        {"Tesla C1060", 13, 30, 1296, &Throughput::f64, 0.078},
        {"Tesla M2050", 20, 14, 1150, &Throughput::f32, 1.03},
        {"Tesla M2050", 20, 14, 1150, &Throughput::f64, 0.515},
        {"GeForce GTX 680", 30, 8, 1006, &Throughput::f32, 3.09},
        {"Tesla K40m", 35, 15, 745, &Throughput::f32, 4.29},
        {"Tesla K40m", 35, 15, 745, &Throughput::f64, 1.43},
        {"NVIDIA H100 PCIe", 90, 114, 1755, &Throughput::f32, 51.2},
        {"NVIDIA H200", 90, 132, 1980, &Throughput::f32, 67},
        {"NVIDIA H200", 90, 132, 1830, &Throughput::tensor_bf16, 989},
        {"NVIDIA B200", 100, 148, 1965, &Throughput::f32, 75},
        {"NVIDIA B200", 100, 148, 1965, &Throughput::f64, 37},
        {"NVIDIA B200", 100, 148, 1965, &Throughput::tensor_f64, 37},
        {"NVIDIA GeForce RTX 5090", 120, 170, 2407, &Throughput::f32, 104.8},
        {"NVIDIA GeForce RTX 5090", 120, 170, 2407, &Throughput::tensor_f16, 209.5},
        {"NVIDIA GeForce RTX 5090", 120, 170, 2407, &Throughput::tensor_i8, 838},
        {"NVIDIA GeForce RTX 5090", 120, 170, 2407, &Throughput::tensor_f8, 419},
    };
    for (const auto& row : rows) {
        const auto throughput = throughput_of(row.compute_capability, row.gpu);
        const double peak =
            throughput ? 1e-12 * peak_rate((*throughput).*(row.rate), row.multiprocessors, 1e6 * row.clock_mhz) : -1;
        if (!(std::fabs(peak - row.published) <= 0.02 * row.published))
            std::printf("%s: %g, published %g\n", row.gpu, peak, row.published), ++broken;
    }
    // The clock of these is not published: it is slightly below the boost clock.
    const auto b200 = throughput_of(100, "NVIDIA B200").value_or(Throughput{});
    const std::pair<int Throughput::*, double> published_of_b200[] = {{&Throughput::tensor_f16, 2250},
                                                                      {&Throughput::tensor_bf16, 2250},
                                                                      {&Throughput::tensor_tf32, 1125},
                                                                      {&Throughput::tensor_i8, 4500},
                                                                      {&Throughput::tensor_f8, 4500}};
    for (const auto& [rate, published] : published_of_b200) {
        const double clock_mhz = published * 1e12 / peak_rate(b200.*rate, 148, 1e6);
        promise(clock_mhz > 0.9 * 1965 && clock_mhz <= 1965,
                "B200's tensor cores need no more than its clock for what is published");
    }
    for (int unknown : {0, 88, 91, 102, 999})
        promise(!throughput_of(unknown, "NVIDIA GPU"), "an unknown capability has no rates");
}

// The sentence at the end of a benchmark of variants with these medians in nanoseconds, by default with an error of 1 %.
static std::string sentence(const std::vector<std::pair<const Variant*, double>>& medians, const char* versus = "",
                            bool simulated = false, double error = 0.01) {
    std::vector<Timed> measured;
    for (const auto& [variant, median] : medians) {
        Timed one{variant, 400, variant->name == std::string("copy") ? 0.0 : 100.0, {}};
        one.times.median = median;
        one.times.median_interval = {(1 - error) * median, (1 + error) * median};
        measured.push_back(one);
    }
    return verdict(measured, versus, simulated ? Times::simulated : Times::measured);
}

static void sentences() {
    const Variant cpu{"cpu", "", Needs::host}, all_cores{"cpu-parallel", "", Needs::host}, tree{"tree", ""},
        shuffle{"shuffle", ""}, cub{"cub", "", Needs::gpu, "", true}, copy{"copy", ""};
    promise(sentence({{&tree, 1234}, {&shuffle, 100}}) == "shuffle is the fastest: 12.3 times tree.",
            "three digits are enough");
    promise(sentence({{&tree, 200}, {&shuffle, 100}}) == "shuffle is the fastest: 2.00 times tree.",
            "the fastest is named, and how many times the second it is");
    promise(sentence({{&cub, 130}, {&tree, 125}, {&shuffle, 100}}) ==
                "shuffle is the fastest: 1.25 times tree, 1.30 times cub.",
            "the library is named beside the second");
    promise(sentence({{&cub, 100}, {&tree, 150}, {&shuffle, 300}}) == "cub is the fastest: 1.50 times tree.",
            "a library may be the fastest");
    promise(
        sentence({{&tree, 100}, {&shuffle, 101}, {&cub, 140}}, "shuffle") == "tree is the fastest: level with shuffle.",
        "times whose intervals overlap are level, and the peer of --versus is the only one");
    promise(sentence({{&tree, 100}, {&shuffle, 150}}, "", false, 0.3) ==
                "tree is the fastest: 1.50 times shuffle (uncertain).",
            "medians that are far apart are not level, however noisy they are");
    promise(sentence({{&cpu, 1}, {&tree, 100}, {&shuffle, 110}}, "", true) ==
                "tree is the fastest to simulate: 1.10 times shuffle.",
            "the host does not compete with the device, and a simulation's speed is no GPU's");
    promise(sentence({{&cpu, 100}, {&all_cores, 50}}, "", true) == "cpu-parallel is the fastest: 2.00 times cpu.",
            "variants on the host compete among themselves");
    promise(sentence({{&copy, 50}, {&tree, 200}, {&shuffle, 100}}) == "shuffle is the fastest: 2.00 times tree.",
            "a bound without operations does not compete with what has some");
    promise(sentence({{&tree, 100}, {&tree, 110}, {&cpu, 3}}).empty() && sentence({}).empty(),
            "one variant is the fastest of nothing");
    promise(verdict({{&tree, 400, 100, {}}, {&shuffle, 800, 100, {}}}, "", Times::measured).empty(),
            "different work is not compared");
    const auto beside_cub = [&](Interval ratio, double tree_ns) {
        Timed one{&tree, 400, 100, {}}, peer{&cub, 400, 100, {}};
        one.times.median = tree_ns, peer.times.median = 100;
        one.times.median_interval = peer.times.median_interval = {80, 120};
        one.over_versus.median = (ratio.low + ratio.high) / 2, one.over_versus.median_interval = ratio;
        return verdict({one, peer}, "cub", Times::measured);
    };
    promise(beside_cub({0.965, 0.979}, 103) == "cub is the fastest: 1.03 times tree.",
            "what --versus's interval leaves no doubt of is not level, however the times overlap");
    promise(beside_cub({0.965, 0.979}, 99) == "cub is the fastest: 1.03 times tree.",
            "ratios of neighboring samples decide, not medians that drifted");
    promise(beside_cub({1.002, 1.006}, 100) == "tree is the fastest: 1.004 times cub.", "a small gain is not 1.00");
    promise(beside_cub({0.99, 1.01}, 100) == "tree is the fastest: level with cub.", "an interval around 1 is level");
    promise(beside_cub({0.9, 1.4}, 100) == "tree is the fastest: 1.15 times cub (uncertain).", "or too wide to tell");
}

int main() {
    sentences();
    element_types();
    published_peaks();
    single_values();
    shares_of_a_loop();
    many_elements();
    order_statistics();
    coverage_of_the_interval();
    generated_inputs();
    return broken > 0;
}
