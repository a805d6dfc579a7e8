// SPDX-License-Identifier: MIT
// Numbers are found by the separators between them, 64 bytes at a time, and their digits are combined eight or fifteen
// at a time, so that the length of a number hardly matters. What the fast paths are not certain of is left to
// std::from_chars.
// make: -O3 (its time goes into loops over numbers)
#include "common/io/parse_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "common/io/decimal.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace {

// Bit masks for 64 bytes: bit i describes byte i.
struct Marks {
    std::uint64_t separators = 0, points = 0;

    explicit Marks(const char* bytes) {
#ifdef __SSE2__
        const auto bits_of = [](__m128i of) -> std::uint64_t { return static_cast<unsigned>(_mm_movemask_epi8(of)); };
        for (int quarter = 0; quarter < 4; ++quarter) {
            const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + quarter);
            const __m128i from_tab = _mm_sub_epi8(sixteen, _mm_set1_epi8('\t'));
            const __m128i is_space = _mm_cmpeq_epi8(_mm_min_epu8(from_tab, _mm_set1_epi8('\r' - '\t')), from_tab);
            const __m128i is_other =
                _mm_or_si128(_mm_cmpeq_epi8(sixteen, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(sixteen, _mm_set1_epi8(',')));
            separators |= bits_of(_mm_or_si128(is_space, is_other)) << (16 * quarter);
            points |= bits_of(_mm_cmpeq_epi8(sixteen, _mm_set1_epi8('.'))) << (16 * quarter);
        }
#else
        for (int i = 0; i < 64; ++i) {
            separators |= std::uint64_t{is_separator(bytes[i])} << i;
            points |= std::uint64_t{bytes[i] == '.'} << i;
        }
#endif
    }
};

// The digits from `at` on, up to the first byte that is not a digit.
struct DigitRun {
    std::uint64_t digits = 0;
    const char* at;

    explicit DigitRun(const char* begin) : at(begin) {}
    // Returns how many there are. Their value is right for up to 19 in all.
    std::size_t take() {
        const char* const begin = at;
        for (unsigned taken = 8; taken == 8; at += taken) {
            const std::uint64_t values = digit_values(load_word<std::uint64_t>(at)), others = not_digits(values);
            taken = others == 0 ? 8 : first_byte_of(others);
            if (taken == 0) break;
            digits = digits * whole_powers_of_ten[taken] + combine_digits(values << (64 - 8 * taken));
        }
        return static_cast<std::size_t>(at - begin);
    }
};

// A number without its sign: its leading digits, and what follows them.
struct Decimal {
    DigitRun run;
    std::size_t digits;
    const char* end;

    Decimal(const char* begin, const char* end_) : run(begin), digits(run.take()), end(end_) {}

    // False if std::from_chars has to parse it.
    bool fraction(double& number) {
        int power = 0;
        if (*run.at == '.') {
            ++run.at;
            const std::size_t after_point = run.take();
            digits += after_point;
            power = -static_cast<int>(after_point);
        }
        if (digits == 0 || digits > 19) return false;
        if (run.at < end && (*run.at | 0x20) == 'e') {
            const bool is_negative = run.at[1] == '-', has_sign = is_negative || run.at[1] == '+';
            DigitRun exponent(run.at + 1 + has_sign);
            const std::size_t length = exponent.take();
            if (length == 0 || length > 4) return false;
            power += is_negative ? -static_cast<int>(exponent.digits) : static_cast<int>(exponent.digits);
            run.at = exponent.at;
        }
        return run.at == end && scale_decimal(run.digits, power, number);
    }
};

using Fault = ParsedText::Fault;

// Parses a word in any form that a number may have. The fast paths above leave out what they are not certain of.
Fault parse_any(const char* begin, const char* end, double& number) {
    // from_chars accepts no plus sign: drop one, unless another sign follows. (It accepts C's "nan(1)".)
    begin += *begin == '+' && !(end - begin > 1 && begin[1] == '-');
    const auto [stop, error] = real_from_chars(begin, end, number);
    if (stop != end || error == std::errc::invalid_argument || end[-1] == ')') return Fault::not_a_number;
    if (error == std::errc::result_out_of_range) number = std::strtod(std::string(begin, end).c_str(), nullptr);
    return error == std::errc::result_out_of_range && std::isinf(number) ? Fault::out_of_range : Fault::none;
}

