// SPDX-License-Identifier: MIT
// What the brackets of C++ mean, as far as tokens show it: which ones are template argument lists, and the kind of each
// pair of braces.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/simt/rewrite/source.hpp"

namespace simcc {

// ---- template argument lists

// Only a compiler's symbol table can distinguish the bracket `<` from the operator `<` with
// certainty; the tokens around it and the declaration of the name before it are nearly as good.

/// The names that the program declares as variables, constants or enumerators, and nowhere as templates: a `<` after
/// one of them is a comparison.
std::unordered_set<std::string_view> names_of_values(const Source& source);

/// The first token after the group of angle brackets that opens at token i; i itself if the group does not close.
std::size_t skip_angles(const Source& source, std::size_t i);

/// The `<` that opens the group that token `close`, a `>`, ends. If the tokens allow several, the nearest one for which
/// `accept` holds.
template <typename Accept>
std::optional<std::size_t> open_angle(const Source& source, std::size_t close, Accept accept);

/// Whether the `<` at token i may open a group at all: a name comes before it.
bool may_open_angles(const Source& source, std::size_t i);

template <typename Accept>
std::optional<std::size_t> open_angle(const Source& source, std::size_t close, Accept accept) {
    std::optional<std::size_t> doubtful;  // opens the group if a `<` on the way is an operator after all
    for (std::size_t i = close; i-- > 0;) {
        const std::string_view token = source[i];
        if (token == ")" || token == "]" || token == "}") {
            i = source.partner(i);
            if (i == Source::none) break;
        } else if (token == "(" || token == "[" || token == "{" || token == ";") {
            break;
        } else if (may_open_angles(source, i) && accept(i)) {
            if (!source.is_value(i - 1) && skip_angles(source, i) == close + 1) return i;
            doubtful = i;
        }
    }
    return doubtful;
}

// ---- braces

/// The kind of a pair of braces. C++ cannot be parsed without its types, but the tokens before a `{` are enough here.
enum class BraceKind { namespace_scope, type, code, initializer };

struct Brace {
    BraceKind kind;
    std::size_t statement;  ///< first token of the statement or declaration that the brace belongs to
    std::size_t enclosing;  ///< the `{` around it, or Source::none
};

class Braces {
public:
    explicit Braces(const Source& source);

    /// The `{` around token i, or Source::none at file scope.
    std::size_t enclosing(std::size_t i) const { return enclosing_[i]; }
    const Brace& at(std::size_t open) const { return braces_.at(open); }
    /// Whether token i is in a function body (or a lambda's), however deep.
    bool in_function(std::size_t i) const { return within(i, BraceKind::code); }
    /// Whether token i is in a class, struct or union, however deep.
    bool in_type(std::size_t i) const { return within(i, BraceKind::type); }

private:
    bool within(std::size_t i, BraceKind kind) const;
    BraceKind classify(const Source& source, std::size_t open, std::size_t statement, std::size_t enclosing) const;

    std::unordered_map<std::size_t, Brace> braces_;
    std::vector<std::size_t> enclosing_;
};

/// Keywords that may come before an expression and look like a type name there.
bool is_expression_keyword(std::string_view word);

/// __global__, __device__ and the like.
bool is_qualifier(std::string_view word);

}  // namespace simcc
