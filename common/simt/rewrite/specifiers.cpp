#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

bool is_inline(std::string_view token) { return token == "inline" || token == "__inline__" || token == "__inline"; }

/// Drops every `inline` of one declaration but the first; __forceinline__ brings one along.
void drop_repeated_inline(const Source& source, std::size_t i, Edits& edits) {
    for (++i; source.is_identifier(i); ++i) {
        if (source[i] == "__attribute__" && source.partner(i + 1) != Source::none) {
            i = source.partner(i + 1);
        } else if (is_inline(source[i])) {
            edits.replace(i, i + 1, "");
        }
    }
}

}  // namespace

void rewrite_specifiers(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!source.is_identifier(i)) continue;
        if (source[i] == "__noinline__") {
            const std::string_view before =
                source[i - 1];  // g++ knows it inside of __attribute__((...)) and [[gnu::...]]
            if (before != "(" && before != "," && before != "::") edits.replace(i, i + 1, "__attribute__((noinline))");
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
