// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/operands.hpp"

#include <cstddef>
#include <string_view>

#include "common/simt/rewrite/brackets.hpp"

namespace simcc {
namespace {

/// Words that are operators of lower precedence than a shift.
bool is_operator_word(std::string_view word) {
    return is_one_of(word, {"and", "or", "xor", "bitand", "bitor", "not_eq", "and_eq", "or_eq", "xor_eq"});
}

/// Words that come before an expression and are not part of it.
bool introduces_expression(std::string_view word) {
    return is_one_of(word, {"return", "case", "else", "do", "throw", "co_return", "co_yield", "goto"});
}

/// Tokens that end an operand of a shift on either side, wherever they are.
bool is_weaker(std::string_view token) { return is_one_of(token, {";", ",", "=", "?", ":", "|", "^"}); }

}  // namespace

Operands::Operands(const Source& source, const Braces& braces) : source_(source), braces_(braces) {
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (!may_open_angles(source, i) || source.is_value(i - 1)) continue;
        const std::size_t end = skip_angles(source, i);
        if (end == i) continue;
        closing_[i] = end - 1;
        opening_[end - 1] = i;
    }
}

bool Operands::is_shift(std::size_t i) const {
    const std::string_view bracket = source_[i];
    if ((bracket != "<" && bracket != ">") || source_[i + 1] != bracket || !source_.adjoins(i + 1)) return false;
    const bool is_launch = (source_[i + 2] == bracket && source_.adjoins(i + 2)) ||
                           (i > 0 && source_[i - 1] == bracket && source_.adjoins(i));
    if (i == 0 || is_launch || source_[i - 1] == "operator") return false;
    return opening_.count(i) == 0 || opening_.count(i + 1) == 0;  // else two lists of template arguments end
}

/// Whether token i may be the last of an operand, so that a `&` after it is the binary operator.
bool Operands::ends_operand(std::size_t i) const {
    if (source_.is_identifier(i)) return !is_expression_keyword(source_[i]);
    if (source_[i] == ">") return opening_.count(i) != 0;
    const TokenKind kind = source_.token(i).kind;
    return kind == TokenKind::number || kind == TokenKind::literal || is_one_of(source_[i], {")", "]", "}"});
}

/// Whether the `)` or `}` at token i ends what comes before a statement: `if (x)`, or a block.
bool Operands::begins_statement(std::size_t i) const {
    const std::string_view behind = source_[i + 1];
    if (source_[i] == "}" && braces_.at(source_.partner(i)).kind == BraceKind::initializer) return false;  // T{x} * y
    if (source_[i] == "}")
        return source_.is_identifier(i + 1) || is_one_of(behind, {"(", "*", "+", "-", "~", "!", "&"});
    const std::size_t open = source_.partner(i);
    std::string_view word = open == 0 ? std::string_view{} : source_[open - 1];
    if (word == "constexpr" && open > 1) word = source_[open - 2];
    return is_one_of(word, {"if", "while", "for", "switch", "__attribute__"});
}

std::size_t Operands::left_begin(std::size_t i) const {
    std::size_t begin = i;
    while (begin > 0) {
        const std::size_t last = begin - 1;
        const std::string_view token = source_[last];
        if (source_.token(last).kind != TokenKind::punctuator) {
            if (introduces_expression(token) || is_operator_word(token)) break;
            begin = last;
        } else if (token == ")" || token == "]" || token == "}") {
            if (source_.partner(last) == Source::none || (token != "]" && begin != i && begins_statement(last))) break;
            begin = source_.partner(last);
        } else if (token == ">" || token == "<") {
            const auto group = opening_.find(last);
            if (last > 0 && is_shift(last - 1)) {
                begin = last - 1;
            } else if (token == ">" && group != opening_.end()) {
                begin = group->second;
            } else {
                break;
            }
        } else if (token == "&") {
            if (last == 0 || ends_operand(last - 1) || source_[last - 1] == "&") break;
            begin = last;
        } else if (is_weaker(token) || token == "(" || token == "[" || token == "{") {
            break;
        } else {
            begin = last;
        }
    }
    return begin;
}

std::size_t Operands::shifted_end(std::size_t i) const {
    const std::size_t first = i;
    for (; i < source_.size(); ++i) {
        const std::string_view token = source_[i];
        const bool behind_operand = i > first && ends_operand(i - 1);
        if (source_.token(i).kind != TokenKind::punctuator) {
            if (is_operator_word(token)) break;
        } else if (token == "(" || token == "[" || (token == "{" && behind_operand)) {
            if (source_.partner(i) == Source::none) break;
            i = source_.partner(i);
        } else if (token == "<" && closing_.count(i) != 0) {
            i = closing_.at(i);
        } else if (token == "&" || token == "!") {
            if (behind_operand) break;
        } else if (is_weaker(token) || is_one_of(token, {"<", ">", ")", "]", "}", "{"})) {
            break;
        }
    }
    return i;
}

std::size_t Operands::assigned_end(std::size_t i) const {
    for (int choices = 0; i < source_.size(); ++i) {
        const std::string_view token = source_[i];
        if (token == "(" || token == "[" || token == "{") {
            if (source_.partner(i) == Source::none) break;
            i = source_.partner(i);
        } else if (token == "<" && closing_.count(i) != 0) {
            i = closing_.at(i);
        } else if (token == "?") {
            ++choices;
        } else if (token == ":" && choices-- == 0) {
            break;
        } else if (is_one_of(token, {";", ",", ")", "]", "}"})) {
            break;
        }
    }
    return i;
}

}  // namespace simcc
