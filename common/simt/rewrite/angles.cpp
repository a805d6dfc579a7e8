// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/angles.hpp"

#include <cstddef>

#include "common/simt/rewrite/braces.hpp"

namespace simcc {
namespace {

/// Whether the tokens at i and i + 1 have these spellings and no blank between them.
bool is_pair(const Source& source, std::size_t i, std::string_view first, std::string_view second) {
    return source[i] == first && source[i + 1] == second && source.adjoins(i + 1);
}

bool introduces_type(std::string_view word) {
    for (const std::string_view introducer : {"struct", "class", "union", "enum", "namespace", "using", "concept"}) {
        if (word == introducer) return true;
    }
    return false;
}

/// Whether token i is declared here: it comes between a type and a token that may follow a variable's name.
bool is_declared_value(const Source& source, std::size_t i) {
    const std::string_view before = source[i - 1], after = source[i + 1];
    if (after != "=" && after != "," && after != ">" && after != ";" && after != ")" && after != "{" && after != "[") {
        return false;
    }
    if (source[i + 1] == "=" && is_pair(source, i + 1, "=", "=")) return false;
    return source.is_identifier(i - 1) && !is_expression_keyword(before) && !introduces_type(before);
}

void insert_enumerators(const Source& source, std::size_t i, std::unordered_set<std::string_view>& names) {
    while (i < source.size() && source[i] != "{" && source[i] != ";" && source[i] != "(" && source[i] != ")") ++i;
    const std::size_t close = source[i] == "{" ? source.partner(i) : Source::none;
    if (close == Source::none) return;
    for (bool is_name = true; ++i < close;) {
        if (is_name && source.is_identifier(i)) names.insert(source[i]);
        is_name = source[i] == ",";
        if (source[i] == "(" || source[i] == "[" || source[i] == "{") i = source.partner(i);
        if (i == Source::none) return;
    }
}

/// The name declared by the template whose header ends before token i; empty if none is found.
std::string_view template_name(const Source& source, std::size_t i) {
    for (; i < source.size(); ++i) {
        const std::string_view token = source[i];
        if (token == "(" || token == "{" || token == ";" || token == "=" || token == ":") return source[i - 1];
        if (token == "__attribute__" || token == "alignas" || token == "decltype" || token == "requires") {
            if (source[i + 1] == "(" && source.partner(i + 1) != Source::none) i = source.partner(i + 1);
        } else if (token == "<") {
            if (i > 0 && (source[i - 1] == "operator" || skip_angles(source, i) == i)) return {};
            const std::size_t behind = skip_angles(source, i);
            if (source[behind] == "(" || source[behind] == "{" || source[behind] == ";") return source[i - 1];
            i = behind - 1;
        }
    }
    return {};
}

/// The end of the group that opens at token i. With `all`, every `<` after a name counts as a bracket.
std::optional<std::size_t> close_angles(const Source& source, std::size_t i, bool all) {
    if (source[i] != "<") return {};
    std::size_t depth = 1;
    for (std::size_t j = i + 1; j < source.size(); ++j) {
        const std::string_view token = source[j];
        if (source[j - 1] == "operator") continue;
        if (token == "<") {
            if (source[j + 1] == "<" && source[j + 2] == "<") {
                return {};  // a launch
            } else if (is_pair(source, j, "<", "<")) {
                ++j;
            } else if (is_pair(source, j, "<", "=")) {
                j += is_pair(source, j + 1, "=", ">") ? 2 : 1;
            } else if (may_open_angles(source, j) && (all || !source.is_value(j - 1))) {
                ++depth;
            }
        } else if (token == ">") {
            if (is_pair(source, j, ">", "=")) continue;
            if (--depth == 0) return j + 1;
        } else if (token == "(" || token == "[" || token == "{") {
            j = source.partner(j);
            if (j == Source::none) return {};
        } else if (token == ";" || token == ")" || token == "]" || token == "}") {
            return {};
        }
    }
    return {};
}

}  // namespace

std::unordered_set<std::string_view> names_of_values(const Source& source) {
    std::unordered_set<std::string_view> values, templates;
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (source[i] == "enum") insert_enumerators(source, i, values);
        if (source.is_identifier(i) && is_declared_value(source, i)) values.insert(source[i]);
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != "template" || source[i + 1] != "<") continue;
        const std::size_t behind = skip_angles(source, i + 1);
        if (behind != i + 1) templates.insert(template_name(source, behind));
        // `template <template <class> class K>`: K takes arguments, too.
        for (std::size_t j = i + 2; j < behind; ++j) {
            if (source[j] == "class" && source[j - 1] == ">") templates.insert(source[j + 1]);
        }
    }
    for (const std::string_view name : templates) values.erase(name);
    return values;
}

bool may_open_angles(const Source& source, std::size_t i) {
    if (source[i] != "<" || i == 0 || is_pair(source, i, "<", "=")) return false;
    if (is_pair(source, i, "<", "<") || is_pair(source, i - 1, "<", "<")) return false;
    return source.is_identifier(i - 1) && !is_expression_keyword(source[i - 1]);
}

std::size_t skip_angles(const Source& source, std::size_t i) {
    const auto end = close_angles(source, i, false);
    return end ? *end : close_angles(source, i, true).value_or(i);
}

}  // namespace simcc
