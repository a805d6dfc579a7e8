// SPDX-License-Identifier: MIT
// Inline PTX, the assembler language of GPUs.
//
// Reading a special register, the one instruction that courses teach, becomes a function call:
//     asm("mov.u32 %0, %%laneid;" : "=r"(lane));    ->    (lane) = ::simt::special_register::laneid();
// Any other PTX becomes a call that ends the kernel with a message if it is reached, and simcc warns about it. Host
// assembly is left alone.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The characters between the quotes of the string literals [first, last), with escapes replaced by blanks.
std::string unquoted(const Source& source, std::size_t first, std::size_t last) {
    std::string text;
    for (std::size_t i = first; i < last; ++i) {
        const std::string_view literal = source[i];
        for (std::size_t j = literal.find('"') + 1; j + 1 < literal.size(); ++j) {
            if (literal[j] == '\\') {
                text += ' ';
                ++j;
            } else {
                text += literal[j];
            }
        }
    }
    return text;
}

/// Whether the text has an instruction with a type after a dot, as PTX does (add.u32) but no host's assembly.
bool is_ptx(std::string_view text) {
    static constexpr std::string_view suffixes[] = {
        "u8",  "u16", "u32", "u64",    "s8",     "s16",    "s32",     "s64",   "b8",        "b16",
        "b32", "b64", "f16", "f32",    "f64",    "f16x2",  "bf16",    "pred",  "reg",       "sync",
        "gpu", "sys", "cta", "approx", "global", "shared", "aligned", "async", "wait_group"};
    for (std::size_t dot = text.find('.'); dot != std::string_view::npos; dot = text.find('.', dot + 1)) {
        std::size_t end = dot + 1;
        while (end < text.size() && is_word_part(text[end])) ++end;
        const std::string_view suffix = text.substr(dot + 1, end - dot - 1);
        const bool behind_word = dot > 0 && is_word_part(text[dot - 1]);
        if (behind_word && std::find(std::begin(suffixes), std::end(suffixes), suffix) != std::end(suffixes))
            return true;
    }
    return text.find("membar.") != std::string_view::npos || text.find("bar.sync") != std::string_view::npos;
}

/// NAME for `mov.TYPE %0, %%NAME;`, with dots replaced; empty for any other text. (nvcc takes `%NAME` for `%%NAME`.)
std::string special_register(const std::string& text) {
    const std::size_t move = text.find("mov."), operand = text.find("%0"), comma = text.find(',');
    if (move == std::string::npos || operand == std::string::npos || comma == std::string::npos || operand > comma)
        return "";
    std::size_t name = text.find_first_not_of(" \t", comma + 1);
    if (text.find_first_not_of(" \t{") != move || name == std::string::npos || text[name] != '%') return "";
    name += text.compare(name, 2, "%%") == 0 ? 2 : 1;
    std::size_t end = name;
    while (end < text.size() && (is_word_part(text[end]) || text[end] == '.')) ++end;
    if (text.find_first_not_of(" \t;}", end) != std::string::npos) return "";
    std::string result = text.substr(name, end - name);
    std::replace(result.begin(), result.end(), '.', '_');
    return result;
}

/// The names in simt::special_register.
bool is_known_register(std::string_view name) {
    static constexpr std::string_view names[] = {
        "tid_x",       "tid_y",   "tid_z",    "ntid_x",      "ntid_y",      "ntid_z",      "ctaid_x",
        "ctaid_y",     "ctaid_z", "nctaid_x", "nctaid_y",    "nctaid_z",    "laneid",      "warpid",
        "nwarpid",     "smid",    "nsmid",    "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt",
        "lanemask_ge", "clock",   "clock64",  "globaltimer"};
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

void rewrite_inline_assembly(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != "asm" && source[i] != "__asm__" && source[i] != "__asm") continue;
        std::size_t open = i + 1;
        while (source[open] == "volatile" || source[open] == "__volatile__") ++open;
        const std::size_t close = source.partner(open);
        if (source[open] != "(" || close == Source::none) continue;
        std::size_t behind_text = open + 1;
        while (source.is_literal(behind_text)) ++behind_text;
        const std::string text = unquoted(source, open + 1, behind_text);
        if (!is_ptx(text)) continue;

        // At behind_text: `:` "=r" ( lvalue )
        const std::string name = special_register(text);
        const std::size_t lvalue = behind_text + 2;
        if (is_known_register(name) && source[behind_text] == ":" && source[lvalue] == "(") {
            const std::size_t end = source.partner(lvalue) + 1;
            edits.replace(i, close + 1, edits.join(lvalue, end) + " = ::simt::special_register::" + name + "()");
        } else {
            if (!source.in_system_header(i)) {
                edits.warn(i, "inline PTX cannot be simulated: the kernel ends with an error when it gets here");
            }
            edits.replace(i, close + 1, "::simt::unsupported_assembly(\"" + text + "\")");
        }
        i = close;
    }
}

}  // namespace simcc
