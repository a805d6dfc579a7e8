// SPDX-License-Identifier: MIT
// Numbers as text and as halves, and the generated inputs.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "common/io/number_writer.hpp"
#include "common/io/small_float.hpp"
#include "common/io/text.hpp"
#include "common/measure/random.hpp"
#include "tests/properties/property.hpp"

namespace {

template <typename T, typename Bits>
std::string reads_back(Bits bits) {
    const T value = std::bit_cast<T>(bits);
    const std::string shown = number_text(value);
    T back = 0;
    const auto [stop, error] = std::from_chars(shown.data(), shown.data() + shown.size(), back);
    if (error != std::errc{} || stop != shown.data() + shown.size()) return "'" + shown + "' cannot be read";
    const bool same = std::isnan(value) ? std::isnan(back) : std::bit_cast<Bits>(back) == bits;
    if (!same) return text("{} is shown as {}", static_cast<double>(value), shown);
    // No shorter text would do: with one digit less it is another number. (Whole numbers are written out.)
    const std::size_t exponent = shown.find('e');
    if (!std::isfinite(value) || shown.find('.') == shown.npos) return "";
    std::string shorter = shown;
    shorter.erase((exponent == shown.npos ? shown.size() : exponent) - 1, 1);
    std::from_chars(shorter.data(), shorter.data() + shorter.size(), back);
    return std::bit_cast<Bits>(back) == bits ? "'" + shown + "' is longer than need be" : "";
}

// Every exponent with any fraction, and the neighbors of whole numbers.
std::string floats(Random& random) {
    const auto bits = static_cast<std::uint32_t>(random());
    const std::string wrong = reads_back<float>(bits);
    if (!wrong.empty()) return wrong;
    const float whole = static_cast<float>(static_cast<std::int64_t>(random()) >> below(random, 64));
    return reads_back<float>(std::bit_cast<std::uint32_t>(whole) + static_cast<std::uint32_t>(below(random, 3)));
}

std::string doubles(Random& random) {
    const std::string wrong = reads_back<double>(std::uint64_t{random()});
    if (!wrong.empty()) return wrong;
    const double whole = static_cast<double>(static_cast<std::int64_t>(random()) >> below(random, 64));
    return reads_back<double>(std::bit_cast<std::uint64_t>(whole) + below(random, 3));
}

// A binary16 by its definition.
float reference_widen(std::uint16_t half) {
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const float sign = half & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31)
        return sign * (fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity());
    return sign * static_cast<float>(exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

// The nearest half, ties to even; infinity from half a unit beyond the largest on.
std::uint16_t reference_narrow(float value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(static_cast<double>(value));
    if (magnitude >= 65520) return sign | 0x7c00;
    std::uint16_t low = 0, high = 0x7bff;  // halves are ordered like their bits
    while (high - low > 1) {
        const auto middle = static_cast<std::uint16_t>((low + high) / 2);
        (static_cast<double>(reference_widen(middle)) <= magnitude ? low : high) = middle;
    }
    const double below_it = magnitude - static_cast<double>(reference_widen(low));
    const double above_it = static_cast<double>(reference_widen(high)) - magnitude;
    const bool takes_low = below_it < above_it || (below_it == above_it && low % 2 == 0);
    return sign | (takes_low ? low : high);
}

std::string every_half(Random&) {
    for (unsigned bits = 0; bits < 65536; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float wide = std::bit_cast<Half>(half), expected = reference_widen(half);
        if (std::isnan(expected) ? !std::isnan(wide)
                                 : std::bit_cast<std::uint32_t>(wide) != std::bit_cast<std::uint32_t>(expected))
            return text("half {} is widened to {}", bits, wide);
        const std::uint16_t back = Half(wide).bits;
        if (std::isnan(wide) ? (back & 0x7fff) <= 0x7c00 : back != half)
            return text("half {} comes back as {}", bits, back);
    }
    return "";
}

// Floats of every exponent, and around the midpoint of two halves, where rounding decides.
std::string narrowed_floats(Random& random) {
    auto bits = static_cast<std::uint32_t>(random());
    if (below(random, 2)) {
        const auto half = static_cast<std::uint16_t>(random());
        const float low = reference_widen(half), high = reference_widen(static_cast<std::uint16_t>(half + 1));
        bits = std::bit_cast<std::uint32_t>((low + high) / 2) + static_cast<std::uint32_t>(below(random, 3)) - 1;
    }
    const float value = std::bit_cast<float>(bits);
    const std::uint16_t half = Half(value).bits;
    if (std::isnan(value)) return (half & 0x7fff) > 0x7c00 ? "" : text("a NaN is narrowed to {}", half);
    return half == reference_narrow(value)
               ? ""
               : text("{:.9g} is narrowed to {}, not {}", value, half, reference_narrow(value));
}

// A bfloat16 is the upper half of a float: the nearer of the two around a value, ties to even.
std::string narrowed_to_bfloat16(Random& random) {
    auto bits = static_cast<std::uint32_t>(random());
    if (below(random, 2)) bits = (bits & 0xffff0000u) + 0x7fffu + static_cast<std::uint32_t>(below(random, 3));
    const float value = std::bit_cast<float>(bits);
    const BFloat16 narrow(value);
    if (std::isnan(value)) return std::isnan(static_cast<float>(narrow)) ? "" : "a NaN is narrowed to a number";
    if (std::isinf(value)) return static_cast<float>(narrow) == value ? "" : "an infinity is narrowed to a number";
    // Beyond the largest float the next step would be 2^128.
    const auto step = [](std::uint32_t upper) {
        return (upper & 0x7fffu) == 0x7f80u ? (upper & 0x8000u ? -0x1p128 : 0x1p128)
                                            : static_cast<double>(std::bit_cast<float>(upper << 16));
    };
    const std::uint32_t low = bits >> 16, high = low + 1;
    const double to_low = std::fabs(value - step(low)), to_high = std::fabs(value - step(high));
    const std::uint32_t expected = to_low < to_high || (to_low == to_high && low % 2 == 0) ? low : high;
    return narrow.bits == expected ? ""
                                   : text("{:.9g} is narrowed to bfloat16 {}, not {}", value, narrow.bits, expected);
}

// ---- generated inputs

template <typename T>
std::vector<T> filled(std::uint64_t seed, std::size_t n, std::size_t threads) {
    std::vector<T> values(n);
    run_shares(n, threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) values[i] = uniform<T>(seed, i);
    });
    return values;
}

