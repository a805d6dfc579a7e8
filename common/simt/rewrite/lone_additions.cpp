// SPDX-License-Identifier: MIT
// In a kernel that only adds to what a pointer parameter leads to, and reads neither the results nor the memory, the
// additions of a worker may be put together (simt/pending_sums.hpp):
//
//     if (i < n) atomicAdd(&total[0], in[i]);    ->    if (i < n) ::simt::add_only(&total[0], in[i], ::simt::Beside(in));
//
// The order of the additions was open before. Kernels that can tell others how far they are, by fences, flags or
// launches, keep their atomics. So do those in which a thread could come to its own sum by another name, before it is
// in memory: what they read must be their parameters' (the launch knows whether two of them lead to one allocation),
// their own variables' or constants.

#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/number_names.hpp"
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
        if (source[i] != name || !is_one_of(source[i + 1], {",", ")", "="})) continue;
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

/// Types of a thread's own values, through which nothing else can be reached.
bool is_plain_type(std::string_view word) {
    if (is_integer_keyword(word) || is_integer_name(word)) return true;
    if (is_one_of(word, {"float", "double", "bool", "void", "auto", "const", "volatile", "dim3", "half", "__half"}))
        return true;
    if (word.size() < 4 || word.back() < '1' || word.back() > '4') return false;
    word.remove_suffix(1);
    if (word.front() == 'u') word.remove_prefix(1);
    return is_one_of(word, {"int", "char", "short", "long", "longlong", "float", "double"});
}

/// What the file declares outside of functions.
class Reach {
public:
    Reach(const Source& source, const Braces& braces) : source_(source), types_(names_of_types(source)) {
        for (std::size_t i = 1; i < source.size(); ++i) {
            if (!source.is_identifier(i) || source.in_system_header(i)) continue;
            if (is_one_of(source[i - 1], {"struct", "class", "union"})) classes_.insert(source[i]);
            if (source[i] == "{" || braces.in_function(i)) continue;
            const bool is_declared = is_one_of(source[i + 1], {";", "=", "[", ",", "{"}) && !is_in_parentheses(i);
            if (is_declared && !is_constant(i)) variables_.insert(source[i]);
        }
        for (std::size_t i = 1; i < source.size(); ++i) {
            if (source[i] != "{" || source.partner(i) == Source::none || braces.in_function(i)) continue;
            if (braces.at(i).kind != BraceKind::code) continue;
            if (const auto parameters = parameters_before(source, i); parameters && *parameters > 0)
                bodies_[source[*parameters - 1]].push_back(i);
        }
    }

    /// Whether the function whose body opens at `open` reaches nothing but its parameters, its own variables, shared
    /// memory and constants.
    bool is_closed(std::size_t open) {
        if (const auto known = closed_.find(open); known != closed_.end()) return known->second;
        closed_[open] = false;  // of functions that call themselves
        const auto parameters = parameters_before(source_, open);
        if (!parameters) return false;
        for (std::size_t i = *parameters; i < source_.partner(open); ++i) {
            if (source_[i] == "->" || (source_[i] == "*" && source_[i + 1] == "*" && i < open)) return false;
            if (source_.is_identifier(i) && !is_harmless(i, *parameters, open)) return false;
        }
        return closed_[open] = true;
    }

private:
    bool is_in_parentheses(std::size_t i) const {
        while (i-- > 0) {
            if (is_one_of(source_[i], {")", "}", "]"}) && source_.partner(i) != Source::none) i = source_.partner(i);
            else if (source_[i] == "(") return true;
            else if (is_one_of(source_[i], {";", "{"})) return false;
        }
        return false;
    }

    bool is_constant(std::size_t i) const {
        const std::size_t first = statement_begin(source_, i);
        for (std::size_t j = first; j < i; ++j) {
            if (is_one_of(source_[j], {"constexpr", "__constant__", "enum", "typename", "class", "using"})) return true;
            if (source_[j] == "const" && !has_specifier(source_, first, i, "*")) return true;
        }
        return false;
    }

