// SPDX-License-Identifier: MIT
// Addresses in shared memory have 32 bits on a GPU, so an unsigned index below 0 is one below 0 there:
//
//     (s + 32)[~i]    ->    (s + 32)[::simt::shared_index(~i)]
//
// The index of an array in shared memory becomes a signed number where its type is unsigned. So does that of a pointer
// that is initialized with such an array.
#include <cstddef>
#include <set>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

class SharedIndices {
public:
    SharedIndices(const Source& source, const ExecutionSpaces& spaces, Edits& edits)
        : source_(source), spaces_(spaces), edits_(edits) {
        collect_arrays();
        if (!arrays_.empty()) collect_pointers();
    }

    void rewrite() {
        if (arrays_.empty()) return;
        for (std::size_t i = 1; i < source_.size(); ++i) {
            const std::size_t close = source_.partner(i);
            if (source_[i] != "[" || close == Source::none || !is_shared(i) || !may_be_negative(i + 1, close)) continue;
            if (!spaces_.is_device(i) || spaces_.is_unevaluated(i)) continue;
            edits_.insert_before(i + 1, " ::simt::shared_index(");
            edits_.insert_before(close, ")");
        }
    }

private:
    void collect_arrays() {
        for (std::size_t i = 0; i < source_.size(); ++i) {
            if (source_[i] != "thread_local") continue;  // __shared__
            for (std::size_t j = i + 1; j < source_.size() && !is_one_of(source_[j], {";", "{", "}", "=", "("}); ++j) {
                if (source_[j] != "[" || !source_.is_identifier(j - 1) || source_.partner(j) == Source::none) continue;
                arrays_.insert(source_[j - 1]);
                declarations_.insert(j);
                for (j = source_.partner(j); source_[j + 1] == "[" && source_.partner(j + 1) != Source::none;)
                    declarations_.insert(j + 1), j = source_.partner(j + 1);
            }
        }
    }

    // `T* p = s + 32;`
    void collect_pointers() {
        for (std::size_t i = 2; i + 1 < source_.size(); ++i) {
            if (source_[i] != "=" || !source_.is_identifier(i - 1)) continue;
            std::size_t star = i - 2;
            while (star > 0 && is_one_of(source_[star], {"const", "volatile", "__restrict__", "__restrict"})) --star;
            if (source_[star] != "*") continue;
            const std::size_t value = i + 1 + (source_[i + 1] == "&");
            if (arrays_.count(source_[value]) != 0 && spaces_.is_device(i)) arrays_.insert(source_[i - 1]);
        }
    }

    // Whether the subscript that opens at token i is of a shared array: `s[`, `s[1][` or `(s + 32)[`.
    bool is_shared(std::size_t i) const {
        if (declarations_.count(i) != 0) return false;
        while (source_[i - 1] == "]") {
            i = source_.partner(i - 1);
            if (i == Source::none || i == 0) return false;
        }
        if (source_.is_identifier(i - 1)) {
            const bool is_member = i > 1 && is_one_of(source_[i - 2], {".", "->", "::"});
            return arrays_.count(source_[i - 1]) != 0 && !is_member;
        }
        if (source_[i - 1] != ")" || source_.partner(i - 1) == Source::none) return false;
        const std::size_t open = source_.partner(i - 1);
        const bool is_call = source_.is_identifier(open - 1) && !is_expression_keyword(source_[open - 1]);
        return !is_call && arrays_.count(source_[open + 1]) != 0 && is_one_of(source_[open + 2], {"+", "-"});
    }

    // A difference, a complement or a variable can be, a sum or product of positive numbers cannot.
    bool may_be_negative(std::size_t first, std::size_t last) const {
        bool may_be = source_.is_identifier(first) && last == first + 1;
        for (std::size_t i = first; i < last; ++i) {
            may_be |= source_[i] == "-" || source_[i] == "~";
            if (source_[i] == ",") return false;  // the operator, or a list of template arguments
            if (source_[i] == "(" && source_.partner(i) != Source::none) {
                for (std::size_t j = i; j < source_.partner(i); ++j) may_be |= source_[j] == "-" || source_[j] == "~";
                i = source_.partner(i);
            }
        }
        return may_be;
    }

    const Source& source_;
    const ExecutionSpaces& spaces_;
    Edits& edits_;
    std::set<std::string_view> arrays_;
    std::set<std::size_t> declarations_;
};

}  // namespace

void rewrite_shared_indices(const Source& source, const ExecutionSpaces& spaces, Edits& edits) {
    SharedIndices(source, spaces, edits).rewrite();
}

}  // namespace simcc
