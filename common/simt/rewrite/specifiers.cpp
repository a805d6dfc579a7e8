// SPDX-License-Identifier: MIT
#include <cstddef>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

bool is_inline(std::string_view token) { return token == "inline" || token == "__inline__" || token == "__inline"; }

/// Drops every `inline` of a declaration but the first; __forceinline__ includes one.
void drop_repeated_inline(const Source& source, std::size_t i, Edits& edits) {
    for (++i; source.is_identifier(i); ++i) {
        if (source[i] == "__attribute__" && source.partner(i + 1) != Source::none) {
            i = source.partner(i + 1);
        } else if (is_inline(source[i])) {
            edits.replace(i, i + 1, "");
        }
    }
}

bool is_specifier(std::string_view token) {
    for (const std::string_view specifier : {"static", "extern", "const", "volatile", "thread_local", "__thread"}) {
        if (token == specifier) return true;
    }
    return is_inline(token) || is_qualifier(token) || token == "constexpr";
}

/// The first of the specifiers and attributes right before token i; i if there is none.
std::size_t first_specifier(const Source& source, std::size_t i) {
    for (;;) {
        const std::size_t open = source[i - 1] == ")" ? source.partner(i - 1) : Source::none;
        if (is_specifier(source[i - 1])) {
            --i;
        } else if (open != Source::none && source[open - 1] == "__attribute__") {
            i = open - 1;
        } else {
            return i;
        }
    }
}

/// `__shared__ alignas(16) float a[4]`: g++ wants alignas before all other specifiers.
void move_alignas(const Source& source, std::size_t i, Edits& edits) {
    const std::size_t first = first_specifier(source, i), close = source.partner(i + 1);
    if (first == i || close == Source::none) return;
    edits.insert_before(first, source.join(i, close + 1) + " ");
    edits.replace(i, close + 1, "");
}

}  // namespace

void rewrite_specifiers(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!source.is_identifier(i)) continue;
        if (source[i] == "__noinline__") {
            // g++ accepts the word inside __attribute__((...)) and [[gnu::...]].
            const std::string_view before = source[i - 1];
            if (before != "(" && before != "," && before != "::") edits.replace(i, i + 1, "__attribute__((noinline))");
        } else if (source[i] == "alignas") {
            move_alignas(source, i, edits);
        } else if (is_inline(source[i])) {
            bool repeated = false;
            for (std::size_t j = i; j > 0 && (source.is_identifier(j - 1) || source[j - 1] == ")") && !repeated;) {
                if (source[j - 1] == ")") {
                    const std::size_t open = source.partner(j - 1);
                    if (open == Source::none || source[open - 1] != "__attribute__") break;
                    j = open;
                } else {
                    --j;
                    repeated = is_inline(source[j]);
                }
            }
            if (!repeated) drop_repeated_inline(source, i, edits);
        }
    }
}

}  // namespace simcc
