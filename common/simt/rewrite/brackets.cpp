// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/brackets.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

namespace simcc {

// ---- template argument lists
namespace {

/// Whether the tokens at i and i + 1 have these spellings and no blank between them.
bool is_pair(const Source& source, std::size_t i, std::string_view first, std::string_view second) {
    return source[i] == first && source[i + 1] == second && source.adjoins(i + 1);
}

bool introduces_type(std::string_view word) {
    for (const std::string_view introducer : {"struct", "class", "union", "enum", "namespace", "using", "concept"}) {
        if (word == introducer) return true;
    }
    return false;
}

/// Whether token i is declared here: it comes between a type and a token that may follow a variable's name.
bool is_declared_value(const Source& source, std::size_t i) {
    const std::string_view before = source[i - 1], after = source[i + 1];
    if (after != "=" && after != "," && after != ">" && after != ";" && after != ")" && after != "{" && after != "[") {
        return false;
    }
    if (source[i + 1] == "=" && is_pair(source, i + 1, "=", "=")) return false;
    return source.is_identifier(i - 1) && !is_expression_keyword(before) && !introduces_type(before);
}

void insert_enumerators(const Source& source, std::size_t i, std::unordered_set<std::string_view>& names) {
    while (i < source.size() && source[i] != "{" && source[i] != ";" && source[i] != "(" && source[i] != ")") ++i;
    const std::size_t close = source[i] == "{" ? source.partner(i) : Source::none;
    if (close == Source::none) return;
    for (bool is_name = true; ++i < close;) {
        if (is_name && source.is_identifier(i)) names.insert(source[i]);
        is_name = source[i] == ",";
        if (source[i] == "(" || source[i] == "[" || source[i] == "{") i = source.partner(i);
        if (i == Source::none) return;
    }
}

/// The name declared by the template whose header ends before token i; empty if none is found.
std::string_view template_name(const Source& source, std::size_t i) {
    for (; i < source.size(); ++i) {
        const std::string_view token = source[i];
        if (token == "(" || token == "{" || token == ";" || token == "=" || token == ":") return source[i - 1];
        if (token == "__attribute__" || token == "alignas" || token == "decltype" || token == "requires") {
            if (source[i + 1] == "(" && source.partner(i + 1) != Source::none) i = source.partner(i + 1);
        } else if (token == "<") {
            if (i > 0 && (source[i - 1] == "operator" || skip_angles(source, i) == i)) return {};
            const std::size_t behind = skip_angles(source, i);
            if (source[behind] == "(" || source[behind] == "{" || source[behind] == ";") return source[i - 1];
            i = behind - 1;
        }
    }
    return {};
}

/// The end of the group that opens at token i. With `all`, every `<` after a name counts as a bracket.
std::optional<std::size_t> close_angles(const Source& source, std::size_t i, bool all) {
    if (source[i] != "<") return {};
    std::size_t depth = 1;
    for (std::size_t j = i + 1; j < source.size(); ++j) {
        const std::string_view token = source[j];
        if (source[j - 1] == "operator") continue;
        if (token == "<") {
            if (source[j + 1] == "<" && source[j + 2] == "<") {
                return {};  // a launch
            } else if (is_pair(source, j, "<", "<")) {
                ++j;
            } else if (is_pair(source, j, "<", "=")) {
                j += is_pair(source, j + 1, "=", ">") ? 2 : 1;
            } else if (may_open_angles(source, j) && (all || !source.is_value(j - 1))) {
                ++depth;
            }
        } else if (token == ">") {
            if (is_pair(source, j, ">", "=")) continue;
            if (--depth == 0) return j + 1;
        } else if (token == "(" || token == "[" || token == "{") {
            j = source.partner(j);
            if (j == Source::none) return {};
        } else if (token == ";" || token == ")" || token == "]" || token == "}") {
            return {};
        }
    }
    return {};
}

}  // namespace

std::unordered_set<std::string_view> names_of_values(const Source& source) {
    std::unordered_set<std::string_view> values, templates;
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (source[i] == "enum") insert_enumerators(source, i, values);
        if (source.is_identifier(i) && is_declared_value(source, i)) values.insert(source[i]);
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != "template" || source[i + 1] != "<") continue;
        const std::size_t behind = skip_angles(source, i + 1);
        if (behind != i + 1) templates.insert(template_name(source, behind));
        // `template <template <class> class K>`: K takes arguments, too.
        for (std::size_t j = i + 2; j < behind; ++j) {
            if (source[j] == "class" && source[j - 1] == ">") templates.insert(source[j + 1]);
        }
    }
    for (const std::string_view name : templates) values.erase(name);
    return values;
}

bool may_open_angles(const Source& source, std::size_t i) {
    if (source[i] != "<" || i == 0 || is_pair(source, i, "<", "=")) return false;
    if (is_pair(source, i, "<", "<") || is_pair(source, i - 1, "<", "<")) return false;
    return source.is_identifier(i - 1) && !is_expression_keyword(source[i - 1]);
}

std::size_t skip_angles(const Source& source, std::size_t i) {
    const auto end = close_angles(source, i, false);
    return end ? *end : close_angles(source, i, true).value_or(i);
}

// ---- braces

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
        const bool is_linkage_block = token == "extern" && source.is_literal(i + 1) && i + 2 == open;
        if (token == "namespace" || is_linkage_block) return BraceKind::namespace_scope;
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
