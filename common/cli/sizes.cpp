// SPDX-License-Identifier: MIT
// Reading counts and lists of sizes.
#include "common/cli/sizes.hpp"

#include <algorithm>
#include <utility>

#include "common/io/text.hpp"

// A decimal number in parts: 1.5e6 has the digits 15 and the exponent 5. No digits if it is not a number.
struct DecimalText {
    std::string digits;
    int exponent = 0;
    bool has_exponent = false;
    std::size_t length = 0;  // in characters; a suffix may follow
};

static DecimalText decimal_at_begin(const std::string& word) {
    DecimalText decimal;
    const auto take_digits = [&] {
        std::string digits;
        while (decimal.length < word.size() && word[decimal.length] >= '0' && word[decimal.length] <= '9')
            digits += word[decimal.length++];
        return digits;
    };
    decimal.digits = take_digits();
    if (decimal.digits.empty()) return decimal;
    if (word[decimal.length] == '.') {
        ++decimal.length;
        std::string fraction = take_digits();
        if (fraction.empty()) return {};
        fraction.erase(fraction.find_last_not_of('0') + 1);
        decimal.digits += fraction;
        decimal.exponent = -static_cast<int>(fraction.size());
    }
    if (word[decimal.length] == 'e' || word[decimal.length] == 'E') {
        ++decimal.length;
        if (word[decimal.length] == '+') ++decimal.length;
        const std::string exponent = take_digits();
        if (exponent.empty() || exponent.size() > 2) return {};
        decimal.exponent += std::stoi(exponent);
        decimal.has_exponent = true;
    }
    return decimal;
}

std::size_t parse_count(const std::string& text_, const std::string& what, std::size_t largest) {
    const DecimalText decimal = decimal_at_begin(text_);
    const std::string number = decimal.digits, suffix = text_.substr(decimal.length);
    constexpr const char* suffixes[] = {"k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"};
    constexpr std::size_t factors[] = {1'000,      1'000'000,  1'000'000'000, 1'000'000'000'000,
                                       1ull << 10, 1ull << 20, 1ull << 30,    1ull << 40};
    std::size_t factor = suffix.empty() ? 1 : 0;
    for (std::size_t i = 0; i < std::size(suffixes) && !decimal.has_exponent; ++i)
        if (suffix == suffixes[i]) factor = factors[i];
    if (number.empty() || factor == 0)
        fail(Exit::usage,
             "{} '{}' is not a whole number, such as 1000, 1e6, or 4k with a suffix k, M, G, T (10^3..) or Ki, Mi, Gi, "
             "Ti (2^10..)",
             what, text_);
    std::size_t value = 0;
    for (char digit : number) {
        if (__builtin_mul_overflow(value, std::size_t{10}, &value) ||
            __builtin_add_overflow(value, static_cast<std::size_t>(digit - '0'), &value))
            fail(Exit::usage, "{} '{}' is too large", what, text_);
    }
    bool overflows = __builtin_mul_overflow(value, factor, &value);
    for (int i = 0; i < decimal.exponent; ++i) overflows |= __builtin_mul_overflow(value, std::size_t{10}, &value);
    if (overflows) fail(Exit::usage, "{} '{}' is too large", what, text_);
    for (int i = decimal.exponent; i < 0; ++i) {
        if (value % 10 != 0) fail(Exit::usage, "{} '{}' is not a whole number", what, text_);
        value /= 10;
    }
    if (value > largest) fail(Exit::usage, "{} '{}' is too large", what, text_);
    return value;
}

