// SPDX-License-Identifier: MIT
#include "common/simt/driver/assembly.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace simcc {
namespace {

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool starts_with_one_of(std::string_view text, std::initializer_list<std::string_view> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return starts_with(text, prefix); });
}

bool enters_block_on_x86(std::string_view line) { return starts_with(line, "\tcall\t__sanitizer_cov_trace_pc"); }
bool enters_block_on_arm(std::string_view line) { return starts_with(line, "\tbl\t__sanitizer_cov_trace_pc"); }

/// AArch64's conditional and indirect jumps. (Other instructions begin with b, too: bic, bfi, blr.)
bool is_branch_on_arm(std::string_view line) {
    return starts_with_one_of(line,
                              {"\tbeq\t", "\tbne\t", "\tbcs\t",  "\tbhs\t", "\tbcc\t",  "\tblo\t", "\tbmi\t", "\tbpl\t",
                               "\tbvs\t", "\tbvc\t", "\tbhi\t",  "\tbls\t", "\tbge\t",  "\tblt\t", "\tbgt\t", "\tble\t",
                               "\tb.",    "\tcbz\t", "\tcbnz\t", "\ttbz\t", "\ttbnz\t", "\tbr\t"});
}

/// A no-op that encodes the distance between two labels. On x86-64: nopl distance(%rax). On AArch64: mov xzr,
/// #distance / 4, which has room for a mebibyte. (counters/results.cpp decodes it.)
std::string mark(bool is_arm, const std::string& from, const std::string& to) {
    if (is_arm) return "\t.long 0xd280001f + (" + to + " - " + from + ") * 8\n";
    return "\t.byte 0x0f, 0x1f, 0x80\n\t.long " + to + " - " + from + "\n";
}

/// Where the symbol begins in a line that calls operator delete, with or without a size; npos in other lines.
std::size_t deletes_at(std::string_view line) {
    for (const std::string_view call : {"\tcall\t", "\tbl\t"}) {
        for (const std::string_view symbol : {"_ZdlPvm", "_ZdaPvm", "_ZdlPv", "_ZdaPv"}) {
            if (!starts_with(line, call) || !starts_with(line.substr(call.size()), symbol)) continue;
            const char next = line[call.size() + symbol.size()];
            return next == '\n' || next == '@' ? call.size() : std::string_view::npos;
        }
    }
    return std::string_view::npos;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

// For either processor: no instruction that begins with j or ends a block means both.
Role role_of(std::string_view line) {
    if (enters_block_on_x86(line) || enters_block_on_arm(line)) return Role::entry;
    if (starts_with_one_of(line, {"\tjmp\t*", "\tnotrack jmp\t*"})) return Role::branch;
    if (starts_with_one_of(line, {"\tjmp\t", "\tb\t", "\tret", "\t.cfi_endproc"})) return Role::end;
    return starts_with(line, "\tj") || is_branch_on_arm(line) ? Role::branch : Role::other;
}

std::string mark_branches(std::string_view assembly) {
    constexpr std::size_t none = ~std::size_t{0};
    constexpr std::size_t most_lines = 100'000;  // of a block with a mark: far less than a mebibyte of instructions
    const std::vector<std::string_view> lines = lines_of(assembly);
    // For each line that enters a block, the last jump of that block; and for each such jump, the block's line.
    std::vector<std::size_t> jump_of(lines.size(), none), entry_of(lines.size(), none);
    std::vector<bool> is_foreign(lines.size(), false);  // of a block's entry and jump
    std::size_t entry = none, jump = none;
    SourceFiles files;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        files.read(lines[i]);
        const Role role = role_of(lines[i]);
        if (role == Role::branch) jump = i;
        is_foreign[i] = (role == Role::branch || role == Role::entry) && files.is_foreign();
        if ((role == Role::entry || role == Role::end || i + 1 == lines.size()) && entry != none && jump != none &&
            jump - entry < most_lines) {
            jump_of[entry] = jump;
            entry_of[jump] = entry;
        }
        if (role == Role::entry || role == Role::end) {
            entry = role == Role::entry ? i : none;
            jump = none;
        }
    }
    std::string marked;
    marked.reserve(assembly.size() + assembly.size() / 8);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (entry_of[i] != none && !is_foreign[i]) marked += ".Lsimt_branch" + std::to_string(entry_of[i]) + ":\n";
        marked += lines[i];
        const bool is_foreign_entry = is_foreign[i] && role_of(lines[i]) == Role::entry;
        if (jump_of[i] == none && !is_foreign_entry) continue;
        const bool counts = jump_of[i] != none && !is_foreign[jump_of[i]];
        const std::string block = ".Lsimt_block" + std::to_string(i);
        const std::string branch = counts ? ".Lsimt_branch" + std::to_string(i) : block;
        marked += block + ":\n" + mark(enters_block_on_arm(lines[i]), block, branch);
    }
    return marked;
}

