// SPDX-License-Identifier: MIT
// In a kernel that only adds to what a pointer parameter leads to, and reads neither the results nor the memory, the
// additions of a worker may be put together (simt/pending_sums.hpp):
//
//     if (i < n) atomicAdd(&total[0], in[i]);    ->    if (i < n) ::simt::add_only(&total[0], in[i]);
//
// The order of the additions was open before. Kernels that can tell others how far they are, by fences, flags or
// launches, keep their atomics.

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

/// Whether the function's body, between these braces, may tell other threads what it has done.
bool may_signal(const Source& source, std::size_t open, std::size_t close) {
    for (std::size_t i = open; i < close; ++i) {
        const std::string_view word = source[i];
        if (word == "asm" || word == "__asm__" || word == "volatile" || word == "cuda" || word == "goto") return true;
        if (word.find("fence") != word.npos || word.find("grid_group") != word.npos) return true;
        if (word.substr(0, 6) == "atomic" && word != "atomicAdd") return true;
        if (word == "<" && source[i + 1] == "<" && source[i + 2] == "<") return true;
    }
    return false;
}

/// Whether the call of the function named by token i is a statement by itself: nothing reads its result.
bool is_statement(const Source& source, std::size_t i) {
    const std::size_t close = source.partner(i + 1);
    if (close == Source::none || source[close + 1] != ";") return false;
    const std::string_view before = source[i - 1];
    if (before == ")") {
        const std::size_t open = source.partner(i - 1);
        return open != Source::none && open > 0 && is_one_of(source[open - 1], {"if", "for", "while"});
    }
    return is_one_of(before, {";", "{", "}", "else"});
}

/// The pointer in the first argument of the call: `p` in `p`, `p + i` and `&p[i]`.
std::size_t pointer_of(const Source& source, std::size_t call) {
    std::size_t i = call + 2;
    if (source[i] == "&") ++i;
    const bool is_name = source.is_identifier(i) && is_one_of(source[i + 1], {",", "+", "["});
    return is_name ? i : Source::none;
}

/// Whether the parameters between these brackets declare the name as a pointer: `*name` or `* __restrict__ name`.
bool is_pointer_parameter(const Source& source, std::size_t open, std::size_t close, std::string_view name) {
    for (std::size_t i = open + 1; i < close; ++i) {
        if (source[i] != name || !is_one_of(source[i + 1], {",", ")"})) continue;
        std::size_t before = i - 1;
        while (is_one_of(source[before], {"__restrict__", "__restrict", "restrict", "const"})) --before;
        return source[before] == "*";
    }
    return false;
}

/// The brackets of the parameters of the function whose body opens at `open`.
std::optional<std::size_t> parameters_before(const Source& source, std::size_t open) {
    if (open == 0 || source[open - 1] != ")") return {};
    const std::size_t begin = source.partner(open - 1);
    return begin == Source::none ? std::optional<std::size_t>{} : begin;
}

void rewrite_kernel(const Source& source, std::size_t open, Edits& edits) {
    const std::size_t close = source.partner(open);
    const std::optional<std::size_t> parameters = parameters_before(source, open);
    if (!parameters || may_signal(source, open, close)) return;
    std::map<std::string_view, std::vector<std::size_t>> additions;  // by pointer
    for (std::size_t i = open + 1; i < close; ++i) {
        if (source[i] != "atomicAdd" || source[i + 1] != "(" || !is_statement(source, i)) continue;
        const std::size_t pointer = pointer_of(source, i);
        if (pointer != Source::none && is_pointer_parameter(source, *parameters, open - 1, source[pointer]))
            additions[source[pointer]].push_back(i);
    }
    for (const auto& [pointer, calls] : additions) {
        std::size_t uses = 0;
        for (std::size_t i = open + 1; i < close; ++i) uses += source[i] == pointer;
        if (uses != calls.size()) continue;
        for (const std::size_t call : calls) edits.replace(call, call + 1, "::simt::add_only");
    }
}

}  // namespace

void rewrite_lone_additions(const Source& source, const Braces& braces, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != "{" || source.partner(i) == Source::none || braces.in_function(i)) continue;
        const Brace& brace = braces.at(i);
        if (brace.kind == BraceKind::code && has_specifier(source, brace.statement, i, "__global__"))
            rewrite_kernel(source, i, edits);
    }
}

}  // namespace simcc