template <typename T>
std::string same_for_any_threads(Random& random) {
    const std::uint64_t seed = random();
    const std::size_t n = 1 + below(random, 200'000);
    const std::vector<T> one = filled<T>(seed, n, 1);
    for (const std::size_t threads : {2, 3, 7})
        if (filled<T>(seed, n, threads) != one) return text("{} elements differ with {} threads", n, threads);
    std::vector<T> by_fill(n);
    fill(by_fill.data(), n, [&](std::size_t i) { return uniform<T>(seed, i); });
    return by_fill == one ? "" : text("fill() of {} elements differs from the generator", n);
}

// The sum over 64 classes of (seen - expected)^2 / expected has 63 degrees of freedom: it is above 120 once in 40000
// tries, and below 25 once in a million.
template <typename Class>
std::string chi_square(Class class_of) {
    constexpr std::size_t classes = 64, n = 64'000;
    std::array<int, classes> seen{};
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t one = class_of(i);
        if (one >= classes) return text("element {} is out of bounds", i);
        ++seen[one];
    }
    double sum = 0;
    for (const int count : seen) sum += (count - 1000.0) * (count - 1000.0) / 1000.0;
    return sum > 25 && sum < 120 ? "" : text("chi-square is {:.1f} for 63 degrees of freedom", sum);
}

template <typename T>
std::string is_uniform(Random& random) {
    const std::uint64_t seed = random();
    const std::string wrong = chi_square([&](std::size_t i) {
        const T value = uniform<T>(seed, i);
        // Floating types cover (-1, 1), integers a quarter of their range on either side of 0.
        double scaled = static_cast<double>(value);
        if constexpr (std::is_integral_v<T>) scaled /= std::ldexp(1.0, static_cast<int>(8 * sizeof(T)) - 3);
        return scaled >= -1 && scaled < 1 ? static_cast<std::size_t>((scaled + 1) * 32) : std::size_t{64};
    });
    if (!wrong.empty()) return text("seed {}: {}", seed, wrong);
    // Neighbors are independent: 8 classes of one by 8 classes of the next.
    const auto octant = [&](std::size_t i) { return static_cast<std::size_t>(random_bits(seed, i) >> 61); };
    const std::string pairs = chi_square([&](std::size_t i) { return 8 * octant(2 * i) + octant(2 * i + 1); });
    return pairs.empty() ? "" : text("seed {}, pairs: {}", seed, pairs);
}

std::string seeds_differ(Random& random) {
    const std::uint64_t seed = random();
    for (const std::uint64_t other : {seed + 1, seed ^ std::uint64_t{1} << 63, ~seed}) {
        int equal = 0;
        for (std::uint64_t i = 0; i < 1000; ++i) equal += random_bits(seed, i) >> 56 == random_bits(other, i) >> 56;
        if (equal > 20)
            return text("seeds {} and {} share {} of 1000 leading bytes", seed, other, equal);  // 4 are expected
    }
    return "";
}

}  // namespace

int main(int count, char** arguments) {
    Properties properties(count, arguments);
    properties.check("floats", 100'000, floats);
    properties.check("doubles", 100'000, doubles);
    properties.check("every-half", 1, every_half);
    properties.check("narrowed-floats", 100'000, narrowed_floats);
    properties.check("narrowed-to-bfloat16", 100'000, narrowed_to_bfloat16);
    properties.check("threads", 5, same_for_any_threads<float>);
    properties.check("threads", 5, same_for_any_threads<double>);
    properties.check("threads", 5, same_for_any_threads<std::int32_t>);
    properties.check("threads", 5, same_for_any_threads<std::int64_t>);
    properties.check("uniform", 10, is_uniform<float>);
    properties.check("uniform", 10, is_uniform<double>);
    properties.check("uniform", 10, is_uniform<std::int32_t>);
    properties.check("uniform", 10, is_uniform<std::int64_t>);
    properties.check("seeds", 100, seeds_differ);
    return properties.exit_status();
}
