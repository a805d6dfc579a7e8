// SPDX-License-Identifier: MIT
// Where the operands of an operator begin and end, by the precedence of the tokens around them.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/source.hpp"

namespace simcc {

class Operands {
public:
    Operands(const Source& source, const Braces& braces);

    /// Whether tokens i and i + 1 are `<<` or `>>`, the operator or the first part of a compound assignment.
    bool is_shift(std::size_t i) const;

    /// Whether token i, a `<` or `>`, is a bracket of template arguments.
    bool is_angle(std::size_t i) const { return opening_.count(i) != 0 || closing_.count(i) != 0; }

    /// The first token of the left operand of the shift, or assignment, at token i.
    std::size_t left_begin(std::size_t i) const;

    /// The token after the right operand of a shift, which begins at token i.
    std::size_t shifted_end(std::size_t i) const;

    /// The token after the expression that begins at token i and ends with a comma, a semicolon or a bracket.
    std::size_t assigned_end(std::size_t i) const;

private:
    bool ends_operand(std::size_t i) const;
    bool begins_statement(std::size_t i) const;

    const Source& source_;
    const Braces& braces_;
    std::unordered_map<std::size_t, std::size_t> opening_, closing_;  // angle brackets by each other
};

}  // namespace simcc
