// From decimal to binary: a number is its digits, a 64-bit integer, times a power of ten.
//   - If both are exact in double, one multiplication or division rounds correctly (Clinger 1990).
//   - Otherwise the digits times the power's upper 64 bits give two bounds, which usually round to the same double
//     (after Lemire 2021, without the second multiplication).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>

using Wide = unsigned __int128;

template <typename T, std::size_t count>
constexpr std::array<T, count> first_powers_of_ten() {
    std::array<T, count> powers{};
    T power = 1;
    for (T& one : powers) one = power, power *= 10;
    return powers;
}
constexpr int most_exact_power = 22;  // of ten, in a double
constexpr auto powers_of_ten = first_powers_of_ten<double, most_exact_power + 1>();
constexpr auto whole_powers_of_ten = first_powers_of_ten<std::uint64_t, 20>();

// 5^q lies in [bits, bits + 1) times 2^exponent, or is the lower bound if it is exact. The top bit is set.
struct PowerOfFive {
    std::uint64_t bits;
    int exponent;
    bool exact;
};
constexpr int most_power = 27;  // of five, in 64 bits
constexpr std::array<PowerOfFive, 2 * most_power + 1> powers_of_five = [] {
    std::array<PowerOfFive, 2 * most_power + 1> powers{};
    std::uint64_t power = 1;
    for (int q = 0; q <= most_power; ++q, power *= 5) {
        const int shift = std::countl_zero(power);
        const std::uint64_t normal = power << shift;
        powers[std::size_t(most_power - q)] = {static_cast<std::uint64_t>((Wide(1) << 127) / normal), shift - 127,
                                               false};
        powers[std::size_t(most_power + q)] = {normal, -shift, true};
    }
    return powers;
}();

// The double nearest to product x 2^exponent, ties to even, for a product of at least 2^126 and a normal result. If the
// product is not exact, the true one may be up to 2^64 larger: false if that could change the result.
inline bool round_product(Wide product, int exponent, bool is_exact, double& number) {
    const int shift = product >> 127 == 0;
    product <<= shift;
    constexpr int dropped = 128 - std::numeric_limits<double>::digits;
    constexpr Wide half = Wide(1) << (dropped - 1);
    const auto kept = static_cast<std::uint64_t>(product >> dropped);
    const Wide rest = product & (2 * half - 1);
    // (Twice 2^64, if the product was shifted.)
    const bool is_near_a_change = (rest & (half - 1)) >= half - (Wide(2) << 64) || rest == half;
    if (!is_exact && is_near_a_change) return false;
    const std::uint64_t nearest = kept + (rest > half || (rest == half && (kept & 1)));
    const auto scale = static_cast<std::uint64_t>(1023 + dropped - shift + exponent) << 52;
    number = static_cast<double>(nearest) * std::bit_cast<double>(scale);
    return true;
}

// The double nearest to digits x 10^power; false if neither way is certain of it, so that std::from_chars has to parse
// the text.
[[gnu::always_inline]] inline bool scale_decimal(std::uint64_t digits, int power, double& number) {
    if (digits >> std::numeric_limits<double>::digits == 0 && std::abs(power) <= most_exact_power) {
        const double exact = static_cast<double>(digits);
        number = power < 0 ? exact / powers_of_ten[std::size_t(-power)] : exact * powers_of_ten[std::size_t(power)];
        return true;
    }
    if (digits == 0) {
        number = 0;
        return true;
    }
    if (std::abs(power) > most_power) return false;
    const PowerOfFive& five = powers_of_five[std::size_t(most_power + power)];
    const int shift = std::countl_zero(digits);
    return round_product(Wide(digits << shift) * five.bits, power + five.exponent - shift, five.exact, number);
}

// What a whole number of at most 2^63 loses when it is rounded to the nearest double.
inline std::int64_t lost_by_rounding(std::uint64_t whole) {
    if (whole >> std::numeric_limits<double>::digits == 0) return 0;
    return static_cast<std::int64_t>(whole - static_cast<std::uint64_t>(static_cast<double>(whole)));
}
