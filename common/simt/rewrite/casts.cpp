// SPDX-License-Identifier: MIT
// Casts to integers in device code convert floating-point numbers as nvcc does (simt/conversions.hpp).
//
//     (T)x                 ->    (T)(::simt::Target<T>)x
//     static_cast<T>(x)    ->    static_cast<T>((::simt::Target<T>)(x))
//     T(x)                 ->    T((::simt::Target<T>)(x))
//
// Target is T itself if T is not an integer. (Conversions without a cast: rewrite/implicit_conversions.cpp.)
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_set>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/number_names.hpp"
#include "common/simt/rewrite/operands.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/source.hpp"

namespace simcc {
namespace {

class Casts {
public:
    Casts(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits)
        : source_(source),
          braces_(braces),
          spaces_(spaces),
          edits_(edits),
          operands_(source, braces),
          types_(names_of_types(source)) {}

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
            }
        }
    }

private:
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
        if (close == Source::none || close == open + 1 || source_[close + 1] == "{" ||
            is_one_of(source_[close - 1], {".", "*", "&"}))
            return false;  // a pack, or a pointer to arrays: int(*)[4]
        if (close == open + 2 && (is_number(open + 1) || is_type(open + 1, close))) return false;
        return operands_.assigned_end(open + 1) == close && source_[open + 1] != "{";
    }

    bool is_number(std::size_t i) const {
        return source_.token(i).kind == TokenKind::number && source_[i].find('.') == std::string_view::npos;
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
    const std::unordered_set<std::string_view> types_;
};

}  // namespace

void rewrite_casts(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits) {
    Casts(source, braces, spaces, edits).rewrite();
}

}  // namespace simcc
