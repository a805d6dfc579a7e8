// SPDX-License-Identifier: MIT
#pragma once
// The kind of each pair of braces. C++ cannot be parsed without its types, but the tokens before a `{` are enough here.

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/simt/rewrite/source.hpp"

namespace simcc {

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