    bool is_harmless(std::size_t i, std::size_t parameters, std::size_t open) {
        const std::string_view name = source_[i];
        if (is_one_of(name, {"new", "delete", "this", "union", "goto", "throw"})) return false;
        if (name.substr(0, 3) == "tex" || name.substr(0, 4) == "surf") return false;
        const bool is_member = source_[i - 1] == ".";
        if (is_member) return is_one_of(name, {"x", "y", "z", "w"}) && source_[i + 1] != "(" && source_[i + 1] != "[";
        if (source_[i + 1] == "::" && name != "std" && name != "simt") return false;
        if (classes_.count(name) != 0) return false;
        if (i < open && source_.is_identifier(i + 1) && !is_plain_type(name) && types_.count(name) == 0 &&
            !is_one_of(name, {"__restrict__", "__restrict", "unsigned"}))
            return false;
        if (source_[i + 1] == "(" || source_[i + 1] == "<") return is_harmless_call(i);
        return variables_.count(name) == 0 || is_declared_within(name, parameters, source_.partner(open));
    }

    /// A function of the program's own must be closed, too. CUDA's reach what they are given.
    bool is_harmless_call(std::size_t i) {
        const auto bodies = bodies_.find(source_[i]);
        if (bodies == bodies_.end()) return variables_.count(source_[i]) == 0;
        for (const std::size_t body : bodies->second) {
            if (!is_closed(body)) return false;
        }
        return true;
    }

    /// Whether a type comes before the name between these tokens.
    bool is_declared_within(std::string_view name, std::size_t first, std::size_t last) const {
        for (std::size_t i = first + 1; i < last; ++i) {
            if (source_[i] != name) continue;
            std::size_t type = i - 1;
            while (is_one_of(source_[type], {"*", "&", "const", "__restrict__", "__restrict"})) --type;
            return is_plain_type(source_[type]) || types_.count(source_[type]) != 0;
        }
        return false;
    }

    const Source& source_;
    std::unordered_set<std::string_view> types_, classes_, variables_;
    std::map<std::string_view, std::vector<std::size_t>> bodies_;
    std::map<std::size_t, bool> closed_;
};

/// The parameters between these brackets that are pointers.
std::vector<std::string_view> pointers_among(const Source& source, std::size_t open, std::size_t close) {
    std::vector<std::string_view> names;
    for (std::size_t i = open + 1; i < close; ++i) {
        const bool is_last = source.is_identifier(i) && is_one_of(source[i + 1], {",", ")", "=", "["});
        if (is_last && (is_pointer_parameter(source, open, close, source[i]) || source[i + 1] == "["))
            names.push_back(source[i]);
    }
    return names;
}

void rewrite_kernel(const Source& source, std::size_t open, Reach& reach, Edits& edits) {
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
    for (auto addition = additions.begin(); addition != additions.end();) {
        std::size_t uses = 0;
        for (std::size_t i = open + 1; i < close; ++i) uses += source[i] == addition->first;
        addition = uses == addition->second.size() ? std::next(addition) : additions.erase(addition);
    }
    if (additions.empty() || !reach.is_closed(open)) return;
    std::string beside;
    for (const std::string_view other : pointers_among(source, *parameters, open - 1)) {
        if (additions.count(other) == 0) beside += (beside.empty() ? "" : ", ") + std::string(other);
    }
    if (!beside.empty()) beside = ", ::simt::Beside(" + beside + ")";
    for (const auto& [pointer, calls] : additions) {
        for (const std::size_t call : calls) {
            edits.replace(call, call + 1, "::simt::add_only");
            if (!beside.empty()) edits.insert_before(source.partner(call + 1), beside);
        }
    }
}

}  // namespace

void rewrite_lone_additions(const Source& source, const Braces& braces, Edits& edits) {
    std::optional<Reach> reach;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != "{" || source.partner(i) == Source::none || braces.in_function(i)) continue;
        const Brace& brace = braces.at(i);
        if (brace.kind == BraceKind::code && has_specifier(source, brace.statement, i, "__global__"))
            rewrite_kernel(source, i, reach ? *reach : reach.emplace(source, braces), edits);
    }
}

}  // namespace simcc