static void append_range(const std::string& range, const std::string& what, std::vector<std::size_t>& sizes) {
    const std::vector<std::string> parts = split(range, ':');
    const bool by_one = parts.size() == 2;
    if (!by_one && (parts.size() != 3 || parts[2].size() < 2 || (parts[2][0] != 'x' && parts[2][0] != '+')))
        fail(Exit::usage, "{} range '{}' is not FIRST:LAST, FIRST:LAST:xFACTOR or FIRST:LAST:+STEP", what, range);
    const std::size_t first = parse_count(parts[0], what, largest_size),
                      last = parse_count(parts[1], what, largest_size);
    const std::size_t step = by_one ? 1 : parse_count(parts[2].substr(1), what + " step");
    const bool geometric = !by_one && parts[2][0] == 'x';
    if (first > last || (geometric ? step < 2 || first == 0 : step < 1))
        fail(Exit::usage, "{} range '{}' does not grow from its first {} to its last", what, range, what);
    for (std::size_t size = first; size <= last;) {
        sizes.push_back(size);
        if (sizes.size() > 10'000) fail(Exit::usage, "{} range '{}' has more than 10000 {}s", what, range, what);
        if (geometric ? __builtin_mul_overflow(size, step, &size) : __builtin_add_overflow(size, step, &size)) break;
    }
}

static std::vector<std::size_t> parse_list(const std::string& list, const std::string& what) {
    std::vector<std::size_t> sizes;
    for (const std::string& part : split(list, ',')) {
        if (part.find(':') != part.npos) append_range(part, what, sizes);
        else sizes.push_back(parse_count(part, what, largest_size));
    }
    return sizes;
}

std::vector<std::size_t> parse_sizes(const std::string& list) { return parse_list(list, "size"); }

std::vector<std::size_t> parse_counts(const std::string& list, const std::string& what, std::size_t smallest,
                                      std::size_t largest) {
    const std::vector<std::size_t> counts = parse_list(list, what);
    for (std::size_t count : counts)
        if (count < smallest || count > largest)
            fail(Exit::usage, "{} '{}' is not from {} to {}", what, count, smallest, largest);
    return counts;
}

std::vector<std::size_t> parse_counts(const std::string& list, const std::string& what,
                                      const std::vector<std::size_t>& allowed) {
    const std::vector<std::size_t> counts = parse_list(list, what);
    for (std::size_t count : counts) {
        if (std::find(allowed.begin(), allowed.end(), count) != allowed.end()) continue;
        std::vector<std::string> words;
        for (std::size_t one : allowed) words.push_back(std::to_string(one));
        fail(Exit::usage, "{} '{}' is not {}", what, count, list_text(words, "or"));
    }
    return counts;
}

std::vector<std::vector<std::size_t>> parse_extents(const std::string& list, std::size_t count, const char* form) {
    std::vector<std::vector<std::size_t>> shapes;
    for (const std::string& part : split(list, ',')) {
        if (part.empty()) fail(Exit::usage, "size '{}' names no shape in one of its parts", list);
        if (part.find(':') != part.npos || part.find('x') == part.npos) {
            for (std::size_t side : parse_sizes(part)) shapes.emplace_back(count, side);
            continue;
        }
        const std::vector<std::string> words = split(part, 'x');
        if (words.size() != count) fail(Exit::usage, "size '{}' is neither N nor {}", part, form);
        std::vector<std::size_t> extents;
        for (const std::string& word : words) extents.push_back(parse_count(word, "size", largest_size));
        shapes.push_back(std::move(extents));
    }
    if (shapes.empty()) fail(Exit::usage, "size '{}' names no shape", list);
    return shapes;
}

std::vector<MatrixShape> parse_matrix_shapes(const std::string& list) {
    std::vector<MatrixShape> shapes;
    for (const std::vector<std::size_t>& extents : parse_extents(list, 2, "ROWSxCOLUMNS")) {
        const MatrixShape shape{extents[0], extents[1]};
        std::size_t elements;
        if (__builtin_mul_overflow(shape.rows, shape.columns, &elements) || elements > largest_size)
            fail(Exit::usage, "size '{}' is too large", shape.name());
        shapes.push_back(shape);
    }
    return shapes;
}

BlockShape parse_block_shape(const std::string& word, const std::string& what, const std::string& others) {
    const std::vector<std::string> extents = split(word, 'x');
    if (extents.empty() || extents.size() > 2)
        fail(Exit::usage, "{} '{}' is neither THREADS nor XxY, such as 32x8{}", what, word, others);
    const auto extent = [&](std::size_t i) {
        const std::size_t count = i < extents.size() ? parse_count(extents[i], text("{} '{}':", what, word)) : 1;
        if (count < 1 || count > most_threads_per_block)
            fail(Exit::usage, "{} '{}': {} is not from 1 to {}", what, word, count, most_threads_per_block);
        return static_cast<unsigned>(count);
    };
    const BlockShape shape = {extent(0), extent(1)};
    if (shape.x * shape.y > most_threads_per_block)
        fail(Exit::usage, "{} '{}' has {} threads; a block has at most {}", what, word, shape.x * shape.y,
             most_threads_per_block);
    return shape;
}
