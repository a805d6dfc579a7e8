// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/number_names.hpp"

#include <cstddef>
#include <string_view>
#include <unordered_set>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/source.hpp"

namespace simcc {
namespace {

/// Words that may come between a type and the declared name.
bool is_decoration(std::string_view word) {
    return is_one_of(word, {"*", "&", "const", "volatile", "__restrict__", "__restrict", "restrict"});
}

}  // namespace

bool is_integer_keyword(std::string_view word) {
    return is_one_of(word, {"int", "unsigned", "signed", "char", "short", "long", "wchar_t"});
}

bool is_integer_name(std::string_view word) {
    return is_one_of(word, {"size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "intmax_t", "uintmax_t",
                            "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
                            "uint", "uchar", "ushort", "ulong"});
}

std::unordered_set<std::string_view> names_of_types(const Source& source) {
    std::unordered_set<std::string_view> names;
    const auto insert_typedef = [&](std::size_t i) {
        while (i + 1 < source.size() && source[i + 1] != ";") {
            if (source[i] == "(" || source[i] == "{" || source[i] == "*") return;
            ++i;
        }
        if (source.is_identifier(i)) names.insert(source[i]);
    };
    for (std::size_t i = 1; i < source.size(); ++i) {
        const std::string_view before = source[i - 1];
        if (!source.is_identifier(i) || source.is_value(i)) continue;
        const bool is_parameter = (before == "typename" || before == "class") &&
                                  is_one_of(source[i + 1], {",", ">", "="}) && source[i - 2] != "::";
        const bool is_alias = before == "using" && source[i + 1] == "=";
        if (is_parameter || is_alias) names.insert(source[i]);
        if (before == "typedef") insert_typedef(i);
    }
    return names;
}

NumberNames::NumberNames(const Source& source) : source_(source) {
    for (std::size_t i = 1; i < source.size(); ++i) collect(i);
}

void NumberNames::collect(std::size_t i) {
    if (!source_.is_identifier(i) || is_integer_keyword(source_[i]) || is_decoration(source_[i])) return;
    // `float (*rows)[4]`, `auto [a, b]`
    std::size_t first = i - 1;
    while (source_[first] == "*" || source_[first] == "&") --first;
    const bool is_in_parentheses = first + 1 < i && source_[first] == "(" && source_[i + 1] == ")";
    if ((is_in_parentheses && is_one_of(source_[i + 2], {"[", "("})) ||
        (is_one_of(source_[i - 1], {"[", ","}) && is_one_of(source_[i + 1], {",", "]"}))) {
        const std::size_t open = source_[i + 1] == "]" ? source_.partner(i + 1) : i - 1;
        std::size_t before = open == Source::none ? 0 : open;
        while (before > 0 && (source_[before] == "," || source_.is_identifier(before)) && source_[before] != "auto")
            --before;
        if (source_[before] == "[") --before;
        while (before > 0 && source_[before] == "&") --before;
        if (is_in_parentheses || source_[before] == "auto") kinds_[source_[i]] |= other;
    }
    if (!is_one_of(source_[i + 1], {"=", ",", ";", ")", "[", "{", ":", "(", ">"})) return;
    std::size_t type = i - 1;
    while (type > 0 && is_decoration(source_[type])) --type;
    if (is_one_of(source_[type], {"struct", "class", "union", "enum", "typename", "using"})) return;
    const bool is_pointer_operand = type + 1 < i && !source_.is_identifier(type) && source_[type] != ">";
    const bool is_type = (source_.is_identifier(type) && !is_expression_keyword(source_[type])) || source_[type] == ">";
    const bool is_integer_type =
        is_integer_keyword(source_[type]) || is_integer_name(source_[type]) || source_[type] == "bool";
    const bool is_real_type = source_[type] == "float" || source_[type] == "double";
    const bool is_comparison = source_[i + 1] == "=" && source_[i + 2] == "=";
    const bool is_conjunction = source_[i - 1] == "&" && source_[i - 2] == "&";
    const bool is_product = type + 1 < i && !is_integer_type && !is_real_type && source_.is_value(type);
    if (is_pointer_operand || !is_type || is_comparison || is_conjunction || is_product) return;
    if (source_.in_system_header(i)) return;
    collect_list(i, is_integer_type ? integer : is_real_type ? real : other);
}

/// `int a[2] = {}, *b`; but a second parameter has a type of its own.
void NumberNames::collect_list(std::size_t i, Kind kind) {
    while (true) {
        kinds_[source_[i]] |= kind;
        for (++i; i < source_.size() && !is_one_of(source_[i], {",", ";", ")", "]", "}"}); ++i) {
            const bool opens = is_one_of(source_[i], {"(", "[", "{"});
            if (opens && source_.partner(i) == Source::none) return;
            if (opens) i = source_.partner(i);
        }
        if (source_[i] != ",") return;
        do ++i;
        while (is_decoration(source_[i]));
        const bool is_declared =
            source_.is_identifier(i) && is_one_of(source_[i + 1], {",", ";", "=", "[", "{", "(", ":"});
        if (!is_declared) return;
    }
}

bool NumberNames::are_integers(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
        const std::string_view token = source_[i];
        if (source_.is_identifier(i)) {
            const bool is_builtin = is_one_of(token, {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"});
            const bool is_member = source_[i - 1] == "." && is_one_of(token, {"x", "y", "z"}) && i >= first + 2 &&
                                   is_one_of(source_[i - 2], {"threadIdx", "blockIdx", "blockDim", "gridDim"});
            const bool is_variable = is_integer(token) && source_[i - 1] != "." && source_[i - 1] != "->" &&
                                     source_[i + 1] != "(" && source_[i + 1] != "<";
            const bool is_word = is_one_of(token, {"true", "false", "nullptr"});
            if (!is_builtin && !is_member && !is_variable && !is_word) return false;
        } else if (source_.token(i).kind == TokenKind::number && token.find('.') != std::string_view::npos) {
            return false;
        } else if (source_.token(i).kind == TokenKind::number && token.find_first_of("xX") == std::string_view::npos &&
                   token.find_first_of("eEfF") != std::string_view::npos) {
            return false;
        }
    }
    return true;
}

}  // namespace simcc
