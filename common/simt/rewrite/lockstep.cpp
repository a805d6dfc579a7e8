// SPDX-License-Identifier: MIT
// Code for GPUs before Volta, whose warps had one program counter, leaves out the barriers between the steps of a warp:
//
//     s[t] += s[t + 16];
//     s[t] += s[t + 8];
//
// Such steps store to an element of shared memory what other lanes then load from it. What shows them is an element
// that changes with the help of another one of the same array, twice in a row or in a loop, without a barrier.
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/cuda_to_cxx.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/source.hpp"

namespace simcc {
namespace {

class WarpSteps {
public:
    explicit WarpSteps(const Source& source)
        : source_(source), braces_(source), functions_(source, braces_), spaces_(source, braces_, functions_) {
        collect_arrays();
    }

    /// The first statement of device code that depends on lockstep, or none.
    std::size_t first() const {
        for (std::size_t i = 1; i < source_.size(); ++i) {
            const std::size_t end = end_of_step(i);
            if (end == Source::none || !spaces_.is_device(i)) continue;
            if (is_repeated(i) || is_followed(i, end)) return i;
        }
        return Source::none;
    }

private:
    // Arrays in shared memory, and arrays and pointers that are volatile, as lockstep has always required.
    void collect_arrays() {
        for (std::size_t i = 0; i < source_.size(); ++i) {
            const bool is_volatile = source_[i] == "volatile" && !source_.in_system_header(i);
            if (source_[i] != "thread_local" && !is_volatile) continue;  // (`__shared__` is a macro of a header)
            for (std::size_t j = i + 1; j < source_.size() && !is_one_of(source_[j], {"{", "}", "("}); ++j) {
                const bool ends_name = is_one_of(source_[j], {"[", "=", ";", ",", ")"});
                if (ends_name && source_.is_identifier(j - 1)) arrays_.insert(source_[j - 1]);
                if (ends_name) break;
            }
        }
    }

    // If token i begins `s[...] = ... s[other] ...;` or `s[...] += ... s[other] ...;`, its semicolon, else none.
    std::size_t end_of_step(std::size_t i) const {
        if (source_[i + 1] != "[" || arrays_.count(source_[i]) == 0 || !begins_statement(i)) return Source::none;
        const std::size_t close = source_.partner(i + 1);
        if (close == Source::none || !has_name(i + 2, close)) return Source::none;
        const bool is_compound = is_one_of(source_[close + 1], {"+", "-", "*", "/", "|", "&", "^"});
        const std::size_t equals = close + 1 + is_compound;
        if (source_[equals] != "=" || source_[equals + 1] == "=") return Source::none;
        const std::string index = source_.join(i + 2, close);
        bool reads_other = false;
        std::size_t j = equals + 1;
        for (; j < source_.size() && source_[j] != ";"; ++j) {
            if (source_[j] == "{" || source_[j] == "}") return Source::none;
            if (source_[j] != source_[i] || source_[j + 1] != "[" || source_.partner(j + 1) == Source::none) continue;
            reads_other |= source_.join(j + 2, source_.partner(j + 1)) != index;
        }
        return reads_other ? j : Source::none;
    }

    // An element with a number is that of a single thread.
    bool has_name(std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i)
            if (source_.is_identifier(i)) return true;
        return false;
    }

    bool begins_statement(std::size_t i) const {
        return is_one_of(source_[i - 1], {";", "{", "}", ")"}) || source_[i - 1] == "else";
    }

    static bool is_barrier(std::string_view token) {
        return token.substr(0, 13) == "__syncthreads" || token == "__syncwarp" || token == "sync" ||
               token == "__barrier_sync" || token == "__shfl_sync" || token == "asm" || token == "__asm__";
    }

    bool has_barrier(std::size_t first, std::size_t last) const {
        for (std::size_t i = first; i < last; ++i)
            if (is_barrier(source_[i])) return true;
        return false;
    }

    // Whether another step on the same array follows on the same path, with no barrier between.
    bool is_followed(std::size_t i, std::size_t end) const {
        for (std::size_t j = end + 1; j < source_.size(); ++j) {
            const std::string_view token = source_[j];
            if (is_barrier(token) || is_one_of(token, {"else", "break", "return", "case", "goto", "continue"})) break;
            if (token == "}" && is_end_of_function(j)) break;
            if (token == source_[i] && end_of_step(j) != Source::none) return true;
        }
        return false;
    }

    bool is_end_of_function(std::size_t close) const {
        const std::size_t open = source_.partner(close);
        if (open == Source::none) return true;
        const std::size_t around = braces_.enclosing(open);
        return around == Source::none || braces_.at(around).kind != BraceKind::code;
    }

    // Whether the step is in a loop without a barrier that does not just walk through the array: then the index would
    // be the loop's variable.
    bool is_repeated(std::size_t i) const {
        const std::size_t close = source_.partner(i + 1);
        for (std::size_t j = i; j-- > 0 && !is_end_of_function_before(j);) {
            if (source_[j] != "for" && source_[j] != "while") continue;
            const std::size_t head_end = source_.partner(j + 1);
            if (head_end == Source::none || head_end > i) continue;
            const std::size_t last = end_of_body(head_end + 1);
            if (last < i) continue;
            const bool walks = shares_name(j + 2, head_end, i + 2, close);
            return !walks && !has_barrier(head_end, last);
        }
        return false;
    }

    bool is_end_of_function_before(std::size_t j) const { return source_[j] == "}" && is_end_of_function(j); }

    std::size_t end_of_body(std::size_t first) const {
        if (source_[first] == "{") return source_.partner(first);
        while (first < source_.size() && source_[first] != ";") {
            const bool opens = is_one_of(source_[first], {"(", "{", "["});
            if (opens && source_.partner(first) == Source::none) break;
            if (source_[first] == "{") return source_.partner(first);
            first = opens ? source_.partner(first) + 1 : first + 1;
        }
        return first;
    }

    // Whether the index changes with the loop: the head assigns to one of its names.
    bool shares_name(std::size_t head, std::size_t head_end, std::size_t index, std::size_t index_end) const {
        for (std::size_t i = index; i < index_end; ++i) {
            if (!source_.is_identifier(i)) continue;
            for (std::size_t j = head; j < head_end; ++j)
                if (source_[j] == source_[i] && is_changed(j)) return true;
        }
        return false;
    }

    // `i = 0`, `i += 2`, `i++` or `++i`.
    bool is_changed(std::size_t j) const {
        const std::string_view next = source_[j + 1], after = source_[j + 2], before = source_[j - 1];
        const bool is_assigned = next == "=" && after != "=";
        const bool is_updated = is_one_of(next, {"+", "-", "*", "/", "<", ">"}) && (after == "=" || after == next) &&
                                source_.adjoins(j + 2);
        const bool is_prefixed = (before == "+" || before == "-") && source_[j - 2] == before;
        return is_assigned || is_updated || is_prefixed;
    }

    const Source& source_;
    const Braces braces_;
    const Functions functions_;
    const ExecutionSpaces spaces_;
    std::set<std::string_view> arrays_;
};

}  // namespace

std::optional<Location> reliance_on_lockstep(std::string_view preprocessed, std::string_view own_headers) {
    const Source source(preprocessed, own_headers);
    if (source.unmatched() != Source::none) return std::nullopt;
    const std::size_t step = WarpSteps(source).first();
    if (step == Source::none) return std::nullopt;
    return source.locate(source.token(step).begin);
}

}  // namespace simcc