// An integer that may not fit into 64 bits; false if it does not, or if it is not an integer.
bool parse_whole(const char* begin, const char* end, std::int64_t& integer) {
    begin += *begin == '+' && begin[1] != '-';
    const auto [stop, error] = std::from_chars(begin, end, integer);
    return error == std::errc{} && stop == end;
}

// `by_shuffles`: see SixteenBefore.
template <bool by_shuffles>
class Parser {
public:
    Parser(const char* begin, char* end, std::uint64_t* values) : begin_(begin), end_(end), values_(values) {
        // After the last number there is a separator, and no number after that.
        std::memset(end, ' ', text_margin);
    }

    ParsedText run() {
        parse();
        if (has_negative_zero_) find_negative_zeros();
        return std::move(parsed_);
    }

private:
    void parse() {
        const char* start = is_separator(*begin_) ? pass_separators(begin_) : begin_;
        bool after_separator = true;
        for (const char* base = begin_; base <= end_; base += 64) {
            const Marks marks(base);
            std::uint64_t ends = marks.separators & ~(marks.separators << 1 | std::uint64_t{after_separator});
            after_separator = marks.separators >> 63 != 0;
            points_ = Wide(marks.points) << 64 | points_ >> 64;
            points_begin_ = base - 64;
            for (; ends != 0; ends &= ends - 1) {
                const char* const stop = base + std::countr_zero(ends);
                if (!add(start, stop)) return;
                start = pass_separators(stop);
                if (parsed_.fault != Fault::none) return;
            }
        }
        if (!is_floating_) parsed_.integers = parsed_.count;
        parsed_.in_last_line = parsed_.count - line_begin_;
    }

    // From a separator to the next number, usually past just this one. (After the last number it is beyond the text.)
    const char* pass_separators(const char* at) {
        do {
            if (*at == '\n') end_line();
            else if (*at == ',') pass_comma();
        } while (++at < end_ && is_separator(*at));
        return at;
    }

    void pass_comma() {
        if (!parsed_.comma_may_follow && (parsed_.count > 0 || parsed_.has_leading_comma)) {
            if (parsed_.fault == Fault::none) fail(Fault::comma, {});
        } else if (!parsed_.comma_may_follow) {
            parsed_.has_leading_comma = true;
            parsed_.leading_comma_line = parsed_.line_ends;
        }
        parsed_.comma_may_follow = false;
    }

    void end_line() {
        const std::size_t numbers = parsed_.count - line_begin_;
        if (parsed_.line_ends++ == 0) parsed_.in_first_line = numbers;
        else if (numbers != parsed_.in_line && numbers > 0) {
            parsed_.lines_differ |= parsed_.in_line > 0;
            parsed_.in_line = numbers;
        }
        line_begin_ = parsed_.count;
    }

    bool fail(Fault fault, std::string_view word) {
        parsed_.fault = fault;
        parsed_.fault_line = parsed_.line_ends;
        parsed_.word = word;
        if (!is_floating_) parsed_.integers = parsed_.count;
        return false;
    }

    // Bit i is set if there is a point at begin + i; in a number of more than 64 characters, it may not be.
    std::uint64_t points_from(const char* begin) const {
        const auto from = static_cast<std::size_t>(begin - points_begin_);
        return from < 128 ? static_cast<std::uint64_t>(points_ >> from) : 0;
    }

    [[gnu::always_inline]] bool add(const char* begin, const char* end) {
        const bool is_negative = *begin == '-';
        const char* const digits = begin + (is_negative || *begin == '+');
        const auto length = static_cast<std::size_t>(end - digits);
        double number = 0;
        parsed_.comma_may_follow = true;
        if (length - 1 < 8) {
            const ShortNumber one(end, static_cast<unsigned>(length));
            if (one.others == 0) return push_integer(combine_digits(one.values), is_negative);
            if (one.fraction(number)) return push_signed(number, is_negative);
        } else if (const char* const point = begin + std::countr_zero(points_from(begin)); point < end) {
            if (parse_fraction<by_shuffles>(digits, point, end, 0, number)) return push_signed(number, is_negative);
        } else if (length - 1 < 19) {
            const DigitsBefore integer(end, static_cast<unsigned>(length));
            const bool fits = integer.value <= std::uint64_t{INT64_MAX} + is_negative;
            if (integer.others == 0 && fits) return push_integer(integer.value, is_negative);
        }
        return add_scaled(begin, digits, end, is_negative) || add_long(begin, digits, end, is_negative);
    }

