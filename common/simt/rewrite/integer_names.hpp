// SPDX-License-Identifier: MIT
#pragma once
// The names that are integers wherever the program declares them.

#include <cstddef>
#include <string_view>
#include <unordered_set>

#include "common/simt/rewrite/source.hpp"

namespace simcc {

/// The words that make up the names of integer types.
bool is_integer_keyword(std::string_view word);

/// The usual names of integer types, which system headers declare: size_t, uint8_t and the like.
bool is_integer_name(std::string_view word);

class IntegerNames {
public:
    explicit IntegerNames(const Source& source);

    /// Whether every variable of this name is an integer, or a pointer or reference to integers, or an array of them.
    bool has(std::string_view name) const { return integers_.count(name) != 0 && others_.count(name) == 0; }

    /// Whether the tokens [first, last) hold nothing but integers: numbers, these names, built-in variables, operators.
    bool make_up(std::size_t first, std::size_t last) const;

private:
    const Source& source_;
    std::unordered_set<std::string_view> integers_, others_;
};

}  // namespace simcc
