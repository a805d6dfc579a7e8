// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/functions.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "common/simt/rewrite/brackets.hpp"

namespace simcc {

std::size_t statement_begin(const Source& source, std::size_t i) {
    while (i > 0 && source[i - 1] != ";" && source[i - 1] != "{" && source[i - 1] != "}") --i;
    return i;
}

bool has_specifier(const Source& source, std::size_t first, std::size_t last, std::string_view word) {
    for (std::size_t i = first; i < last; ++i) {
        if (source[i] == word) return true;
        const bool opens = source[i] == "(" || source[i] == "[" || source[i] == "{";
        if (opens && source.partner(i) != Source::none) i = source.partner(i);
    }
    return false;
}

Functions::Functions(const Source& source, const Braces& braces) : source_(source), braces_(braces) {
    collect();
    collect_kernels_without_bounds();
    collect_other_declarations();
}

/// The name of the function whose declaration has a qualifier at token i, or none.
std::size_t Functions::declared_name(std::size_t i) const {
    for (++i; i < source_.size(); ++i) {
        const std::string_view token = source_[i];
        if (token == ";" || token == "{" || token == "=" || token == ")" || token == "operator") return Source::none;
        if ((token == "__attribute__" || token == "decltype" || token == "alignas" || token == "noexcept") &&
            source_[i + 1] == "(") {
            i = source_.partner(i + 1);
        } else if (token == "[") {
            i = source_.partner(i);
        } else if (token == "<" && skip_angles(source_, i) != i) {
            const std::size_t behind = skip_angles(source_, i);
            if (source_[behind] == "(") return i - 1;  // a specialization
            i = behind - 1;
        } else if (token == "(") {
            const bool is_name = source_.is_identifier(i - 1) && source_[i + 1] != "*" && source_[i + 1] != "&";
            return is_name ? i - 1 : Source::none;
        }
        if (i == Source::none) return i;
    }
    return Source::none;
}

void Functions::collect() {
    for (std::size_t i = 0; i < source_.size(); ++i) {
        const bool kernel = source_[i] == "__global__";
        if (!kernel && (source_[i] != "__device__" || braces_.in_function(i))) continue;
        const std::size_t name = declared_name(i);
        if (name == Source::none) continue;
        declarations_.insert(name);
        on_device_.insert(source_[name]);
        const std::size_t enclosing = braces_.enclosing(i), first = statement_begin(source_, i);
        const auto has = [&](std::string_view word) { return has_specifier(source_, first, name, word); };
        if (kernel) {
            kernels_.insert(source_[name]);
            if (enclosing != Source::none) kernels_in_namespaces_.insert(source_[name]);
        } else if (has("__host__") || has("constexpr") || has("consteval") || has("friend") || braces_.in_type(i)) {
            otherwise_.insert(source_[name]);
        } else if (!has("__global__")) {
            device_.insert(source_[name]);
        }
    }
}

void Functions::collect_kernels_without_bounds() {
    std::set<std::string_view> with_bounds;
    for (std::size_t name : declarations_) {
        if (kernels_.count(source_[name]) == 0) continue;
        std::size_t end = name;
        for (std::size_t i = statement_begin(source_, name); i < source_.size(); ++i) {
            end = i;
            if (source_[i] == "simt_launch_bounds") with_bounds.insert(source_[name]);
            if (source_[i] == ";" || source_[i] == "{") break;
            const bool has_parameters = i > name && source_[i] == "(" && source_[i - 1] != "simt_launch_bounds";
            if (has_parameters && source_.partner(i) != Source::none) i = source_.partner(i);
        }
        if (source_[end] == "{") kernels_without_bounds_.insert(source_[name]);
    }
    for (const std::string_view name : with_bounds) kernels_without_bounds_.erase(name);
}

void Functions::collect_other_declarations() {
    for (std::size_t i = 1; i < source_.size(); ++i) {
        if (!source_.is_identifier(i) || on_device_.count(source_[i]) == 0 || declarations_.count(i) != 0) continue;
        if (otherwise_.count(source_[i]) == 0 && declares_otherwise(i)) otherwise_.insert(source_[i]);
    }
}

/// Whether token i may declare something. In doubt the answer is yes.
bool Functions::declares_otherwise(std::size_t i) const {
    const std::string_view before = source_[i - 1], after = source_[i + 1];
    if (source_.is_identifier(i - 1) && !is_expression_keyword(before)) return !is_instantiation(i);
    if (before == "[" || after == "]") return true;
    if (before == ">") return !is_instantiation(i);
    if (before == "*" || before == "&") {
        std::size_t type = i - 1;
        while (source_[type] == "*" || source_[type] == "&") --type;
        const bool is_name = source_.is_identifier(type) && !is_expression_keyword(source_[type]);
        const bool behind_type = is_name || source_[type] == ">";
        return behind_type && (!braces_.in_function(i) || (after != "(" && after != "<")) && !is_instantiation(i);
    }
    if (after == "=" && source_[i + 2] != "=") return true;
    if (before == "::" && after == ";" && source_[statement_begin(source_, i)] == "using") return true;
    const std::size_t enclosing = braces_.enclosing(i);
    if (enclosing != Source::none && braces_.at(enclosing).kind == BraceKind::type && (after == "," || after == "}")) {
        return true;  // an enumerator
    }
    return before == "," && in_introducer(i);
}

/// Whether token i is in a list of names in brackets: `[a, b]`.
bool Functions::in_introducer(std::size_t i) const {
    while (i > 0 && (source_[i] == "," || source_.is_identifier(i))) --i;
    return source_[i] == "[";
}

/// `template void k<int>(int);`
bool Functions::is_instantiation(std::size_t i) const {
    std::size_t first = statement_begin(source_, i);
    if (source_[first] == "extern") ++first;
    return source_[first] == "template" && source_[first + 1] != "<";
}

bool Functions::is_only_kernel(std::string_view name) const {
    return kernels_.count(name) != 0 && otherwise_.count(name) == 0 && device_.count(name) == 0 &&
           !source_.is_declared_unread(name);
}

bool Functions::is_only_device(std::string_view name) const {
    return device_.count(name) != 0 && otherwise_.count(name) == 0 && kernels_.count(name) == 0 &&
           !source_.is_declared_unread(name);
}

// ---- execution spaces

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
