// fmt's formatting behind a type-erased door: fmt's own headers cost seconds per file and trouble nvcc, so they stay in text.cpp.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "common/io/failure.hpp"
#include "common/io/nearest.hpp"
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

// Ends the program by way of main(): prints the message after the program's name and exits with this code.
template <typename... Arguments>
[[noreturn]] void fail(Exit exit, std::string_view format, const Arguments&... arguments) {
    throw Failure(exit, text(format, arguments...));
}

// A __FILE__ as a path in the project: "common/cuda/buffers.cuh" also where the compiler found it as
// "./common/buffers.cuh".
std::string source_name(std::string_view file);

// Splits at every separator; an empty text gives no parts.
std::vector<std::string> split(std::string_view list, char separator);

// "a, b or c": names in a sentence, with "or" or another word before the last.
std::string list_text(const std::vector<std::string>& names, std::string_view last_joint);

// Shell-style match of a whole name against a pattern with * and ?.
bool matches_glob(std::string_view pattern, std::string_view name);

// Words for a message: without control characters, since they may be binary data, and cut to a readable length.
std::string printable(std::string_view words, std::size_t longest);
