// SPDX-License-Identifier: MIT
// Attributes of declarations. nvcc takes them in any order with the other specifiers, while g++ wants [[...]] and
// alignas(...) first:
//     __shared__ alignas(16) float [[maybe_unused]] s[4];    ->    alignas(16) [[maybe_unused]] __shared__ float s[4];
// Those behind the name of a variable go to the front, too, so that later passes find nothing between a name and its
// bounds. nvcc also takes `extern "C" static`, where static wins.
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {

bool begins_attribute(const Source& source, std::size_t i) {
    return source[i] == "[" && source[i + 1] == "[" && source.partner(i) != Source::none;
}

std::size_t skip_attributes(const Source& source, std::size_t i) {
    for (;;) {
        if (begins_attribute(source, i)) {
            i = source.partner(i) + 1;
        } else if (source[i] == "alignas" && source.partner(i + 1) != Source::none) {
            i = source.partner(i + 1) + 1;
        } else {
            return i;
        }
    }
}

std::size_t end_of_type(const Source& source, std::size_t i) {
    std::size_t end = is_one_of(source[i + 1], {"class", "struct"}) ? i + 1 : i;
    // The attributes here are the type's own: elsewhere they would be the variable's.
    for (;;) {
        const std::size_t begin = end + 1;
        const bool is_of_gnu = source[begin] == "__attribute__" && source.partner(begin + 1) != Source::none;
        end = (is_of_gnu ? source.partner(begin + 1) + 1 : skip_attributes(source, begin)) - 1;
        if (end < begin) break;
    }
    const std::size_t attributed = end;
    for (std::size_t j = end + 1; source.is_identifier(j) || source[j] == "::" || source[j] == ":"; ++j) end = j;
    const std::size_t open = end + 1;
    if (source[open] == "{" && source.partner(open) != Source::none) return source.partner(open);
    return attributed;
}

namespace {

/// The attribute at token `begin`, up to and without token `end`.
struct Attribute {
    std::size_t begin, end;
};

/// A declaration as far as its specifiers, its first name and what follows that: the tokens [first, end).
struct Specifiers {
    std::size_t first, end, name = Source::none;
    bool is_function = false;
    std::vector<Attribute> attributes;
};

/// Where the declaration around token i begins, behind `template <...>` and `extern "C"`: at the begin of a statement,
/// or behind one of `bounds`.
std::size_t declaration_begin(const Source& source, std::size_t i, std::initializer_list<std::string_view> bounds) {
    std::size_t first = i;
    while (first > 0 && !is_one_of(source[first - 1], {";", "{", "}"}) && !is_one_of(source[first - 1], bounds)) {
        --first;
        const std::size_t open = source.partner(first);
        if (source[first] == ")" && open != Source::none) first = open;
    }
    while (source[first] == "template" && source[first + 1] == "<") {
        const std::size_t behind = skip_angles(source, first + 1);
        if (behind == first + 1) break;
        first = behind;
    }
    return source[first] == "extern" && source.is_literal(first + 1) ? first + 2 : first;
}

Specifiers read_specifiers(const Source& source, std::size_t first) {
    Specifiers found = {first, first, Source::none, false, {}};
    for (std::size_t i = first; i < source.size(); ++i) {
        const std::string_view token = source[i];
        const bool has_group = source[i + 1] == "(" && source.partner(i + 1) != Source::none;
        found.end = i;
        if (begins_attribute(source, i)) {
            found.attributes.push_back({i, source.partner(i) + 1});
            i = source.partner(i);
        } else if ((token == "alignas" || token == "__attribute__") && has_group) {
            found.attributes.push_back({i, source.partner(i + 1) + 1});
            i = source.partner(i + 1);
        } else if (is_one_of(token, {"decltype", "typeof", "__typeof__"}) && has_group) {
            i = source.partner(i + 1);
        } else if (token == "<" && skip_angles(source, i) != i) {
            i = skip_angles(source, i) - 1;
        } else if (is_one_of(token, {"struct", "class", "union", "enum"})) {
            i = end_of_type(source, i);
        } else if (token == "[" && source.partner(i) != Source::none) {
            i = source.partner(i);
        } else if (source.is_identifier(i) && token != "operator" && token != "requires") {
            found.name = i;
        } else if (!is_one_of(token, {"::", "*", "&"}) || found.name == Source::none) {
            found.is_function = token == "(" || token == "operator" || token == "requires";
            return found;
        }
    }
    return found;
}

/// Moves what g++ wants elsewhere. Returns the first token behind what was read.
std::size_t move_attributes(const Source& source, std::size_t i, Edits& edits) {
    Specifiers found = read_specifiers(source, declaration_begin(source, i, {}));
    if (found.end <= i) found = read_specifiers(source, declaration_begin(source, i, {":", "(", ","}));
    if (found.end <= i || found.name == Source::none) return i + 1;
    const std::size_t front = skip_attributes(source, found.first);
    std::string moved, of_gnu;
    const bool is_c = source.is_literal(found.first - 1) && source[found.first - 2] == "extern";
    if (is_c && has_specifier(source, found.first, found.end, "static"))
        edits.replace(found.first - 2, found.first, "");
    for (const auto& [begin, end] : found.attributes) {
        const bool behind_name = begin > found.name, is_of_gnu = source[begin] == "__attribute__";
        if (begin < front || (behind_name ? found.is_function : is_of_gnu)) continue;
        (is_of_gnu ? of_gnu : moved) += source.join(begin, end) + " ";
        edits.replace(begin, end, "");
    }
    if (!(moved + of_gnu).empty()) edits.insert_before(found.first, moved);
    if (!of_gnu.empty()) edits.insert_before(front, of_gnu);
    return found.end + 1;
}

bool is_storage(std::string_view token) {
    return is_one_of(token, {"static", "extern", "const", "volatile", "inline", "constexpr", "thread_local"});
}

}  // namespace

void rewrite_attributes(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size();) {
        const bool is_late = begins_attribute(source, i) && is_storage(source[i - 1]);
        const bool may_be_late = source[i] == "alignas" || source[i] == "thread_local";
        if (is_late || may_be_late || (source.is_identifier(i) && is_qualifier(source[i]))) {
            i = move_attributes(source, i, edits);
        } else {
            ++i;
        }
    }
}

}  // namespace simcc
