// SPDX-License-Identifier: MIT
// Sizes and globs, compared with independent readers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/cli/sizes.hpp"
#include "common/io/text.hpp"
#include "tests/properties/property.hpp"

namespace {

using Wide = unsigned __int128;
constexpr Wide too_large = Wide{1} << 80;  // still fits after multiplication by any factor

// A decimal number with a suffix or an exponent, in 128 bits; none for other words and for fractions.
std::optional<Wide> reference_count(std::string_view word) {
    static const std::map<std::string, Wide, std::less<>> factors = {{"", 1},
                                                                     {"k", 1000},
                                                                     {"M", 1000'000},
                                                                     {"G", 1000'000'000},
                                                                     {"T", 1000'000'000'000},
                                                                     {"Ki", 1024},
                                                                     {"Mi", 1024 * 1024},
                                                                     {"Gi", 1024 * 1024 * 1024},
                                                                     {"Ti", Wide{1024} * 1024 * 1024 * 1024}};
    const std::size_t mantissa = std::min(word.find_first_not_of("0123456789."), word.size());
    const std::string digits(word.substr(0, mantissa));
    const std::size_t point = digits.find('.');
    if (digits.empty() || point != digits.rfind('.') || point == 0 || point == digits.size() - 1) return {};
    Wide value = 0;
    for (const char digit : digits)
        if (digit != '.') value = std::min(too_large, 10 * value + static_cast<Wide>(digit - '0'));
    std::string rest(word.substr(mantissa));
    if (!rest.empty() && (rest[0] == 'e' || rest[0] == 'E')) {
        rest.erase(0, rest[1] == '+' ? 2 : 1);
        if (rest.empty() || rest.size() > 2 || rest.find_first_not_of("0123456789") != rest.npos) return {};
        for (int times = std::stoi(rest); times > 0; --times) value = std::min(too_large, 10 * value);
        rest.clear();
    }
    const auto factor = factors.find(rest);
    if (factor == factors.end()) return {};
    value *= factor->second;
    for (std::size_t at = point; at != digits.npos && at + 1 < digits.size(); ++at) {
        if (value % 10 != 0) return {};
        value /= 10;
    }
    return value;
}

using Sizes = std::vector<std::size_t>;

std::optional<Sizes> reference_sizes(const std::string& list) {
    Sizes sizes;
    if (list.empty()) return sizes;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::string part = list.substr(begin, end - begin);
        begin = end + 1;
        const std::size_t colon = part.find(':'), second = colon == part.npos ? part.npos : part.find(':', colon + 1);
        if (colon == part.npos) {
            const auto size = reference_count(part);
            if (!size || *size > largest_size) return {};
            sizes.push_back(static_cast<std::size_t>(*size));
            continue;
        }
        const bool has_step = second != part.npos;  // else it is 1
        if (has_step && second + 1 >= part.size()) return {};
        const char kind = has_step ? part[second + 1] : '+';
        const auto first = reference_count(part.substr(0, colon)),
                   last = reference_count(part.substr(colon + 1, has_step ? second - colon - 1 : part.npos)),
                   step = has_step ? reference_count(part.substr(second + 2)) : std::optional<Wide>{1};
        if (!first || !last || !step || *first > *last || *last > largest_size || *step >> 64 != 0) return {};
        if (kind != 'x' && kind != '+') return {};
        if (kind == 'x' ? *step < 2 || *first == 0 : *step < 1) return {};
        for (Wide size = *first; size <= *last; size = kind == 'x' ? size * *step : size + *step) {
            sizes.push_back(static_cast<std::size_t>(size));
            if (sizes.size() > 10'000) return {};
        }
    }
    return sizes;
}

std::optional<Sizes> tried_sizes(const std::string& list) {
    try {
        return parse_sizes(list);
    } catch (const Failure& failure) {
        if (failure.exit() != Exit::usage) throw;
        return {};
    }
}

std::string shown(const std::optional<Sizes>& sizes) {
    if (!sizes) return "refused";
    std::string words;
    for (const std::size_t size : *sizes) words += std::to_string(size) + " ";
    return words.substr(0, 200);
}

std::string compare_sizes(const std::string& list) {
    const auto got = tried_sizes(list), expected = reference_sizes(list);
    return got == expected ? "" : "'" + list + "': " + shown(got) + ", expected " + shown(expected);
}

std::string number(Random& random) {
    static constexpr std::string_view suffixes[] = {"",   "",   "",   "k",  "M", "G",  "T",
                                                    "Ki", "Mi", "Gi", "Ti", "K", "ki", "B"};
    std::string digits = std::to_string(random() >> below(random, 64));
    if (below(random, 20) == 0) digits += std::to_string(random());  // beyond 64 bits
    if (below(random, 8) == 0) digits += "e" + std::to_string(below(random, 12));
    if (below(random, 8) == 0) digits = std::to_string(below(random, 100)) + "." + std::to_string(below(random, 1000));
    return digits + std::string(suffixes[below(random, std::size(suffixes) - (below(random, 8) ? 3 : 0))]);
}

std::string small_number(Random& random) {
    static constexpr std::string_view suffixes[] = {"", "", "k", "Ki"};
    return std::to_string(random() >> (50 + below(random, 14))) + std::string(suffixes[below(random, 4)]);
}

std::string lists_of_sizes(Random& random) {
    std::string list;
    for (std::size_t parts = 1 + below(random, 3); parts > 0; --parts) {
        if (!list.empty()) list += ',';
        switch (below(random, 4)) {
            case 0: list += number(random); break;
            case 1: list += small_number(random) + ":" + number(random) + ":x" + small_number(random); break;
            case 2: list += small_number(random) + ":" + small_number(random) + ":+" + small_number(random); break;
            default: list += small_number(random) + ":" + number(random) + ":x2";
        }
    }
    return compare_sizes(list);
}

std::string nonsense_sizes(Random& random) {
    static constexpr std::string_view pieces[] = {"1", "2", "0",  "9", "64", ":", ":", "x", "+",
                                                  ",", "k", "Ki", "M", "-",  ".", " ", "e", "e+"};
    return compare_sizes(random_text(random, pieces, 9));
}

// The largest size, and the first beyond it, in every unit.
std::string edges_of_sizes(Random&) {
    for (const auto& [suffix, factor] :
         std::map<std::string, Wide>{{"", 1}, {"k", 1000}, {"Ki", 1024}, {"G", 1000'000'000}}) {
        const Wide largest = Wide{largest_size} / factor;
        for (const Wide value : {largest - 1, largest, largest + 1}) {
            const std::string wrong = compare_sizes(std::to_string(static_cast<std::uint64_t>(value)) + suffix);
            if (!wrong.empty()) return wrong;
        }
    }
    for (const char* list : {"18446744073709551615", "18446744073709551616", "18014398509481984Ki", "0", "00012",
                             "1:1:x2", "72057594037927936:72057594037927936:x18446744073709551615", "1:10000:+1",
                             "1:10001:+1", "0:9:+18446744073709551615", "", ",", "1,", ":", "1:2", "1:2:3:x2"}) {
        const std::string wrong = compare_sizes(list);
        if (!wrong.empty()) return wrong;
    }
    return "";
}

bool reference_glob(std::string_view pattern, std::string_view name) {
    if (pattern.empty()) return name.empty();
    if (pattern[0] == '*')
        return reference_glob(pattern.substr(1), name) || (!name.empty() && reference_glob(pattern, name.substr(1)));
    return !name.empty() && (pattern[0] == '?' || pattern[0] == name[0]) &&
           reference_glob(pattern.substr(1), name.substr(1));
}

std::string globs(Random& random) {
    static constexpr std::string_view in_patterns[] = {"a", "b", "ab", "-", "*", "*", "?", "**"};
    static constexpr std::string_view in_names[] = {"a", "b", "ab", "-", "a", "b", "*", "?"};
    const std::string pattern = random_text(random, in_patterns, 8), name = random_text(random, in_names, 8);
    const bool got = matches_glob(pattern, name);
    return got == reference_glob(pattern, name)
               ? ""
               : "'" + pattern + "' and '" + name + "': " + (got ? "match" : "no match");
}

// A name always matches itself with any part replaced by a star, and any character by a question mark.
std::string globs_of_a_name(Random& random) {
    static constexpr std::string_view pieces[] = {"a", "b", "c", "-", "shared", "tree"};
    const std::string name = random_text(random, pieces, 12);
    std::string pattern = name;
    for (char& c : pattern)
        if (below(random, 4) == 0) c = '?';
    for (std::size_t stars = below(random, 4); stars > 0; --stars) {
        const std::size_t at = below(random, pattern.size() + 1);
        pattern.replace(at, below(random, 5), "*");
    }
    return matches_glob(pattern, name) ? "" : "'" + pattern + "' does not match '" + name + "'";
}

}  // namespace

int main(int count, char** arguments) {
    Properties properties(count, arguments);
    properties.check("sizes", 20'000, lists_of_sizes);
    properties.check("nonsense-sizes", 20'000, nonsense_sizes);
    properties.check("edges-of-sizes", 1, edges_of_sizes);
    properties.check("globs", 50'000, globs);
    properties.check("globs-of-a-name", 20'000, globs_of_a_name);
    return properties.exit_status();
}
