// SPDX-License-Identifier: MIT
// Casts to integers in device code convert floating-point numbers as nvcc does (simt/conversions.hpp).
//
//     (T)x                 ->    (T)(::simt::Target<T>)x
//     static_cast<T>(x)    ->    static_cast<T>((::simt::Target<T>)(x))
//     T(x)                 ->    T((::simt::Target<T>)(x))
//     int i = x;           ->    int i = (::simt::Target<int>)(x);
//     i = x; a[n] = x;     ->    i = (::simt::TargetOfType<decltype(i)>)(x); where the name is an integer's everywhere
//     return x;            ->    return (::simt::Target<int>)(x); in a function of type int
//
// Target is T itself if T is not an integer. Other conversions without a cast cannot be seen in the tokens.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/operands.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/source.hpp"

namespace simcc {

// ---- the names that are integers wherever the program declares them

/// The words that make up the names of integer types.
bool is_integer_keyword(std::string_view word);

/// The usual names of integer types, which system headers declare: size_t, uint8_t and the like.
bool is_integer_name(std::string_view word);

class IntegerNames {
public:
    explicit IntegerNames(const Source& source);

    /// Whether every variable of this name is an integer, or a pointer or reference to integers, or an array of them.
    bool has(std::string_view name) const { return integers_.count(name) != 0 && others_.count(name) == 0; }

    /// Whether the tokens [first, last) hold nothing but integers: numbers, these names, built-in variables, operators.
    bool make_up(std::size_t first, std::size_t last) const;

private:
    const Source& source_;
    std::unordered_set<std::string_view> integers_, others_;
};

namespace {

/// Words that may come between a type and the declared name.
bool is_decoration(std::string_view word) {
    return is_one_of(word, {"*", "&", "const", "volatile", "__restrict__", "__restrict", "restrict"});
}

}  // namespace

bool is_integer_keyword(std::string_view word) {
    return is_one_of(word, {"int", "unsigned", "signed", "char", "short", "long", "wchar_t"});
}

bool is_integer_name(std::string_view word) {
    return is_one_of(word, {"size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "intmax_t", "uintmax_t",
                            "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
                            "uint", "uchar", "ushort", "ulong"});
}

IntegerNames::IntegerNames(const Source& source) : source_(source) {
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (!source.is_identifier(i) || is_integer_keyword(source[i]) || is_decoration(source[i])) continue;
        if (!is_one_of(source[i + 1], {"=", ",", ";", ")", "[", "{", ":", "(", ">"})) continue;
        std::size_t type = i - 1;
        while (type > 0 && is_decoration(source[type])) --type;
        const bool is_pointer_operand = type + 1 < i && !source.is_identifier(type) && source[type] != ">";
        const bool is_type =
            (source.is_identifier(type) && !is_expression_keyword(source[type])) || source[type] == ">";
        const bool is_integer = is_integer_keyword(source[type]) || is_integer_name(source[type]);
        const bool is_comparison = source[i + 1] == "=" && source[i + 2] == "=";
        const bool is_conjunction = source[i - 1] == "&" && source[i - 2] == "&";
        const bool is_product = type + 1 < i && !is_integer && source.is_value(type);
        if (is_pointer_operand || !is_type || is_comparison || is_conjunction || is_product) continue;
        if (source.in_system_header(i)) continue;
        (is_integer ? integers_ : others_).insert(source[i]);
        // `int a, b`; but a second parameter has a type of its own.
        for (std::size_t j = i; is_integer && source[j + 1] == "," && source.is_identifier(j + 2);) {
            j += 2;
            if (is_one_of(source[j + 1], {",", ";", "=", "["})) integers_.insert(source[j]);
        }
    }
}

