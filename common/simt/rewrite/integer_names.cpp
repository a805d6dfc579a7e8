// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/integer_names.hpp"

#include <cstddef>
#include <string_view>

#include "common/simt/rewrite/braces.hpp"

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

IntegerNames::IntegerNames(const Source& source) : source_(source) {
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (!source.is_identifier(i) || is_integer_keyword(source[i]) || is_decoration(source[i])) continue;
        if (!is_one_of(source[i + 1], {"=", ",", ";", ")", "[", "{", ":", "(", ">"})) continue;
        std::size_t type = i - 1;
        while (type > 0 && is_decoration(source[type])) --type;
        const bool is_pointer_operand = type + 1 < i && !source.is_identifier(type) && source[type] != ">";
        const bool is_type =
            (source.is_identifier(type) && !is_expression_keyword(source[type])) || source[type] == ">";
        const bool is_integer = is_integer_keyword(source[type]) || is_integer_name(source[type]);
        const bool is_comparison = source[i + 1] == "=" && source[i + 2] == "=";
        const bool is_conjunction = source[i - 1] == "&" && source[i - 2] == "&";
        const bool is_product = type + 1 < i && !is_integer && source.is_value(type);
        if (is_pointer_operand || !is_type || is_comparison || is_conjunction || is_product) continue;
        if (source.in_system_header(i)) continue;
        (is_integer ? integers_ : others_).insert(source[i]);
        // `int a, b`; but a second parameter has a type of its own.
        for (std::size_t j = i; is_integer && source[j + 1] == "," && source.is_identifier(j + 2);) {
            j += 2;
            if (is_one_of(source[j + 1], {",", ";", "=", "["})) integers_.insert(source[j]);
        }
    }
}

bool IntegerNames::make_up(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) {
        const std::string_view token = source_[i];
        if (source_.is_identifier(i)) {
            const bool is_builtin = is_one_of(token, {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"});
            const bool is_member = source_[i - 1] == "." && is_one_of(token, {"x", "y", "z"});
            const bool is_variable =
                has(token) && source_[i - 1] != "." && source_[i - 1] != "->" && source_[i + 1] != "(";
            if (!is_builtin && !is_member && !is_variable) return false;
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