    // A fraction with an exponent, in a function of its own: the paths of other numbers are faster without its code.
    [[gnu::noinline]] bool add_scaled(const char* begin, const char* digits, const char* end, bool is_negative) {
        const char* const point = begin + std::countr_zero(points_from(begin));
        const char* const factor_end = end - ShortExponent::length;
        if (point >= factor_end) return false;
        const ShortExponent exponent(end);
        double number = 0;
        if (!exponent.exists) return false;
        if (!parse_fraction<by_shuffles>(digits, point, factor_end, exponent.power, number)) return false;
        return push_signed(number, is_negative);
    }

    [[gnu::noinline]] bool add_long(const char* begin, const char* digits, const char* end, bool is_negative) {
        double number = 0;
        Decimal decimal(digits, end);
        if (std::int64_t integer = 0; decimal.run.at == end && parse_whole(begin, end, integer))
            return push_integer(is_negative ? -std::uint64_t(integer) : std::uint64_t(integer), is_negative);
        if (decimal.fraction(number)) return push_signed(number, is_negative);
        const Fault fault = parse_any(begin, end, number);
        if (fault != Fault::none) return fail(fault, {begin, static_cast<std::size_t>(end - begin)});
        return push_number(number);
    }

    bool push_integer(std::uint64_t magnitude, bool is_negative) {
        if (is_floating_) {
            const double number = static_cast<double>(magnitude);
            if (magnitude >> std::numeric_limits<double>::digits != 0) [[unlikely]]
                note_lost(lost_by_rounding(magnitude), is_negative);
            return push_signed(number, is_negative);
        }
        has_negative_zero_ |= is_negative & (magnitude == 0);
        values_[parsed_.count++] = is_negative ? -magnitude : magnitude;
        return true;
    }

    // (Out of the path that every number takes.)
    [[gnu::noinline, gnu::cold]] void note_lost(std::int64_t lost, bool is_negative) {
        parsed_.lost += is_negative ? -lost : lost;
    }
    // Scans the text again, which is rarely needed.
    [[gnu::noinline, gnu::cold]] void find_negative_zeros() {
        std::size_t place = 0;
        for (const char* at = begin_; place < parsed_.integers; ++at) {
            if (is_separator(*at)) continue;
            const char* const word = at;
            while (!is_separator(*at)) ++at;
            if (*word == '-' && std::all_of(word + 1, at, [](char digit) { return digit == '0'; }))
                parsed_.negative_zeros.push_back(place);
            ++place;
        }
    }

    bool push_number(double number) { return push_bits(std::bit_cast<std::uint64_t>(number)); }
    // (A branch on the sign would be guessed wrong for many numbers.)
    bool push_signed(double magnitude, bool is_negative) {
        return push_bits(std::bit_cast<std::uint64_t>(magnitude) ^ std::uint64_t{is_negative} << 63);
    }
    bool push_bits(std::uint64_t bits) {
        if (!is_floating_) parsed_.integers = parsed_.count;
        is_floating_ = true;
        values_[parsed_.count++] = bits;
        return true;
    }

    const char* const begin_;
    const char* const end_;
    std::uint64_t* const values_;
    ParsedText parsed_;
    Wide points_ = 0;  // of 128 characters, and where these begin
    const char* points_begin_ = nullptr;
    std::size_t line_begin_ = 0;  // numbers before the current line
    bool is_floating_ = false, has_negative_zero_ = false;
};

}  // namespace

[[gnu::flatten]] ParsedText parse_text_anywhere(const char* begin, char* end, std::uint64_t* values) {
    return Parser<false>(begin, end, values).run();
}

#ifdef X86_64_V3
// (Flattened: what is not inlined here is compiled for any processor.)
[[X86_64_V3, gnu::flatten]] static ParsedText parse_text_by_shuffles(const char* begin, char* end,
                                                                     std::uint64_t* values) {
    return Parser<true>(begin, end, values).run();
}

ParsedText parse_text(const char* begin, char* end, std::uint64_t* values) {
    static const bool has_shuffles = is_x86_64_v3();
    return (has_shuffles ? parse_text_by_shuffles : parse_text_anywhere)(begin, end, values);
}
#else
ParsedText parse_text(const char* begin, char* end, std::uint64_t* values) {
    return parse_text_anywhere(begin, end, values);
}
#endif

std::optional<double> parse_number(std::string_view word) {
    double number = 0;
    if (word.empty() || parse_any(word.data(), word.data() + word.size(), number) != Fault::none) return std::nullopt;
    return number;
}
