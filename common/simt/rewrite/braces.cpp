// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/braces.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/angles.hpp"

namespace simcc {

bool is_expression_keyword(std::string_view word) {
    static constexpr std::string_view keywords[] = {
        "return", "else", "do",       "case",   "throw", "co_return", "co_yield", "co_await", "if",  "while", "for",
        "switch", "goto", "typename", "sizeof", "new",   "delete",    "decltype", "alignof",  "not", "and",   "or"};
    return std::find(std::begin(keywords), std::end(keywords), word) != std::end(keywords);
}

Braces::Braces(const Source& source) : enclosing_(source.size(), Source::none) {
    // One frame per open bracket of any sort: where the current statement began in it.
    struct Frame {
        std::size_t statement, enclosing;
    };
    std::vector<Frame> frames = {{0, Source::none}};
    for (std::size_t i = 0; i < source.size(); ++i) {
        enclosing_[i] = frames.back().enclosing;
        const std::string_view token = source[i];
        if (token == "(" || token == "[") {
            frames.push_back({i + 1, frames.back().enclosing});
        } else if (token == "{") {
            const Frame frame = frames.back();
            braces_[i] = {classify(source, i, frame.statement, frame.enclosing), frame.statement, frame.enclosing};
            frames.push_back({i + 1, i});
        } else if (token == ")" || token == "]") {
            if (frames.size() > 1) frames.pop_back();
        } else if (token == "}") {
            if (frames.size() > 1) frames.pop_back();
            const std::size_t open = source.partner(i);
            if (open != Source::none && braces_.at(open).kind != BraceKind::initializer)
                frames.back().statement = i + 1;
        } else if (token == ";") {
            frames.back().statement = i + 1;
        }
    }
}

BraceKind Braces::classify(const Source& source, std::size_t open, std::size_t statement, std::size_t enclosing) const {
    std::size_t last = open - 1;
    while (is_qualifier(source[last])) --last;  // [] __device__ { }
    const std::string_view before = source[last];
    if (before == "{" && open - 1 == enclosing) {
        const bool nested_list = braces_.at(enclosing).kind == BraceKind::initializer;
        return nested_list ? BraceKind::initializer : BraceKind::code;
    }
    if (before == "=" || before == "," || before == "(" || before == "[" || before == "return")
        return BraceKind::initializer;

    bool parameters = false, trailing_return = false, type = false;
    for (std::size_t i = statement; i < open; ++i) {
        const std::string_view token = source[i];
        if (token == "namespace" || (token == "extern" && source.is_literal(i + 1))) return BraceKind::namespace_scope;
        if (token == "template" && source[i + 1] == "<") {
            i = std::max(i + 1, skip_angles(source, i + 1)) - 1;
        } else if (token == "struct" || token == "class" || token == "union" || token == "enum") {
            type = true;
        } else if (token == "__attribute__" || token == "alignas" || token == "__declspec") {
            if (source[i + 1] == "(" && source.partner(i + 1) < open) i = source.partner(i + 1);
        } else if (token == "(") {
            if (source.partner(i) < open) i = source.partner(i);
            parameters = true;
        } else if (token == ":" && type && !parameters) {
            return BraceKind::type;  // bases
        } else if (token == "->" && parameters) {
            trailing_return = true;
        }
    }
    if (type && !parameters) return BraceKind::type;
    if (before == "try" || before == "const" || before == "noexcept" || before == "override" || before == "final" ||
        before == "mutable" || before == "else" || before == "do" || trailing_return) {
        return BraceKind::code;
    }
    const bool after_name = source.is_identifier(last) || before == ">" || before == "]";
    const bool lambda_without_parameters = before == "]" && source.partner(last) != Source::none &&
                                           !source.is_identifier(source.partner(last) - 1) &&
                                           source[source.partner(last) - 1] != "]";
    return after_name && !lambda_without_parameters ? BraceKind::initializer : BraceKind::code;
}

bool Braces::within(std::size_t i, BraceKind kind) const {
    for (std::size_t open = enclosing_[i]; open != Source::none; open = braces_.at(open).enclosing) {
        if (braces_.at(open).kind == kind) return true;
    }
    return false;
}

}  // namespace simcc
