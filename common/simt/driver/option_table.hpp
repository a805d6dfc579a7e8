// SPDX-License-Identifier: MIT
#pragma once
// The one table of simcc's options: the parser and --help read it, and the manual page follows it.

#include <string>
#include <string_view>
#include <vector>

#include "common/simt/driver/options.hpp"

namespace simcc {

enum class Argument {
    none,
    required,  ///< -name VALUE or -name=VALUE
    joined,    ///< -nVALUE as well
};

struct OptionRow {
    std::string_view name, long_name;  ///< without dashes
    Argument argument;
    void (*apply)(Options&, const std::string& value);
    std::string_view help;  ///< empty: accepted for compatibility with nvcc, but not listed
};

/// The row of the option `name` (without dashes, short or long), or nullptr.
const OptionRow* find_option(std::string_view name);
/// The row of an option that takes its value joined, such as -DNAME, or nullptr.
const OptionRow* find_joined_option(char letter);
/// What a shell offers to complete `word`, the beginning of an option: lines with a name, a tab and its help.
std::string completion_text(const std::string& word);
/// All names as typed: -o, --output-file, ...
std::vector<std::string> option_names();

}  // namespace simcc
