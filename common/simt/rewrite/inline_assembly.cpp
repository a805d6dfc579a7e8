// SPDX-License-Identifier: MIT
// Inline PTX, the assembler language of GPUs.
//
// Reading a special register, and instructions that only wait, order or end, become single calls; other PTX a block of
// them (ptx.cpp).
//     asm("mov.u32 %0, %%laneid;" : "=r"(lane));    ->    (lane) = ::simt::special_register::laneid();
//     asm volatile("membar.gl; trap;");             ->    (::__threadfence(), ::__trap());
// What is not simulated is an error if g++ makes code for it, so templates without instances, and branches that a
// constant excludes, may have any PTX. Or, if the user asks for that, it ends the kernel that gets there. Host assembly
// is left alone: what is only device code has none; elsewhere the instructions tell.

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/ptx.hpp"

namespace simcc {
namespace {

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The characters that the string literals [first, last) stand for. (Other escapes than these mean nothing in PTX.)
std::string unquoted(const Source& source, std::size_t first, std::size_t last) {
    std::string text;
    for (std::size_t i = first; i < last; ++i) {
        const std::string_view literal = source[i];
        const std::size_t quote = literal.find('"');
        if (quote > 0 && literal[quote - 1] == 'R') {
            const std::size_t open = literal.find('('), close = literal.rfind(')');
            text += literal.substr(open + 1, close - open - 1);
            continue;
        }
        for (std::size_t j = quote + 1; j + 1 < literal.size(); ++j) {
            const bool escaped = literal[j] == '\\';
            if (escaped) ++j;
            text += !escaped ? literal[j] : literal[j] == 'n' ? '\n' : literal[j] == '"' ? '"' : ' ';
        }
    }
    return text;
}

std::string without_comments(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t comment = std::min(text.find("//"), text.find("/*"));
        result += text.substr(0, comment);
        if (comment == std::string_view::npos) break;
        const bool to_line_end = text[comment + 1] == '/';
        const std::size_t end = text.find(to_line_end ? "\n" : "*/", comment + 2);
        result += ' ';
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + (to_line_end ? 0 : 2));
    }
    return result;
}

/// The instructions, without blanks and braces around them; labels and predicates are part of them.
std::vector<std::string_view> instructions_of(std::string_view text) {
    constexpr std::string_view blanks = "{} \t\n\r";
    std::vector<std::string_view> instructions;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        const std::size_t first = std::min(text.find_first_not_of(blanks), end);
        const std::string_view word = text.substr(first, end - first);
        if (!word.empty()) instructions.push_back(word.substr(0, word.find_last_not_of(blanks) + 1));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return instructions;
}

/// Whether an instruction without a type is PTX: it has a predicate, or a name that no host's assembly has.
bool is_ptx_word(std::string_view instruction) {
    static constexpr std::string_view names[] = {"trap",  "exit", "brkpt",   "bra",     "membar",
                                                 "fence", "bar",  "barrier", "pmevent", "nanosleep"};
    const std::size_t first = instruction.find_first_not_of(" \t\n\r");
    if (first == std::string_view::npos) return false;
    std::size_t end = first;
    while (end < instruction.size() && is_word_part(instruction[end])) ++end;
    if (end < instruction.size() && instruction[end] == ':') return is_ptx_word(instruction.substr(end + 1));
    return instruction[first] == '@' || is_one_of(instruction.substr(first, end - first), names);
}

/// The call that does what an instruction without operands for C++ does; empty for others.
std::string_view call_for(std::string_view instruction) {
    struct Row {
        std::string_view instruction, call;
    };
    static constexpr Row rows[] = {
        {"trap", "::__trap()"},
        {"exit", "::simt::exit_thread()"},
        {"brkpt", "::__brkpt()"},
        {"membar.cta", "::__threadfence_block()"},
        {"membar.gl", "::__threadfence()"},
        {"membar.sys", "::__threadfence_system()"},
        {"fence.sc.cta", "::__threadfence_block()"},
        {"fence.sc.gpu", "::__threadfence()"},
        {"fence.sc.sys", "::__threadfence_system()"},
        {"fence.acq_rel.cta", "::__threadfence_block()"},
        {"fence.acq_rel.gpu", "::__threadfence()"},
        {"fence.acq_rel.sys", "::__threadfence_system()"},
        {"bar.sync 0", "::__syncthreads()"},
        {"barrier.sync 0", "::__syncthreads()"},
        {"barrier.sync.aligned 0", "::__syncthreads()"},
    };
    for (const Row& row : rows) {
        if (row.instruction == instruction) return row.call;
    }
    return "";
}

