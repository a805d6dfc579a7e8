// SPDX-License-Identifier: MIT
// Shifts in device code become calls of functions that clamp the amount as PTX does (simt/shifts.hpp).
//
//     a << b      ->    ::simt::shift_left(a, b)
//     a >>= b     ->    ::simt::assign_shift_right(a, b), or for a bit-field, a = ::simt::shift_right(a, b)
//
// An amount that is a number below 32 needs no clamp, so these shifts, by far the most common, stay as they are.

#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>

#include "common/simt/rewrite/operands.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

class Shifts {
public:
    Shifts(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits)
        : source_(source), braces_(braces), spaces_(spaces), edits_(edits), operands_(source, braces) {
        collect_bit_fields();
    }

    /// From the last to the first: in `a << b << c`, the call for the second shift encloses that for the first.
    void rewrite() {
        for (std::size_t i = source_.size(); i-- > 1;) {
            if ((source_[i] != "<" && source_[i] != ">") || !operands_.is_shift(i)) continue;
            if (!spaces_.is_device(i) || is_folded(i)) continue;
            const bool assigns = source_[i + 2] == "=" && source_.adjoins(i + 2) && source_[i + 3] != "=";
            if (assigns) {
                rewrite_assignment(i);
            } else {
                rewrite_shift(i);
            }
        }
    }

private:
    void collect_bit_fields() {
        for (std::size_t i = 1; i + 1 < source_.size(); ++i) {
            if (source_[i + 1] != ":" || !source_.is_identifier(i)) continue;
            if (!source_.is_identifier(i - 1) && source_[i - 1] != ",") continue;
            const std::size_t open = braces_.enclosing(i);
            if (open != Source::none && braces_.at(open).kind == BraceKind::type) bit_fields_.insert(source_[i]);
        }
    }

    /// `(... << x)`, `(x << ...)`: a fold expression.
    bool is_folded(std::size_t i) const { return source_[i - 1] == "." || source_[i + 2] == "."; }

    /// Whether the tokens [first, last) are a number below 32.
    bool is_small(std::size_t first, std::size_t last) const {
        if (last != first + 1 || source_.token(first).kind != TokenKind::number) return false;
        const std::string text(source_[first]);
        char* end = nullptr;
        const unsigned long long value = std::strtoull(text.c_str(), &end, 0);
        return value < 32 && std::string_view(end).find_first_not_of("uUlL") == std::string_view::npos;
    }

    /// Whether the operand can be a function's argument: not text, not a list.
    bool is_argument(std::size_t first, std::size_t last) const {
        return first < last && source_[first] != "{" && source_.token(first).kind != TokenKind::literal;
    }

    std::string name(std::size_t i) const { return source_[i] == "<" ? "shift_left(" : "shift_right("; }

    void rewrite_shift(std::size_t i) {
        const std::size_t begin = operands_.left_begin(i), end = operands_.shifted_end(i + 2);
        if (begin == i || is_small(i + 2, end) || !is_argument(i + 2, end)) return;
        edits_.insert_before(begin, " ::simt::" + name(i) + (is_bit_field(begin, i) ? "+" : ""));
        edits_.replace(i, i + 2, ",");
        edits_.insert_before(end, ")");
    }

    void rewrite_assignment(std::size_t i) {
        const std::size_t begin = operands_.left_begin(i), end = operands_.assigned_end(i + 3);
        if (begin == i || is_small(i + 3, end) || !is_argument(i + 3, end)) return;
        if (bit_fields_.count(source_[i - 1]) == 0) {
            edits_.insert_before(begin, " ::simt::assign_" + name(i));
            edits_.replace(i, i + 3, ",");
        } else if (is_repeatable(begin, i)) {
            edits_.replace(i, i + 3, "= ::simt::" + name(i) + edits_.join(begin, i) + ",");
        } else {
            return;
        }
        edits_.insert_before(end, ")");
    }

    /// Whether the operand [first, last) is a bit-field, which has another type as an operand than its declared one.
    bool is_bit_field(std::size_t first, std::size_t last) const {
        if (bit_fields_.count(source_[last - 1]) == 0) return false;
        for (std::size_t i = first; i < last; ++i) {
            if (is_operator(i)) return false;
        }
        return true;
    }

    bool is_operator(std::size_t i) const {
        for (const std::string_view token : {"+", "-", "*", "/", "%", "!", "~", "<", ">"}) {
            if (source_[i] == token) return true;
        }
        return false;
    }

    /// Whether the target [first, last) may be evaluated twice.
    bool is_repeatable(std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i) {
            const bool calls = source_[i] == "(" && i > first && source_[i - 1] != "*" && source_[i - 1] != "(";
            const bool counts = source_[i] == source_[i + 1] && (source_[i] == "+" || source_[i] == "-");
            if (calls || counts || source_[i] == "=") return false;
        }
        return true;
    }

    const Source& source_;
    const Braces& braces_;
    const ExecutionSpaces& spaces_;
    Edits& edits_;
    const Operands operands_;
    std::unordered_set<std::string_view> bit_fields_;
};

}  // namespace

void rewrite_shifts(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits) {
    Shifts(source, braces, spaces, edits).rewrite();
}

}  // namespace simcc
