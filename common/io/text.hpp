// SPDX-License-Identifier: MIT
// fmt's formatting behind a type-erased interface: fmt's own headers cost seconds per file and give nvcc trouble.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "common/io/failure.hpp"
#include "common/io/quantities.hpp"

using TextArgument = std::variant<long long, unsigned long long, double, std::string_view>;

template <typename T>
TextArgument text_argument(const T& value) {
    if constexpr (std::is_floating_point_v<T>) return static_cast<double>(value);
    else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) return static_cast<long long>(value);
    else if constexpr (std::is_integral_v<T>) return static_cast<unsigned long long>(value);
    else return std::string_view(value);
}

// Formats as fmt::format does: "{}" and "{:.3f}" for integers, floating-point numbers and strings.
std::string format_text(std::string_view format, std::initializer_list<TextArgument> arguments);

template <typename... Arguments>
std::string text(std::string_view format, const Arguments&... arguments) {
    return format_text(format, {text_argument(arguments)...});
}

// Ends the program through main(): prints the message after the program's name and exits with this code.
template <typename... Arguments>
[[noreturn]] void fail(Exit exit, std::string_view format, const Arguments&... arguments) {
    throw Failure(exit, text(format, arguments...));
}

// How messages name the input at this path: "-" is standard input.
inline std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

// A __FILE__ as a path in the project: "common/cuda/buffers.cuh", even if the compiler found it as
// "./common/cuda/buffers.cuh".
std::string source_name(std::string_view file);

// Splits at every separator; an empty text gives no parts.
std::vector<std::string> split(std::string_view list, char separator);

// Appends a word that is not there yet.
void add_once(std::vector<std::string>& words, std::string_view word);

// "a, b or c": names in a sentence, with "or" or another word before the last.
std::string list_text(const std::vector<std::string>& names, std::string_view last_joint);

// Shell-style match of a whole name against a pattern with * and ?.
bool matches_glob(std::string_view pattern, std::string_view name);

// Words for a message, cut to `longest`; '?' replaces all but printable ASCII, since they may be binary data.
std::string printable(std::string_view words, std::size_t longest);

// Finding the name that was meant, for messages about misspelled options, variants and so on.

// Levenshtein's distance, one row at a time.
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t substituted = diagonal + (from[i - 1] != to[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[to.size()];
}

// The candidate with the smallest edit distance to `word`, or "" if none is close enough to be a typo.
inline std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
    std::string nearest;
    std::size_t smallest = std::max<std::size_t>(word.size() / 2, 1) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < smallest) smallest = distance, nearest = candidate;
    }
    return nearest;
}
