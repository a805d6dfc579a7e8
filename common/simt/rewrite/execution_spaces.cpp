// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/execution_spaces.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "common/simt/rewrite/angles.hpp"

namespace simcc {

/// Whether the declaration of the `{` at `open` has the word outside its brackets.
bool ExecutionSpaces::has(std::size_t open, std::string_view word) const {
    return has_specifier(source_, braces_.at(open).statement, open, word);
}

/// Whether the braces at `open` enclose a function's body, rather than a lambda, block or loop in one.
bool ExecutionSpaces::is_function(std::size_t open) const {
    const std::size_t around = braces_.at(open).enclosing;
    return around == Source::none || braces_.at(around).kind == BraceKind::namespace_scope ||
           braces_.at(around).kind == BraceKind::type;
}

/// Whether an earlier declaration of this function, or of another with its name, has __device__: then it is a device
/// function even if its definition does not repeat the word.
bool ExecutionSpaces::has_device_declaration(std::size_t open) const {
    for (std::size_t i = braces_.at(open).statement; i < open; ++i) {
        if (source_[i] == "operator") return true;  // in doubt
        if (source_[i] == "__attribute__" || source_[i] == "decltype" || source_[i] == "alignas") {
            i = std::min(source_.partner(i + 1), open);
        } else if (source_[i] == "(") {
            return !source_.is_identifier(i - 1) || functions_.has_device_declaration(source_[i - 1]);
        }
    }
    return true;  // not the head of a function
}

/// Whether the function with the braces at `open` may be an implicit template or run at compile time: it has a
/// parameter of type auto, is constexpr, or depends on `if constexpr`.
bool ExecutionSpaces::is_generic(std::size_t open) const {
    if (has(open, "constexpr") || has(open, "consteval") || has(open, "requires")) return true;
    const std::size_t first = braces_.at(open).statement;
    for (const std::string_view word : {"for", "while", "if", "switch", "else", "do", "try", "catch"}) {
        if (source_[first] == word) return false;
    }
    bool in_parameters = false;
    for (std::size_t i = first; i < open; ++i) {
        in_parameters |= source_[i] == "(";
        if (in_parameters && source_[i] == "auto") return true;
    }
    return false;
}

bool ExecutionSpaces::is_host_only(std::size_t i) const {
    if (source_.in_system_header(i)) return false;
    bool host = false, decided = false;
    for (std::size_t open = braces_.enclosing(i); open != Source::none; open = braces_.at(open).enclosing) {
        const BraceKind kind = braces_.at(open).kind;
        if (kind != BraceKind::type && kind != BraceKind::code) continue;
        if (has(open, "template")) return false;
        if (kind != BraceKind::code || decided) continue;
        if (has(open, "__device__") || has(open, "__global__") || is_generic(open)) return false;
        decided = is_function(open);
        host = decided && !has_device_declaration(open);
    }
    return host;
}

/// Whether the braces at `open` define, outside of its class, a member whose declaration has __device__.
bool ExecutionSpaces::is_device_member(std::size_t open) const {
    for (std::size_t i = braces_.at(open).statement; i < open; ++i) {
        if (source_[i] == "operator") return false;
        if (source_[i] == "__attribute__" || source_[i] == "decltype" || source_[i] == "alignas") {
            i = std::min(source_.partner(i + 1), open);
        } else if (source_[i] == "(") {
            return i > 1 && source_[i - 2] == "::" && functions_.has_device_declaration(source_[i - 1]);
        }
    }
    return false;
}

bool ExecutionSpaces::is_device(std::size_t i) const {
    for (std::size_t open = braces_.enclosing(i); open != Source::none; open = braces_.at(open).enclosing) {
        if (braces_.at(open).kind != BraceKind::code) continue;
        const bool is_outermost = is_function(open), is_constant = has(open, "constexpr") || has(open, "consteval");
        if (has(open, "__device__") || has(open, "__global__") ||
            (is_outermost && (is_constant || is_device_member(open)))) {
            return !source_.in_system_header(i);
        }
        if (is_outermost) return false;
    }
    return false;
}

bool ExecutionSpaces::is_device_only(std::size_t i) const {
    if (source_.in_system_header(i)) return false;
    for (std::size_t open = braces_.enclosing(i); open != Source::none; open = braces_.at(open).enclosing) {
        if (braces_.at(open).kind != BraceKind::code) continue;
        if (has(open, "__global__") || has(open, "__device__")) return !has(open, "__host__");
        if (is_function(open)) return false;
    }
    return false;
}

bool ExecutionSpaces::is_unevaluated(std::size_t i) const {
    const std::size_t enclosing = braces_.enclosing(i), floor = enclosing == Source::none ? 0 : enclosing;
    for (std::size_t j = i; j-- > floor;) {
        const std::string_view token = source_[j];
        if (token == ")" || token == "]" || token == "}") {
            if (source_.partner(j) != Source::none) j = source_.partner(j);
        } else if (token == "(" && j > 0) {
            for (const std::string_view word : {"decltype", "sizeof", "noexcept", "alignof", "typeid", "requires",
                                                "typeof", "__typeof__", "static_assert"}) {
                if (source_[j - 1] == word) return true;
            }
        } else if (token == ";") {
            return false;
        } else if (token == "sizeof" || token == "noexcept") {
            return true;  // without parentheses, or before them: sizeof f(1)
        }
    }
    return false;
}

}  // namespace simcc
