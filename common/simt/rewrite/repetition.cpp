// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/repetition.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "common/simt/rewrite/angles.hpp"

namespace simcc {
namespace {

/// Words of code that has effects or control flow that is not analysed here.
constexpr std::string_view effects[] = {
    "for", "while",  "do",  "switch",  "goto",  "throw",    "try",      "static",
    "new", "delete", "asm", "__asm__", "__asm", "co_await", "co_yield", "co_return",
};

/// Words that may come before a `(` without being called.
constexpr std::string_view before_group[] = {
    "if",    "constexpr", "return", "sizeof", "alignof",  "decltype", "and",      "or",
    "not",   "bool",      "char",   "short",  "int",      "long",     "unsigned", "signed",
    "float", "void",      "double", "size_t", "uint32_t", "uint64_t",
};

/// CUDA functions that only read or order reads, whatever their definitions look like, and casts, which look like
/// calls. `load` is a member of cuda::atomic.
constexpr std::string_view readers[] = {
    "__ldg",
    "__ldca",
    "__ldcg",
    "__ldcs",
    "__ldcv",
    "__ldlu",
    "__threadfence",
    "__threadfence_block",
    "__threadfence_system",
    "__nv_atomic_load",
    "__nv_atomic_load_n",
    "__nv_atomic_thread_fence",
    "atomic_thread_fence",
    "static_cast",
    "const_cast",
    "reinterpret_cast",
    "load",
};

bool opens_group(std::string_view token) { return token == "(" || token == "[" || token == "{"; }

/// The end of the value that begins at token i: its `;`, `,` or the closing bracket around it.
std::size_t value_end(const Source& source, std::size_t i, std::size_t last) {
    for (; i < last; ++i) {
        const std::string_view token = source[i];
        if (token == ";" || token == "," || token == ")" || token == "}") break;
        if (opens_group(token)) i = std::min(source.partner(i), last);
    }
    return std::min(i, last);
}

/// The name of the function whose body opens at `open` and whose declaration begins at token i.
std::string_view function_name(const Source& source, std::size_t i, std::size_t open) {
    for (; i < open; ++i) {
        if (source[i] == "template" && source[i + 1] == "<") {
            i = std::max(i + 1, skip_angles(source, i + 1)) - 1;
        } else if (source[i] == "__attribute__" || source[i] == "alignas" || source[i] == "decltype") {
            i = std::min(source.partner(i + 1), open);
        } else if (source[i] == "(") {
            return source[i - 1];
        }
    }
    return {};
}

}  // namespace

Repetition::Repetition(const Source& source, const Braces& braces) : source_(source), braces_(braces) {
    collect_functions();
}

/// A name counts as a reading function if every definition of it in this file only reads, into variables of its own.
void Repetition::collect_functions() {
    for (std::size_t i = 0; i < source_.size(); ++i) {
        if (source_[i] != "{" || source_.partner(i) == Source::none) continue;
        const Brace& brace = braces_.at(i);
        if (brace.kind != BraceKind::code || braces_.in_function(i)) continue;
        const std::size_t close = source_.partner(i);
        bool reads = is_idle({{i + 1, close}});
        for (std::size_t j = i + 1; reads && j < close; ++j) reads = !is_assignment(j) || declares(j - 1);
        const std::string_view name = function_name(source_, brace.statement, i);
        if (!source_.in_system_header(i) || !is_one_of(name, readers)) {
            const auto known = functions_.try_emplace(name, reads).first;
            known->second = known->second && reads;
        }
        i = close;
    }
}

bool Repetition::reads_only(std::string_view function) const {
    const auto found = functions_.find(function);
    return found != functions_.end() ? found->second : is_one_of(function, readers);
}

bool Repetition::is_idle(std::initializer_list<Range> code) const {
    Names assigned, used;
    for (const Range& range : code) {
        for (std::size_t i = range.first; i < range.last; ++i) {
            if (may_have_effect(i)) return false;
            const bool assigns = is_assignment(i), chooses = source_[i] == "if";
            if (assigns && !is_declared_or_plain(i - 1)) return false;
            if (!assigns && !chooses) continue;
            const std::size_t end = value_end(source_, i + 1, range.last);
            for (std::size_t j = i + 1; j < end; ++j) used.insert(source_[j]);
            // A name's value in the previous iteration must not affect any name's new value.
            if (assigns && (used.count(source_[i - 1]) != 0 || !assigned.insert(source_[i - 1]).second)) return false;
        }
    }
    return true;
}

bool Repetition::may_have_effect(std::size_t i) const {
    const std::string_view token = source_[i], before = source_[i - 1];
    if (source_.is_identifier(i)) return is_one_of(token, effects);
    if (token == "(") return is_effectful_call(i);
    if (token == "{") return braces_.at(i).kind != BraceKind::code;
    if (token == "[") return !source_.is_identifier(i - 1) && before != ")" && before != "]";  // a lambda
    return (token == "+" || token == "-") && source_[i + 1] == token && source_.adjoins(i + 1);
}

bool Repetition::is_effectful_call(std::size_t open) const {
    const std::size_t last = open - 1;
    if (source_.is_identifier(last)) return !is_one_of(source_[last], before_group) && !reads_only(source_[last]);
    if (source_[last] == ")") {  // a cast, unless it is a call by pointer
        const std::string_view type_end = source_[last - 1];
        return type_end != "*" && !is_one_of(type_end, before_group);
    }
    if (source_[last] == ">") {  // f<T>(x), or a > (b)
        std::size_t depth = 0, i = last;
        for (; i > 0 && source_[i] != ";" && source_[i] != "{"; --i) {
            depth += source_[i] == ">";
            if (source_[i] == "<" && --depth == 0) return !reads_only(source_[i - 1]);
        }
        return false;
    }
    return source_[last] == "]" || source_[last] == "}";
}

/// Whether token i is the `=` of an assignment or initialization, compound ones included, not of a comparison.
bool Repetition::is_assignment(std::size_t i) const {
    if (source_[i] != "=" || (source_[i + 1] == "=" && source_.adjoins(i + 1))) return false;
    const std::string_view before = source_.adjoins(i) ? source_[i - 1] : std::string_view{};
    const bool shift = (before == "<" || before == ">") && source_[i - 2] == before && source_.adjoins(i - 1);
    return shift || (before != "=" && before != "!" && before != "<" && before != ">");
}

/// Whether a declaration ends with this name: `int v`, `const T* v`.
bool Repetition::declares(std::size_t name) const {
    std::size_t type = name - 1;
    while (source_[type] == "*" || source_[type] == "&") --type;
    return source_[type] == ">" || (source_.is_identifier(type) && !is_expression_keyword(source_[type]));
}

/// Whether the target of the assignment is a variable, not something behind a pointer, an index or a member.
bool Repetition::is_declared_or_plain(std::size_t name) const {
    if (!source_.is_identifier(name)) return false;
    const std::string_view before = source_[name - 1];
    if (before == "." || before == "->" || before == "::") return false;
    return (before != "*" && before != "&") || declares(name);
}

}  // namespace simcc
