// SPDX-License-Identifier: MIT
// From decimal to binary: a number is its digits, a 64-bit integer, times a power of ten. Digits are combined eight at
// a time or, where the processor can shuffle bytes, up to fifteen and a point. Then:
//   - If both are exact in double, one multiplication or division rounds correctly (Clinger 1990).
//   - Otherwise the digits times the power's upper 64 bits give two bounds, which usually round to the same double
//     (after Lemire 2021, without the second multiplication).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#include <smmintrin.h>
// Of functions into which SixteenBefore's constructor is inlined; only for processors that have these instructions.
#define X86_64_V3 gnu::target("arch=x86-64-v3")

// (g++ 11 does not know the level's name here. No processor has these three without the level's others.)
inline bool is_x86_64_v3() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
}
#endif

using Wide = unsigned __int128;

// std::from_chars for double or long double, which libc++ lacks in part. (`copy` has every character that a number may
// have, and no hexadecimal number, which strtold would read.)
template <typename Real>
std::from_chars_result real_from_chars(const char* begin, const char* end, Real& number) {
#ifdef _LIBCPP_VERSION
    constexpr std::string_view characters = "+-.()_0123456789abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWYZ";
    const std::string_view rest(begin, static_cast<std::size_t>(end - begin));
    const std::string copy(rest.substr(0, rest.find_first_not_of(characters)));
    char* stop = nullptr;
    const auto value = static_cast<Real>(sizeof(Real) > sizeof(double) ? std::strtold(copy.c_str(), &stop)
                                                                       : std::strtod(copy.c_str(), &stop));
    if (stop == copy.c_str() || copy[0] == '+') return {begin, std::errc::invalid_argument};
    const auto length = static_cast<std::size_t>(stop - copy.c_str());
    const bool is_word = copy.find_first_of("iInN") < length;
    const bool is_zero = copy.find_first_of("123456789") >= std::min(length, copy.find_first_of("eE"));
    if (!is_word && (std::isinf(value) || (value == 0 && !is_zero))) {
        return {begin + length, std::errc::result_out_of_range};
    }
    number = value;
    return {begin + length, std::errc()};
#else
    return std::from_chars(begin, end, number);
#endif
}

