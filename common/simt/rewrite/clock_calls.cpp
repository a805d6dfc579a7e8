#include "common/simt/rewrite/passes.hpp"

namespace simcc {

void rewrite_clock_calls(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != "clock" || source[i + 1] != "(" || source[i + 2] != ")") continue;
        const std::string_view before = source[i - 1];
        const bool declared = source.is_identifier(i - 1) && !is_expression_keyword(before);
        if (before == "." || before == "->" || before == "::" || declared) continue;
        edits.replace(i, i + 1, "::simt::clock");
    }
}

}  // namespace simcc