std::string without_coverage(std::string_view assembly) {
    std::string result;
    result.reserve(assembly.size());
    bool is_unchecked = false;
    for (const std::string_view line : lines_of(assembly)) {
        if (starts_with(line, ".LPFE")) is_unchecked = true;
        if (starts_with(line, "\t.cfi_endproc")) is_unchecked = false;
        if (!is_unchecked || role_of(line) != Role::entry) result += line;
    }
    return result;
}

std::string with_heap_deletes(std::string_view assembly) {
    std::string result;
    result.reserve(assembly.size() + assembly.size() / 64);
    for (const std::string_view line : lines_of(assembly)) {
        const std::size_t symbol = deletes_at(line);
        result += line.substr(0, symbol);
        if (symbol != std::string_view::npos) result.append("simt").append(line.substr(symbol));
    }
    return result;
}

// ---- space between variables

namespace {

constexpr std::string_view red_zone = "\t.zero\t128\n";
/// Among constants, most of which have no symbol, the checkers know a red zone by its bytes (core/program_image.cpp).
constexpr std::string_view constant_red_zone = "\t.fill\t128, 1, 0xd5\n";

/// Whether the line switches to another section; to one for thread-local variables; to one for other variables.
bool is_section(std::string_view line) {
    return starts_with_one_of(line, {"\t.section\t", "\t.text", "\t.data", "\t.bss", "\t.previous"});
}
bool is_thread_local_section(std::string_view line) { return starts_with(line, "\t.section\t.tbss"); }
bool is_variable_section(std::string_view line) {
    return starts_with_one_of(line, {"\t.data", "\t.bss", "\t.section\t.data", "\t.section\t.bss"});
}
bool is_constant_section(std::string_view line) {
    return starts_with_one_of(line, {"\t.section\t.rodata,", "\t.section\t.rodata\n", "\t.section\t.rodata._Z"});
}

/// Whether a variable of the program follows; the compiler's own have names that begin with `.L`.
bool announces_variable(std::string_view line) {
    return starts_with(line, "\t.type\t") && !starts_with(line, "\t.type\t.L") &&
           line.find("object") != std::string_view::npos;
}

/// "\t.comm\ttable,32,16" declares a zero-initialized variable, which would be placed right next to others. Rewrites
/// such a line in the form of other variables, with a red zone.
std::string with_room_of_its_own(std::string_view common) {
    const std::size_t name = std::string_view("\t.comm\t").size();
    const std::size_t bytes = common.find(',', name) + 1, alignment = common.find(',', bytes) + 1;
    const std::string symbol(common.substr(name, bytes - 1 - name)), size(common.substr(bytes, alignment - 1 - bytes));
    return "\t.pushsection\t.bss\n" + std::string(red_zone) + "\t.balign\t" + std::string(common.substr(alignment)) +
           "\t.type\t" + symbol + ", @object\n\t.size\t" + symbol + ", " + size + "\n" + symbol + ":\n\t.zero\t" +
           size + "\n" + std::string(red_zone) + "\t.popsection\n";
}

}  // namespace

std::string with_red_zones(const std::string& assembly) {
    std::string result;
    result.reserve(assembly.size() + assembly.size() / 64);
    bool in_thread_locals = false, in_variables = false, is_local = false;
    std::string_view zone = red_zone;
    std::string_view alignment;  // of the variable that the next line announces
    for (std::size_t begin = 0; begin < assembly.size();) {
        const std::size_t newline = assembly.find('\n', begin);
        const std::size_t end = newline == std::string::npos ? assembly.size() : newline + 1;
        const std::string_view line(assembly.data() + begin, end - begin);
        begin = end;
        if (is_section(line)) {
            if (in_variables) result += zone;  // behind the last one
            in_thread_locals = is_thread_local_section(line);
            in_variables = is_variable_section(line) || is_constant_section(line);
            zone = is_constant_section(line) ? constant_red_zone : red_zone;
        }
        if (in_variables && announces_variable(line)) result += zone;
        result += alignment;
        alignment = {};
        if (in_variables && starts_with(line, "\t.align\t")) {
            alignment = line;
        } else if (is_local && starts_with(line, "\t.comm\t")) {
            result += with_room_of_its_own(line);
        } else {
            result += line;
        }
        if (in_thread_locals && starts_with(line, "\t.zero\t")) result += red_zone;
        is_local = starts_with(line, "\t.local\t");
    }
    result += alignment;
    if (in_variables) result += zone;
    return result;
}

}  // namespace simcc