/// The calls for all of the instructions, as an expression; empty if one has none.
std::string calls_for(const std::vector<std::string_view>& instructions) {
    std::string calls;
    for (const std::string_view instruction : instructions) {
        const std::string_view call = call_for(instruction);
        if (call.empty()) return "";
        calls.append(calls.empty() ? "(" : ", ").append(call);
    }
    return calls + ")";
}

/// The text as the inside of a string literal on one line.
std::string quoted(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c == '\n' || c == '\r' ? ' ' : c;
    }
    return result;
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
    return false;
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

/// The operands behind the text of an asm statement: outputs, then inputs. The last section, of clobbers, is skipped.
std::vector<AsmOperand> operands_of(const Source& source, const Edits& edits, std::size_t i, std::size_t close) {
    std::vector<AsmOperand> operands;
    for (int section = 0; i < close; ++i) {
        if (source[i] == ":" || source[i] == "::") section += static_cast<int>(source[i].size());
        if (section < 1 || section > 2 || !source.is_literal(i)) continue;
        std::size_t open = i;
        while (source.is_literal(open)) ++open;
        const std::size_t end = source.partner(open);
        if (source[open] != "(" || end == Source::none) continue;
        operands.push_back({unquoted(source, i, open), edits.join(open + 1, end)});
        i = end;
    }
    return operands;
}

/// A call that g++ refuses if it makes code for it, at this place. (In a function that is not inlined, so that the
/// message does not list the calls around it.)
std::string error_for(const std::string& not_simulated, const Location& place, std::size_t number) {
    const std::string function = "inline_ptx_" + std::to_string(number);
    return "[]() __attribute__((noinline)) { void " + function +
           "() __attribute__((error(\"not simulated: " + quoted(not_simulated) + "\")));\n# " +
           std::to_string(place.line) + " \"" + std::string(place.file) + "\"\n" + std::string(place.column - 1, ' ') +
           function + "(); }()";
}

}  // namespace

void rewrite_inline_assembly(const Source& source, const ExecutionSpaces& spaces, bool permits_any, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != "asm" && source[i] != "__asm__" && source[i] != "__asm") continue;
        std::size_t open = i + 1;
        while (source[open] == "volatile" || source[open] == "__volatile__") ++open;
        const std::size_t close = source.partner(open);
        if (source[open] != "(" || close == Source::none) continue;
        std::size_t behind_text = open + 1;
        while (source.is_literal(behind_text)) ++behind_text;
        const std::string whole = unquoted(source, open + 1, behind_text), text = without_comments(whole);
        const std::vector<std::string_view> instructions = instructions_of(text);
        const bool is_only_device = spaces.is_device_only(i);
        if (!is_only_device && !is_ptx(text) && std::none_of(instructions.begin(), instructions.end(), is_ptx_word))
            continue;

        // At behind_text: `:` "=r" ( lvalue )
        const std::string name = special_register(text), calls = calls_for(instructions);
        const std::size_t lvalue = behind_text + 2;
        if (instructions.empty()) {
            if (!whole.empty()) edits.replace(open + 1, behind_text, "\"\"");
        } else if (is_known_register(name) && source[behind_text] == ":" && source[lvalue] == "(") {
            const std::size_t end = source.partner(lvalue) + 1;
            edits.replace(i, close + 1, edits.join(lvalue, end) + " = ::simt::special_register::" + name + "()");
        } else if (!calls.empty()) {
            edits.replace(i, close + 1, calls);
        } else {
            const TranslatedPtx ptx = translate_ptx(text, operands_of(source, edits, behind_text, close));
            if (!ptx.code.empty()) {
                edits.replace(i, close + 1, ptx.code);
            } else if (permits_any) {
                if (!source.in_system_header(i)) {
                    edits.warn(i, "inline PTX is not simulated: " + ptx.not_simulated +
                                      "; the kernel ends with an error when it gets here");
                }
                edits.replace(i, close + 1, "::simt::unsupported_assembly(\"" + quoted(whole) + "\")");
            } else {
                edits.replace(i, close + 1, error_for(ptx.not_simulated, source.locate(source.token(i).begin), i));
            }
        }
        i = close;
    }
}

}  // namespace simcc
