// SPDX-License-Identifier: MIT
// Arrays in local memory, whose accesses checked programs count. A GPU's registers have no index: a thread's own array is
// in registers only if each index in it is known when the kernel is compiled. So an array counts as local if any index
// is neither a constant nor made of counters of loops that are unrolled:
//
//     unsigned a[8];   ->   unsigned a[8]; ::simt::check::LocalArray simt_array_a(&a, sizeof(a));
//
// The object tells the counters where the array is. And since it gets the array's address, g++ keeps the array in memory
// and reports its accesses. Arrays in structures, and those that are only passed on, are left alone.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

class LocalArrays {
public:
    LocalArrays(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits)
        : source_(source), braces_(braces), spaces_(spaces), edits_(edits) {}

    void rewrite() {
        for (std::size_t i = 1; i < source_.size(); ++i) {
            const std::string_view before = source_[i - 1];
            if (!source_.is_identifier(i) || (before != ";" && before != "{" && before != "}")) continue;
            const std::size_t open = braces_.enclosing(i);
            if (open == Source::none || braces_.at(open).kind != BraceKind::code || is_switch(open)) continue;
            const std::size_t name = first_declared(i);
            if (name != Source::none && spaces_.is_device_only(i) && !source_.in_system_header(i))
                rewrite_declaration(name, source_.partner(open));
        }
    }

private:
    static constexpr int deepest = 8;  // of declarations that refer to each other

    /// A jump to the next case must not skip an object.
    bool is_switch(std::size_t open) const {
        const std::size_t condition = source_[open - 1] == ")" ? source_.partner(open - 1) : Source::none;
        return condition != Source::none && condition > 0 && source_[condition - 1] == "switch";
    }

    /// The brace of the function around token i, not of a block or lambda in it; or none.
    std::size_t function_around(std::size_t i) const {
        std::size_t function = Source::none;
        for (std::size_t open = braces_.enclosing(i); open != Source::none && braces_.at(open).kind == BraceKind::code;
             open = braces_.at(open).enclosing)
            function = open;
        return function;
    }

    /// Nor must a `goto`.
    bool has_jumps(std::size_t function) const {
        for (std::size_t i = function; i < source_.partner(function); ++i)
            if (source_[i] == "goto") return true;
        return false;
    }

    /// The name that the statement at token i declares first, if it may be a variable with automatic storage that
    /// changes; else none.
    std::size_t first_declared(std::size_t i) const {
        std::size_t name = Source::none, words = 0;
        while (i < source_.size()) {
            if (is_one_of(source_[i], {"static", "extern", "thread_local", "__thread", "__shared__", "constexpr",
                                       "const", "typedef", "using", "goto", "default", "break", "continue"}) ||
                is_expression_keyword(source_[i]))
                return Source::none;
            if (source_.is_identifier(i)) {
                name = i++;
                ++words;
            } else if (source_[i] == "<" && skip_angles(source_, i) != i) {
                i = skip_angles(source_, i);
            } else if (source_[i] == "::") {
                words = 0;  // a qualified name is one word
                ++i;
            } else if (source_[i] == "*") {
                ++i;
            } else {
                break;
            }
        }
        const bool is_declarator = is_one_of(source_[i], {"[", "=", ",", ";", "{", "("});
        return words >= 2 && is_declarator && i == name + 1 ? name : Source::none;
    }

    /// The end of the declarator whose name is token i: its comma or semicolon.
    std::size_t declarator_end(std::size_t i) const {
        while (i < source_.size() && source_[i] != "," && source_[i] != ";") {
            const bool opens = source_[i] == "(" || source_[i] == "[" || source_[i] == "{";
            if (opens && source_.partner(i) == Source::none) return Source::none;
            if (source_[i] == "<" && skip_angles(source_, i) != i) i = skip_angles(source_, i);
            else i = opens ? source_.partner(i) + 1 : i + 1;
        }
        return i;
    }

    void rewrite_declaration(std::size_t name, std::size_t scope_end) {
        std::string objects;
        std::size_t end = declarator_end(name);
        for (; end != Source::none && end < scope_end; end = declarator_end(name)) {
            if (source_[name + 1] == "[" && is_indexed_at_run_time(name, end, scope_end)) {
                const std::string array(source_[name]);
                objects +=
                    " ::simt::check::LocalArray simt_array_" + array + "(&" + array + ", sizeof(" + array + "));";
            }
            if (source_[end] == ";") break;
            name = end + 1;
            while (source_[name] == "*") ++name;
        }
        if (end != Source::none && !objects.empty() && !has_jumps(function_around(end)))
            edits_.replace(end, end + 1, ";" + objects);
    }

