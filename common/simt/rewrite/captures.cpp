// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/captures.hpp"

#include <cstddef>
#include <string_view>

#include "common/simt/rewrite/angles.hpp"
#include "common/simt/rewrite/braces.hpp"

namespace simcc {
namespace {

/// A lambda by its tokens: its list's `[`, its parameters' `(` if it has any, and its body's `{`.
struct Lambda {
    std::size_t list, parameters, body;
};

/// The lambda that begins at token i; without a body if none does.
Lambda lambda_at(const Source& source, std::size_t i) {
    Lambda lambda = {i, Source::none, Source::none};
    const bool is_subscript = (source.is_identifier(i - 1) && !is_expression_keyword(source[i - 1])) ||
                              source[i - 1] == ")" || source[i - 1] == "]" || source.is_literal(i - 1);
    if (is_subscript || source[i - 1] == "[" || source[i + 1] == "[" || source.partner(i) == Source::none)
        return lambda;
    for (std::size_t j = source.partner(i) + 1; j < source.size(); ++j) {
        const std::string_view token = source[j];
        if (token == "{") {
            if (source.partner(j) != Source::none) lambda.body = j;
            return lambda;
        }
        if (token == ";" || token == "," || token == ")" || token == "]" || token == "}") return lambda;
        if (token == "<" && skip_angles(source, j) != j) {
            j = skip_angles(source, j) - 1;
        } else if (token == "(" && source.partner(j) != Source::none) {
            if (lambda.parameters == Source::none && source[j - 1] != "__attribute__") lambda.parameters = j;
            j = source.partner(j);
        }
    }
    return lambda;
}

/// Whether the group that opens at token `open` contains the name, other than as a member of something.
bool mentions(const Source& source, std::size_t open, std::string_view name) {
    if (open == Source::none) return false;
    for (std::size_t i = open + 1; i < source.partner(open); ++i) {
        const std::string_view before = source[i - 1];
        if (source[i] == name && before != "." && before != "->" && before != "::") return true;
    }
    return false;
}

}  // namespace

void capture_references(const Source& source, const std::vector<LocalReference>& references, Edits& edits) {
    if (references.empty()) return;
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (source[i] != "[") continue;
        const Lambda lambda = lambda_at(source, i);
        const std::size_t close = source.partner(i);
        const bool captures_all = source[i + 1] == "&" && (source[i + 2] == "," || source[i + 2] == "]");
        if (lambda.body == Source::none || captures_all) continue;
        std::string list;
        for (const auto& [name, first, last] : references) {
            const bool is_used = i >= first && i < last && mentions(source, lambda.body, name);
            if (!is_used || mentions(source, i, name) || mentions(source, lambda.parameters, name)) continue;
            list += (list.empty() && close == i + 1 ? "&" : ", &") + name;
        }
        if (!list.empty()) edits.insert_before(close, list);
    }
}

}  // namespace simcc
