// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/parameters.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simt/rewrite/brackets.hpp"

namespace simcc {
namespace {

/// Whether the tokens [first, name) are more than words such as `const` and `struct`.
bool has_type_before(const Source& source, std::size_t first, std::size_t name) {
    for (std::size_t i = first; i < name; ++i) {
        const std::string_view word = source[i];
        const bool may_stand_before_type = word == "const" || word == "volatile" || word == "struct" ||
                                           word == "enum" || word == "union" || word == "class" || word == "typename" ||
                                           word == "__grid_constant__";
        if (!may_stand_before_type) return true;
    }
    return false;
}

}  // namespace

bool is_word_of_type(std::string_view word) {
    constexpr std::string_view words[] = {
        "class",  "typename", "int",   "unsigned", "signed", "long", "short", "char", "bool",   "float",
        "double", "void",     "const", "volatile", "struct", "enum", "union", "auto", "size_t", "__restrict__"};
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::vector<std::pair<std::size_t, std::size_t>> parameter_pieces(const Source& source, std::size_t open,
                                                                  std::size_t close) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    std::size_t first = open + 1, end = Source::none;
    for (std::size_t i = first; i <= close; ++i) {
        if (i == close || source[i] == ",") {
            if (i > first) found.emplace_back(first, std::min(end, i));
            first = i + 1, end = Source::none;
        } else if (source[i] == "=" && end == Source::none) {
            end = i;
        } else if (source[i] == "(" || source[i] == "[" || source[i] == "{") {
            i = source.partner(i);
        } else if (may_open_angles(source, i) && skip_angles(source, i) != i) {
            i = skip_angles(source, i) - 1;
        }
    }
    return found;
}

std::optional<std::string> name_of_parameter(const Source& source, std::size_t first, std::size_t end) {
    while (source[end - 1] == "]" && source.partner(end - 1) > first) end = source.partner(end - 1);
    std::size_t name = end - 1;
    if (source[name] == ")" && is_one_of(source[source.partner(name) + 1], {"*", "&"})) {  // T (&array)[4]
        --name;
    } else if (source[name] == ")" && source[source.partner(name) - 1] == ")") {  // void (*f)(int)
        name = source.partner(source.partner(name) - 1);
        while (source[name] == "(" || source[name] == "*") ++name;
    }
    const bool has_type = name > first && source[name - 1] != "::" && has_type_before(source, first, name);
    if (!source.is_identifier(name) || is_word_of_type(source[name]) || !has_type) return {};
    return std::string(source[name]) + (source[name - 1] == "." ? "..." : "");
}

}  // namespace simcc
