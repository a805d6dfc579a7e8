// SPDX-License-Identifier: MIT
// What the names of a file can be told about numbers from its declarations, without scopes: a name counts as an
// integer's only if each declaration of it says so.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "common/simt/rewrite/source.hpp"

namespace simcc {

/// The words that make up the names of integer types.
bool is_integer_keyword(std::string_view word);

/// The usual names of integer types, which system headers declare: size_t, uint8_t and the like.
bool is_integer_name(std::string_view word);

/// The names that the file gives to types and to no variables: aliases and parameters of templates.
std::unordered_set<std::string_view> names_of_types(const Source& source);

class NumberNames {
public:
    explicit NumberNames(const Source& source);

    /// Whether every variable of this name is an integer, or a pointer or reference to integers, or an array of them.
    bool is_integer(std::string_view name) const { return kind(name) == integer; }
    /// The same for float and double.
    bool is_real(std::string_view name) const { return kind(name) == real; }
    /// Whether anything is known to be a variable of this name.
    bool is_variable(std::string_view name) const { return kind(name) != 0; }

    /// Whether the tokens [first, last) hold nothing but integers: numbers, these names, built-in variables, operators.
    bool are_integers(std::size_t first, std::size_t last) const;

private:
    enum Kind : unsigned { integer = 1, real = 2, other = 4 };

    unsigned kind(std::string_view name) const {
        const auto found = kinds_.find(name);
        return found == kinds_.end() ? 0 : found->second;
    }
    void collect(std::size_t i);
    void collect_list(std::size_t i, Kind kind);

    const Source& source_;
    std::unordered_map<std::string_view, unsigned> kinds_;
};

}  // namespace simcc