bool IntegerNames::make_up(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
        const std::string_view token = source_[i];
        if (source_.is_identifier(i)) {
            const bool is_builtin = is_one_of(token, {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"});
            const bool is_member = source_[i - 1] == "." && is_one_of(token, {"x", "y", "z"});
            const bool is_variable =
                has(token) && source_[i - 1] != "." && source_[i - 1] != "->" && source_[i + 1] != "(";
            if (!is_builtin && !is_member && !is_variable) return false;
        } else if (source_.token(i).kind == TokenKind::number && token.find('.') != std::string_view::npos) {
            return false;
        } else if (source_.token(i).kind == TokenKind::number && token.find_first_of("xX") == std::string_view::npos &&
                   token.find_first_of("eEfF") != std::string_view::npos) {
            return false;
        }
    }
    return true;
}

// ---- the casts

namespace {

class Casts {
public:
    Casts(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits)
        : source_(source), braces_(braces), spaces_(spaces), edits_(edits), operands_(source, braces), names_(source) {
        collect_types();
    }

    void rewrite() {
        for (std::size_t i = 1; i < source_.size(); ++i) {
            if (source_[i] == "(") {
                const std::size_t close = source_.partner(i);
                if (is_cast(i, close) && spaces_.is_device(i)) {
                    edits_.insert_before(close + 1, "(" + target(i + 1, close) + ")");
                }
            } else if (source_[i] == "static_cast") {
                const std::size_t open = skip_angles(source_, i + 1);
                const bool is_plain = open != i + 1 && source_[open] == "(" && may_be_integer(i + 2, open - 1);
                if (is_plain && spaces_.is_device(i)) wrap(open, i + 2, open - 1);
            } else if (source_[i + 1] == "(" && is_type_name(i) && is_call_of_type(i) && spaces_.is_device(i)) {
                wrap(i + 1, i, i + 1);
            } else if (begins_declaration(i) && spaces_.is_device(i)) {
                rewrite_initializers(i);
            } else if (assigns(i) && braces_.in_function(i) && spaces_.is_device(i)) {
                rewrite_assignment(i);
            } else if (source_[i] == "return" && source_[i + 1] != ";" && spaces_.is_device(i)) {
                rewrite_return(i);
            }
        }
    }

private:
    /// The names that the program gives to types and to no variables.
    void collect_types() {
        for (std::size_t i = 1; i < source_.size(); ++i) {
            const std::string_view before = source_[i - 1];
            if (!source_.is_identifier(i) || source_.is_value(i)) continue;
            const bool is_parameter = (before == "typename" || before == "class") &&
                                      is_one_of(source_[i + 1], {",", ">", "="}) && source_[i - 2] != "::";
            const bool is_alias = before == "using" && source_[i + 1] == "=";
            if (is_parameter || is_alias) types_.insert(source_[i]);
            if (before == "typedef") insert_typedef(i);
        }
    }

    void insert_typedef(std::size_t i) {
        while (i + 1 < source_.size() && source_[i + 1] != ";") {
            if (source_[i] == "(" || source_[i] == "{" || source_[i] == "*") return;
            ++i;
        }
        if (source_.is_identifier(i)) types_.insert(source_[i]);
    }

    bool is_type_name(std::size_t i) const {
        if (!source_.is_identifier(i)) return false;
        return is_integer_keyword(source_[i]) || is_integer_name(source_[i]) || types_.count(source_[i]) != 0;
    }

    /// Whether the tokens [first, last) name a type that may be an integer.
    bool may_be_integer(std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i) {
            if (is_one_of(source_[i], {"*", "&", "void", "auto", "float", "double", "bool", "(", "[", "..."}))
                return false;
        }
        return first < last;
    }

    /// Whether they certainly name such a type.
    bool is_integer_type(std::size_t first, std::size_t last) const {
        if (!may_be_integer(first, last)) return false;
        if (source_[first] == "typename") return true;
        while (source_[first] == "const") ++first;
        if (source_[first] == "std" && source_[first + 1] == "::") first += 2;
        if (first + 1 == last) return is_type_name(first);
        for (std::size_t i = first; i < last; ++i) {
            if (!is_integer_keyword(source_[i]) && source_[i] != "const") return false;
        }
        return first < last;
    }

    /// Whether `(` is the first token of a cast: a type in parentheses, before an operand and not after one.
    bool is_cast(std::size_t open, std::size_t close) const {
        if (close == Source::none || !is_integer_type(open + 1, close) || !braces_.in_function(open)) return false;
        const std::string_view before = source_[open - 1], behind = source_[close + 1];
        const bool is_operand = is_one_of(behind, {"(", "-", "+", "~", "!", "*", "&", "::"});
        const bool is_word = source_.is_identifier(close + 1) &&
                             !is_one_of(behind, {"const", "volatile", "noexcept", "override", "mutable", "and", "or"});
        const TokenKind kind = close + 1 < source_.size() ? source_.token(close + 1).kind : TokenKind::punctuator;
        if (!is_operand && !is_word && kind != TokenKind::number) return false;
        if (kind == TokenKind::number && source_[close + 1].find('.') == std::string_view::npos) return false;
        if (before == ")") {
            const std::size_t other = source_.partner(open - 1);
            if (other == Source::none || other == 0 || !is_type(other + 1, open - 1)) return false;
            return source_[other - 1] == ")" || expects_operand(other);
        }
        return expects_operand(open);
    }

    /// Whether the tokens [first, last) are the type of a cast that precedes another cast.
    bool is_type(std::size_t first, std::size_t last) const {
        const bool is_float = last == first + 1 && is_one_of(source_[first], {"float", "double", "bool", "void"});
        return is_float || is_integer_type(first, last);
    }

    /// Whether an operand may begin at token i, rather than a declaration or the arguments of a call.
    bool expects_operand(std::size_t i) const {
        const std::string_view before = source_[i - 1];
        if (source_.is_identifier(i - 1)) {
            return is_one_of(before,
                             {"return", "case", "else", "do", "throw", "co_return", "co_yield", "and", "or", "not"});
        }
        if (source_.token(i - 1).kind != TokenKind::punctuator || before == ")" || before == "]") return false;
        if (before == ">" || before == "<") return !operands_.is_angle(i - 1);
        return before != "::" && before != "." && before != "->" && before != "}";
    }

    /// `T(x)` as an expression, with one argument.
    bool is_call_of_type(std::size_t i) const {
        std::size_t first = i;
        if (source_[i - 1] == "::" && source_[i - 2] == "std") first = i - 2;
        if (first == 0 || !braces_.in_function(i) || !expects_operand(first)) return false;
        const std::string_view before = source_[first - 1];
        if (before == ";" || (before == "{" && braces_.at(first - 1).kind != BraceKind::initializer)) return false;
        const std::size_t open = i + 1, close = source_.partner(open);
        if (close == Source::none || close == open + 1 || source_[close + 1] == "{" || source_[close - 1] == ".")
            return false;
        if (close == open + 2 && (is_number(open + 1) || is_type(open + 1, close))) return false;
        return operands_.assigned_end(open + 1) == close && source_[open + 1] != "{";
    }

    bool is_number(std::size_t i) const {
        return source_.token(i).kind == TokenKind::number && source_[i].find('.') == std::string_view::npos;
    }

    /// Whether token i is the first word of the type of a declaration: `int i = ...`.
    bool begins_declaration(std::size_t i) const {
        if (!source_.is_identifier(i) || (!is_integer_keyword(source_[i]) && !is_integer_name(source_[i])))
            return false;
        std::size_t before = i - 1;
        while (before > 0 && is_one_of(source_[before], {"const", "constexpr", "static", "__restrict__"})) --before;
        const bool in_for = source_[before] == "(" && source_[before - 1] == "for";
        return is_one_of(source_[before], {";", "{", "}", ")", ":"}) ? braces_.in_function(i) : in_for;
    }

    void rewrite_initializers(std::size_t first) {
        std::size_t i = first;
        while (is_integer_keyword(source_[i]) || is_integer_name(source_[i]) || source_[i] == "const") ++i;
        const std::string type = target(first, i);
        while (source_.is_identifier(i) && source_[i + 1] == "=" && source_[i + 2] != "=") {
            const std::size_t begin = i + 2, end = operands_.assigned_end(begin);
            convert(begin, end, type);
            if (source_[end] != ",") return;
            i = end + 1;
        }
    }

    /// `i = x`, `a[n] = x` or `*p = x`, as a statement or within one.
    void rewrite_assignment(std::size_t i) {
        const std::size_t begin = operands_.left_begin(i), end = operands_.assigned_end(i + 1);
        const std::size_t name = source_[begin] == "*" ? begin + 1 : begin;
        std::size_t behind = name + 1;
        while (source_[behind] == "[" && source_.partner(behind) != Source::none) behind = source_.partner(behind) + 1;
        if (behind != i || !source_.is_identifier(name) || !names_.has(source_[name])) return;
        if (source_[begin - 1] == "&") return;  // `T& i = x` declares a reference
        if (source_[begin - 1] == "," && is_deduced(begin)) return;
        convert(i + 1, end, "::simt::TargetOfType<decltype(" + edits_.join(begin, i) + ")>");
    }

    /// Whether token i belongs to a list such as `auto a = x, i = y`, in which nothing has a type yet.
    bool is_deduced(std::size_t i) const {
        while (i-- > 0) {
            const std::string_view token = source_[i];
            if (token == "auto") return true;
            if (is_one_of(token, {")", "]", "}"}) && source_.partner(i) != Source::none) i = source_.partner(i);
            else if (is_one_of(token, {";", "(", "{", "}"})) return false;
        }
        return false;
    }

    /// `return x;` in a function that is known to return an integer.
    void rewrite_return(std::size_t i) {
        std::size_t open = braces_.enclosing(i);
        for (; braces_.at(open).kind == BraceKind::code; open = braces_.at(open).enclosing) {
            if (is_lambda(open)) return;
            const std::size_t around = braces_.at(open).enclosing;
            if (around == Source::none || braces_.at(around).kind != BraceKind::code) break;
        }
        const std::size_t first = braces_.at(open).statement;
        for (std::size_t j = first; j < open; ++j) {
            if (source_[j] == "operator" || source_[j] == "->") return;
            if (source_[j] == "__attribute__" || source_[j] == "alignas") {
                j = std::min(source_.partner(j + 1), open);
            } else if (source_[j] == "(") {
                std::size_t last = j - 1;
                while (last > first && source_[last - 1] == "::") last -= 2;
                std::size_t type = last;
                while (type > first && (is_integer_keyword(source_[type - 1]) || is_integer_name(source_[type - 1])))
                    --type;
                if (type != last) convert(i + 1, operands_.assigned_end(i + 1), target(type, last));
                return;
            }
        }
    }

    bool is_lambda(std::size_t open) const {
        for (std::size_t i = braces_.at(open).statement; i < open; ++i) {
            if (source_[i] == "[" && !source_.is_identifier(i - 1) && source_[i - 1] != ")" && source_[i - 1] != "]")
                return true;
        }
        return false;
    }

    /// Puts a cast before the expression [first, last), unless it is a list or made of integers.
    void convert(std::size_t first, std::size_t last, const std::string& type) {
        if (source_[first] == "{" || names_.make_up(first, last)) return;
        edits_.insert_before(first, "(" + type + ")(");
        edits_.insert_before(last, ")");
    }

    /// Whether token i is a plain `=` that assigns.
    bool assigns(std::size_t i) const {
        if (source_[i] != "=" || (source_[i + 1] == "=" && source_.adjoins(i + 1))) return false;
        return !source_.adjoins(i) ||
               !is_one_of(source_[i - 1], {"=", "!", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^"});
    }

    std::string target(std::size_t first, std::size_t last) const {
        return "::simt::Target<" + source_.join(first, last) + ">";
    }

    /// Puts a cast to the type of the tokens [first, last) before the argument at `open`, with its parentheses.
    void wrap(std::size_t open, std::size_t first, std::size_t last) {
        const std::size_t close = source_.partner(open);
        if (close == Source::none || source_[open + 1] == "{") return;
        edits_.insert_before(open, "((" + target(first, last) + ")");
        edits_.insert_before(close + 1, ")");
    }

    const Source& source_;
    const Braces& braces_;
    const ExecutionSpaces& spaces_;
    Edits& edits_;
    const Operands operands_;
    const IntegerNames names_;
    std::set<std::string_view> types_;
};

}  // namespace

void rewrite_casts(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits) {
    Casts(source, braces, spaces, edits).rewrite();
}

}  // namespace simcc
