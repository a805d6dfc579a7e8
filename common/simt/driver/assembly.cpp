#include "common/simt/driver/assembly.hpp"

#include <algorithm>
#include <vector>

namespace simcc {
namespace {

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

/// The role of a line of assembly in a basic block.
enum class Role { entry, branch, end, other };

Role role_of(std::string_view line) {
    if (starts_with(line, "\tcall\t__sanitizer_cov_trace_pc")) return Role::entry;
    if (starts_with(line, "\tjmp\t*") || starts_with(line, "\tnotrack jmp\t*")) return Role::branch;
    for (const std::string_view end : {"\tjmp\t", "\tret", "\t.cfi_endproc"}) {
        if (starts_with(line, end)) return Role::end;
    }
    return starts_with(line, "\tj") ? Role::branch : Role::other;
}

/// Where the symbol begins in a line that calls operator delete, plain or with a size; npos in others.
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

std::string mark_branches(std::string_view assembly) {
#ifndef __x86_64__
    return std::string(assembly);
#endif
    constexpr std::size_t none = ~std::size_t{0};
    const std::vector<std::string_view> lines = lines_of(assembly);
    // For each line that enters a block, the last jump of that block; and for each such jump, the block's line.
    std::vector<std::size_t> jump_of(lines.size(), none), entry_of(lines.size(), none);
    std::size_t entry = none, jump = none;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const Role role = role_of(lines[i]);
        if (role == Role::branch) jump = i;
        if ((role == Role::entry || role == Role::end || i + 1 == lines.size()) && entry != none && jump != none) {
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
        if (entry_of[i] != none) marked += ".Lsimt_branch" + std::to_string(entry_of[i]) + ":\n";
        marked += lines[i];
        if (jump_of[i] == none) continue;
        const std::string number = std::to_string(i);
        marked += ".Lsimt_block" + number + ":\n\t.byte 0x0f, 0x1f, 0x80\n\t.long .Lsimt_branch" + number +
                  " - .Lsimt_block" + number + "\n";
    }
    return marked;
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

}  // namespace simcc
