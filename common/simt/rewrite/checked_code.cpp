// SPDX-License-Identifier: MIT
// What only checked code gets: calls of the simulator for `new`, `delete` and copies, and reports of early returns.
#include <cstddef>
#include <string>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {

// ---- what is called instead of the library

// For `new` and `delete`, since a kernel's memory must come from the device heap and return to it; for __builtin_memcpy
// and its relatives, since the compiler expands calls of some sizes without telling the checkers.

namespace {

bool names(const Source& source, std::size_t i, std::string_view allocator) {
    return source[i] == "operator" && source[i + 1] == allocator && !source.in_system_header(i);
}

void rewrite_copies(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        const bool is_copy = source[i] == "__builtin_memcpy" || source[i] == "__builtin_memmove";
        if (!is_copy && source[i] != "__builtin_memset") continue;
        if (source[i + 1] != "(" || source.in_system_header(i)) continue;
        edits.replace(i, i + 1, "::" + std::string(source[i].substr(std::string_view("__builtin_").size())));
    }
}

}  // namespace

void rewrite_allocations(const Source& source, Edits& edits) {
    rewrite_copies(source, edits);
    bool has_allocator_of_class = false;  // such an operator provides the memory itself
    int depth = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == "{") ++depth;
        if (source[i] == "}") --depth;
        if (depth > 0 && names(source, i, "new")) has_allocator_of_class = true;
        // The program's own operator is for the host only. A kernel's calls of it are redirected, so they must not be
        // inlined.
        if (depth == 0 && names(source, i, "delete")) edits.insert_before(i, "__attribute__((noinline)) ");
    }
    if (has_allocator_of_class) return;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const bool is_placement = source[i + 1] == "(";
        if (source[i] == "new" && source.is_identifier(i) && !is_placement && !source.in_system_header(i)) {
            edits.replace(i, i + 1, "new (::simt::DeviceHeap()) ");
        }
    }
}

// ---- early returns in device code, which checked programs report

//     if (i >= n) return;   ->  if (i >= n) for (::simt::check::early_return();;) return;
// A thread without work may leave the kernel before a barrier at which the others wait; a thread that reaches the end
// of the kernel any other way has skipped that barrier. (The result is still a single statement without an `if` or
// braces, so an `else` after it, and insertions by other passes, keep their meaning.)

namespace {

class EarlyReturns {
public:
    EarlyReturns(const Source& source, const Braces& braces) : source_(source), braces_(braces) {}

    /// Whether token i begins a `return;` in device code that is not the function's last statement.
    bool has(std::size_t i) const {
        if (source_[i] != "return" || source_[i + 1] != ";") return false;
        bool on_device = false;
        std::size_t function = Source::none;
        for (std::size_t open = braces_.enclosing(i); open != Source::none; open = braces_.at(open).enclosing) {
            if (braces_.at(open).kind != BraceKind::code) continue;
            on_device |= is_declared(open, "__global__") || is_declared(open, "__device__");
            if (is_declared(open, "constexpr") || is_declared(open, "consteval")) return false;
            function = open;
        }
        const bool is_last_statement = function != Source::none && source_.partner(function) == i + 2;
        return on_device && !is_last_statement && !source_.in_system_header(i);
    }

private:
    bool is_declared(std::size_t open, std::string_view specifier) const {
        for (std::size_t i = braces_.at(open).statement; i < open; ++i) {
            if (source_[i] == specifier) return true;
        }
        return false;
    }

    const Source& source_;
    const Braces& braces_;
};

}  // namespace

void rewrite_early_returns(const Source& source, const Braces& braces, Edits& edits) {
    const EarlyReturns early_returns(source, braces);
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (early_returns.has(i)) edits.insert_before(i, "for (::simt::check::early_return();;) ");
    }
}

}  // namespace simcc