template <typename Word>
inline Word load_word(const char* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

constexpr std::uint64_t each_byte(std::uint64_t byte) { return byte * 0x0101010101010101; }

// Maps digits to their values, and any other byte to more than 9.
constexpr std::uint64_t digit_values(std::uint64_t bytes) { return bytes ^ each_byte('0'); }

// The top bit of each byte that is more than 9. The first one set is right; bits after it may be wrong.
constexpr std::uint64_t not_digits(std::uint64_t values) {
    return ((values + each_byte(0x76)) | values) & each_byte(0x80);
}

// The value of eight digits, the first in the lowest byte: combines pairs of digits, then pairs of pairs, then fours.
constexpr std::uint64_t combine_digits(std::uint64_t digits) {
    constexpr std::uint64_t low_bytes = 0x000000ff000000ff;
    digits = digits * 10 + (digits >> 8);
    const std::uint64_t outer = (digits & low_bytes) * (100 + (std::uint64_t{1000000} << 32));
    const std::uint64_t inner = (digits >> 16 & low_bytes) * (1 + (std::uint64_t{10000} << 32));
    return (outer + inner) >> 32;
}

constexpr unsigned first_byte_of(std::uint64_t bits) { return static_cast<unsigned>(std::countr_zero(bits)) / 8; }

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
    // A larger product rounds differently only if it crosses half. It is less than 2 x 2^64 larger: twice 2^64, since
    // the product may have been shifted. Where the rest is beyond half, the difference wraps round and is huge.
    const bool is_near_a_change = static_cast<std::uint64_t>((half - rest) >> 64) < 2;
    if (!is_exact && is_near_a_change) return false;
    const std::uint64_t nearest = kept + static_cast<std::uint64_t>((rest + (kept & 1) + (half - 1)) >> dropped);
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

// A number of up to eight characters that end just before `end`: an integer, or one with a point.
struct ShortNumber {
    std::uint64_t values, others;
    unsigned length;  // at least 1

    ShortNumber(const char* end, unsigned count) : length(count) {
        values = digit_values(load_word<std::uint64_t>(end - 8)) & ~std::uint64_t{0} << (8 * (8 - count));
        others = not_digits(values);
    }
    // Takes the point out; false if there is none, or if anything else is not a digit.
    bool fraction(double& number) const {
        const unsigned place = first_byte_of(others);
        const std::uint64_t from_point = values >> (8 * place);
        const std::uint64_t before = values & ((std::uint64_t{1} << (8 * place)) - 1);
        const std::uint64_t digits = from_point >> 8 << 8 << (8 * place) | before << 8;
        if ((from_point & 0xff) != ('.' ^ '0') || length < 2 || not_digits(digits) != 0) return false;
        number = static_cast<double>(combine_digits(digits)) / powers_of_ten[7 - place];
        return true;
    }
};

// Up to 24 digits just before `end`, eight at a time, the last ones first. `others` is 0 if all of them are digits.
struct DigitsBefore {
    std::uint64_t value = 0, others = 0;

    DigitsBefore(const char* end, unsigned count) {
        if (count <= 8) {
            value = word(end, count);
        } else if (count <= 16) {
            value = word(end - 8, count - 8) * 100'000'000 + word(end, 8);
        } else {
            value = word(end - 16, count - 16) * 100'000'000 + word(end - 8, 8);
            value = value * 100'000'000 + word(end, 8);
        }
    }

private:
    std::uint64_t word(const char* end, unsigned count) {
        const unsigned half = 4 * (8 - count);  // (Shifted in two steps, since there may be no digits.)
        const std::uint64_t mask = ~std::uint64_t{0} << half << half;
        const std::uint64_t values = digit_values(load_word<std::uint64_t>(end - 8)) & mask;
        others |= not_digits(values);
        return combine_digits(values);
    }
};

#ifdef X86_64_V3
// How bytes move up by one as far as the point, whose place they take, by the number of digits after it.
struct alignas(16) PointMoves {
    std::uint8_t from[16][16] = {};
    constexpr PointMoves() {
        for (int after = 0; after < 16; ++after)
            for (int i = 0; i < 16; ++i)
                from[after][i] = static_cast<std::uint8_t>(i >= 16 - after ? i : i > 0 ? i - 1 : 0x80);
    }
};
inline constexpr PointMoves point_moves;

// Up to 15 digits and a point before the last `after` of them, `count` characters just before `end`: combines pairs of
// digits, then pairs of pairs, then fours, all at once. (One core of a Xeon reads what printf("%.6f") writes at 1.5
// GB/s, not 1.1.)
struct SixteenBefore {
    std::uint64_t value;
    bool are_digits;

    [[X86_64_V3]] SixteenBefore(const char* end, unsigned count, unsigned after) {
        const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                      bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(end - 16)),
                      is_earlier = _mm_cmpgt_epi8(_mm_set1_epi8(static_cast<char>(16 - count)), places),
                      values = _mm_andnot_si128(is_earlier, _mm_sub_epi8(bytes, _mm_set1_epi8('0'))),
                      move = _mm_load_si128(reinterpret_cast<const __m128i*>(point_moves.from[after])),
                      digits = _mm_shuffle_epi8(values, move), others = _mm_subs_epu8(digits, _mm_set1_epi8(9)),
                      pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(10 | 1 << 8)),
                      fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16)),
                      eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(10000 | 1 << 16));
        are_digits = _mm_testz_si128(others, others) != 0;
        const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
        value = (both & 0xffffffff) * 100'000'000 + (both >> 32);
    }
};
#endif

// An exponent of a sign and two digits just before `end`, as printf writes it.
struct ShortExponent {
    static constexpr std::size_t length = 4;
    int power;
    bool exists;

    explicit ShortExponent(const char* end) {
        const auto bytes = load_word<std::uint32_t>(end - length);
        const std::uint32_t sign = bytes >> 8 & 0xff, tens = (bytes >> 16 & 0xff) - '0', ones = (bytes >> 24) - '0';
        const auto magnitude = static_cast<int>(10 * tens + ones);
        exists = (bytes & 0xdf) == 'E' && (sign == '-' || sign == '+') && tens < 10 && ones < 10;
        power = sign == '-' ? -magnitude : magnitude;
    }
};

// A fraction times 10^power, with its point at `point`; false if it needs a slower way, or is no number. `by_shuffles`:
// whether the processor is an x86-64-v3.
template <bool by_shuffles>
inline bool parse_fraction(const char* begin, const char* point, const char* end, int power, double& number) {
    const auto before = static_cast<std::size_t>(point - begin), after = static_cast<std::size_t>(end - point - 1);
    if (before + after > 19 || before + after == 0) return false;
#ifdef X86_64_V3
    if constexpr (by_shuffles) {
        if (before + after < 16) {
            const SixteenBefore all(end, static_cast<unsigned>(before + after + 1), static_cast<unsigned>(after));
            if (!all.are_digits) return false;
            if (power != 0) return scale_decimal(all.value, power - static_cast<int>(after), number);
            number = static_cast<double>(all.value) / powers_of_ten[after];  // both exact
            return true;
        }
    }
#endif
    const DigitsBefore rest(end, static_cast<unsigned>(after));
    std::uint64_t digits = rest.value;
    if (before != 1 || *begin != '0') {  // (Many fractions begin with "0.", which adds nothing.)
        const DigitsBefore whole(point, static_cast<unsigned>(before));
        if (whole.others != 0) return false;
        digits += whole.value * whole_powers_of_ten[after];
    }
    if (rest.others != 0) return false;
    return scale_decimal(digits, power - static_cast<int>(after), number);
}
