// SPDX-License-Identifier: MIT
// Parses a block of text into numbers, in one thread and at the speed of its caches. A block needs no neighbor, so
// several are parsed at once; the result has what the next block needs to know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

// Bytes before and after a block that the parser may read; it overwrites those after it.
constexpr std::size_t text_margin = 128;

// gridutils(7) says what a number is in text.
constexpr bool is_separator(char c) { return c == ' ' || c == ',' || (c >= '\t' && c <= '\r'); }

struct ParsedText {
    enum class Fault { none, not_a_number, out_of_range, comma, too_long };

    // Words of 8 bytes: the first `integers` of them are int64_t; from the first number on that is not a 64-bit
    // integer, all are doubles.
    std::size_t count = 0, integers = 0;
    std::vector<std::size_t> negative_zeros = {};  // the places of zeros written as -0 among those integers
    std::int64_t lost = 0;  // the sum of what rounding took from 64-bit integers among those doubles

    std::size_t line_ends = 0;
    std::size_t in_first_line = 0, in_last_line = 0;  // numbers before the first line end, and after the last one
    std::size_t in_line = 0;                          // numbers in each line between the two; 0: there are none
    bool lines_differ = false;

    bool has_leading_comma = false;  // before the first number: valid if the block before ends with a number
    std::size_t leading_comma_line = 0;
    bool comma_may_follow = false;  // there was a number since the last comma

    // What stopped the parsing, and where: the word, and the number of line ends before it.
    Fault fault = Fault::none;
    std::size_t fault_line = 0;
    std::string_view word;
};

// Parses the bytes from begin to end, which do not begin or end within a number, into `values`, which has room for
// (end - begin + 1) / 2 words.
ParsedText parse_text(const char* begin, char* end, std::uint64_t* values);

// The same by instructions that every processor has: what parse_text() does where there are no better ones.
ParsedText parse_text_anywhere(const char* begin, char* end, std::uint64_t* values);

// The number that a whole word is, such as an option's value, by the rule for text; none if it is no number, or if it
// is finite and beyond the range of a double.
std::optional<double> parse_number(std::string_view word);