    bool is_indexed_at_run_time(std::size_t name, std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i) {
            if (source_[i] != source_[name] || is_one_of(source_[i - 1], {".", "->", "::"})) continue;
            for (std::size_t open = i + 1; source_[open] == "["; open = source_.partner(open) + 1) {
                if (source_.partner(open) == Source::none) return false;
                if (!is_constant(open + 1, source_.partner(open), 0)) return true;
            }
        }
        return false;
    }

    /// Whether the value of the tokens [first, last) is known when the kernel is compiled, loops unrolled.
    bool is_constant(std::size_t first, std::size_t last, int depth) const {
        if (depth > deepest) return false;
        for (std::size_t i = first; i < last; ++i) {
            if (source_[i] == "(" && source_[i + 1] == ")") return false;  // a call that may return anything
            if (is_one_of(source_[i], {"[", ".", "->"})) return false;
            if (source_.is_identifier(i) && !is_constant_name(i, depth)) return false;
        }
        return true;
    }

    bool is_constant_name(std::size_t use, int depth) const {
        if (is_one_of(source_[use], {"threadIdx", "blockIdx", "blockDim", "gridDim"})) return false;
        const std::size_t declared = declaration_before(use);
        if (declared == Source::none) return true;  // outside of the function, or a parameter of a template
        const std::size_t statement = statement_of(declared);
        if (source_[statement - 1] == "(") {
            if (source_[statement - 2] == "for") return is_unrolled(statement - 2, declared, depth);
            if (source_[statement - 2] == "]") return true;  // in doubt: a lambda is mostly inlined
        }
        if (has_specifier(source_, statement, declared, "constexpr")) return true;
        if (!has_specifier(source_, statement, declared, "const")) return false;
        return source_[declared + 1] == "=" && is_constant(declared + 2, declarator_end(declared), depth + 1);
    }

    /// Where the function around a name declares it before that use, or none.
    std::size_t declaration_before(std::size_t use) const {
        const std::size_t function = function_around(use);
        if (function == Source::none) return Source::none;
        std::size_t first = braces_.at(function).statement;
        while (source_[first] == "template" && source_[first + 1] == "<" &&
               skip_angles(source_, first + 1) != first + 1)
            first = skip_angles(source_, first + 1);
        for (std::size_t i = use; i-- > first;) {
            if (source_[i] == source_[use] && declares(i)) return i;
        }
        return Source::none;
    }

    bool declares(std::size_t i) const {
        const std::string_view before = source_[i - 1], after = source_[i + 1];
        if (source_.is_identifier(i - 1) && !is_expression_keyword(before))
            return is_one_of(after, {"=", ";", ",", ")", "{", "[", ":"});
        return before == "," && after == "=" && source_[i + 2] != "=";
    }

    /// The first token of the declaration of the name at token i, which may be the first part of a `for`.
    std::size_t statement_of(std::size_t i) const {
        while (i > 0 && !is_one_of(source_[i - 1], {";", "{", "}", "("})) {
            const bool closes = source_[i - 1] == ")" && source_.partner(i - 1) != Source::none;
            i = closes ? source_.partner(i - 1) : i - 1;
        }
        return i;
    }

    /// Whether the compiler unrolls this loop, so that its counter is a constant in each copy of its body.
    bool is_unrolled(std::size_t loop, std::size_t counter, int depth) const {
        const std::size_t open = loop + 1, close = source_.partner(open);
        if (close == Source::none || declares_range(counter)) return false;
        const std::size_t begin = loop > 0 ? source_.token(loop - 1).end : 0;
        const std::string_view before = source_.text().substr(begin, source_.token(loop).begin - begin);
        if (const std::size_t pragma = before.rfind("unroll"); pragma != std::string_view::npos) {
            if (pragma >= 2 && before.substr(pragma - 2, 2) == "no") return false;
            const std::optional<long long> factor = factor_in(before.substr(pragma));
            return !factor || ends_within(*factor, counter, close);
        }
        for (std::size_t i = counter + 1; i < close; ++i) {
            if (source_[i] == source_[counter]) continue;
            if (is_one_of(source_[i], {"(", "[", ".", "->"})) return false;
            if (source_.is_identifier(i) && !is_constant(i, i + 1, depth + 1)) return false;
        }
        return true;
    }

    /// The factor in `unroll 8` or `unroll(8)`, if it is a number. (A name is mostly that of the loop's bound.)
    static std::optional<long long> factor_in(std::string_view pragma) {
        const std::size_t begin = pragma.find_first_not_of(" \t(", std::string_view("unroll").size());
        if (begin == std::string_view::npos) return std::nullopt;
        return number_in(pragma.substr(begin, pragma.find_first_of(" \t\r\n)\"", begin) - begin));
    }

    /// The value of `8` or `8u`.
    static std::optional<long long> number_in(std::string_view word) {
        long long number = 0;
        const char* const last = word.data() + word.size();
        const auto [end, error] = std::from_chars(word.data(), last, number);
        const std::string_view suffix(end, static_cast<std::size_t>(last - end));
        if (error != std::errc() || suffix.find_first_not_of("uUlLzZ") != std::string_view::npos) return std::nullopt;
        return number;
    }

    /// Whether a loop has at most so many turns, which the compiler then unrolls all: its counter goes from a number to a
    /// number by a number. Where a turn more may follow, a loop remains, whose counter is no constant.
    bool ends_within(long long turns, std::size_t counter, std::size_t close) const {
        const std::string_view name = source_[counter];
        const std::size_t test = declarator_end(counter) + 1;
        if (source_[counter + 1] != "=" || source_[test - 1] != ";" || source_[test] != name) return false;
        const std::string_view relation = source_[test + 1];
        const bool or_equal = source_[test + 2] == "=";
        const std::size_t bound = test + 2 + or_equal, step = declarator_end(bound) + 1;
        const auto from = number_at(counter + 2, test - 1, 0), to = number_at(bound, step - 1, 0),
                   by = step_at(step, close, name);
        if (!from || !to || !by) return false;
        const auto goes_on = [&, to = *to](long long at) {
            if (at == to) return or_equal && relation != "!";
            return relation == "<" ? at < to : relation == ">" ? at > to : relation == "!";
        };
        constexpr long long most = 1 << 16;  // no compiler copies a body more often
        long long at = *from;
        for (long long turn = 0; turn <= std::min(turns, most); ++turn, at += *by)
            if (!goes_on(at)) return true;
        return false;
    }

    /// What `++i`, `i--` or `i += 2` adds to i.
    std::optional<long long> step_at(std::size_t first, std::size_t last, std::string_view name) const {
        const bool is_first = source_[first] == name;
        const std::string_view sign = source_[first + is_first];
        if (sign != "+" && sign != "-") return std::nullopt;
        std::optional<long long> step;
        if (last == first + 3 && source_[first + 1 + is_first] == sign) step = 1;
        else if (is_first && source_[first + 2] == "=") step = number_at(first + 3, last, 0);
        if (step && sign == "-") step = -*step;
        return step;
    }

    /// The value of one token: a number, or a constant that is initialized with one.
    std::optional<long long> number_at(std::size_t first, std::size_t last, int depth) const {
        if (last != first + 1 || depth > deepest) return std::nullopt;
        if (!source_.is_identifier(first)) return number_in(source_[first]);
        std::size_t declared = declaration_before(first);
        for (std::size_t i = first; declared == Source::none && i-- > 1;)
            if (source_[i] == source_[first] && !is_in_code(i) && source_.is_identifier(i - 1)) declared = i;
        if (declared == Source::none || source_[declared + 1] != "=") return std::nullopt;
        const std::size_t statement = statement_of(declared);
        if (!has_specifier(source_, statement, declared, "constexpr") &&
            !has_specifier(source_, statement, declared, "const"))
            return std::nullopt;
        return number_at(declared + 2, declarator_end(declared), depth + 1);
    }

    bool is_in_code(std::size_t i) const {
        const std::size_t open = braces_.enclosing(i);
        return open != Source::none && braces_.at(open).kind == BraceKind::code;
    }

    bool declares_range(std::size_t name) const { return source_[name + 1] == ":"; }

    const Source& source_;
    const Braces& braces_;
    const ExecutionSpaces& spaces_;
    Edits& edits_;
};

}  // namespace

void rewrite_local_arrays(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits) {
    LocalArrays(source, braces, spaces, edits).rewrite();
}

}  // namespace simcc
