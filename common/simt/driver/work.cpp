// SPDX-License-Identifier: MIT
// Records how much work a basic block is: the instructions that its part of the program needs, by class.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/driver/assembly.hpp"

namespace simcc {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// An instruction's name and operands, as in "\taddss\t(%rbx), %xmm1"; no name in lines that are not instructions.
struct Instruction {
    std::string_view name, operands;
};

Instruction instruction_of(std::string_view line) {
    if (line.size() < 2 || line[0] != '\t' || line[1] == '.' || line[1] == '#') return {};
    line = line.substr(1, line.size() - 1 - (line.back() == '\n'));
    const std::size_t end = line.find('\t');
    if (end == std::string_view::npos) return {line, {}};
    return {line.substr(0, end), line.substr(end + 1)};
}

/// What a GPU executes for an operation: instructions of all kinds, and those of its double-precision and special units.
struct Expansion {
    unsigned all = 0, doubles = 0, specials = 0;
};

/// What a block has so far. A GPU fuses a multiplication and an addition, so they are counted apart.
struct BlockWork {
    unsigned integer = 0, special = 0;
    unsigned additions[2] = {}, products[2] = {};  // of 32 and 64 bits
    bool indexes_locals = false;                   // local arrays of known size

    unsigned floating(int kind) const { return std::max(additions[kind], products[kind]); }
    void add(const Expansion& operation) {
        for (unsigned* amounts : {additions, products}) {
            amounts[0] += operation.all - operation.doubles - operation.specials;
            amounts[1] += operation.doubles;
        }
        special += operation.specials;
    }
};

// As ncu counts them on an H200 for code of nvcc 13 (one call per thread, without the slow path of large arguments, less
// a kernel that only adds).
constexpr Expansion divided_single = {9, 0, 2}, divided_double = {15, 7, 1}, root_single = {10, 0, 1},
                    root_double = {18, 8, 1}, divided_integer = {21, 0, 3}, divided_long = {25, 0, 3};

struct Function {
    std::string_view name;  ///< of the host's mathematical library, for doubles; with an f at its end for floats
    Expansion of_double, of_float;
};
constexpr Function functions[] = {
    {"acos", {67, 23, 0}, {26, 0, 1}},    {"asin", {61, 21, 0}, {25, 0, 1}},   {"atan", {81, 28, 1}, {19, 0, 1}},
    {"atan2", {107, 38, 1}, {40, 0, 2}},  {"cbrt", {44, 13, 6}, {16, 0, 2}},   {"cos", {46, 16, 2}, {29, 0, 1}},
    {"cosh", {61, 21, 1}, {16, 0, 3}},    {"erf", {123, 42, 5}, {30, 0, 1}},   {"erfc", {162, 62, 2}, {48, 0, 4}},
    {"exp", {49, 15, 0}, {9, 0, 1}},      {"exp10", {55, 17, 0}, {9, 0, 1}},   {"exp2", {48, 16, 0}, {4, 0, 1}},
    {"expm1", {65, 19, 0}, {29, 0, 2}},   {"fmod", {20, 1, 0}, {9, 0, 0}},     {"hypot", {43, 14, 1}, {24, 0, 1}},
    {"lgamma", {136, 44, 1}, {47, 0, 0}}, {"log", {84, 30, 1}, {28, 0, 0}},    {"log10", {90, 32, 1}, {29, 0, 0}},
    {"log1p", {66, 26, 1}, {26, 0, 0}},   {"log2", {90, 32, 1}, {30, 0, 0}},   {"pow", {193, 85, 1}, {87, 0, 4}},
    {"sin", {45, 16, 2}, {28, 0, 1}},     {"sincos", {91, 32, 4}, {57, 0, 2}},  // (as both)
    {"sinh", {32, 9, 0}, {25, 0, 3}},     {"tan", {77, 24, 2}, {25, 0, 2}},    {"tanh", {54, 17, 2}, {17, 0, 2}},
    {"tgamma", {99, 32, 1}, {32, 0, 2}},
};

/// Of a function of the mathematical library; null if the symbol is none.
const Expansion* expansion_of(std::string_view symbol) {
    symbol = symbol.substr(0, symbol.find('@'));
    for (const Function& function : functions) {
        if (symbol == function.name) return &function.of_double;
        if (symbol.ends_with('f') && symbol.substr(0, symbol.size() - 1) == function.name) return &function.of_float;
    }
    return nullptr;
}

// ---- x86-64

/// Whether both operands are registers or the compiler's own places on the stack, so that nothing is computed.
bool only_moves(std::string_view operands) {
    const std::size_t comma = operands.rfind(", ");
    return comma != std::string_view::npos && operands.find('(') == std::string_view::npos;
}

void count_on_x86(const Instruction& at, BlockWork& work) {
    std::string_view name = at.name;
    if (name == "call") {
        if (const Expansion* const function = expansion_of(at.operands)) work.add(*function);
        return;
    }
    if (is_one_of(name, {"push", "pushq", "pop", "popq", "ret", "leave", "nop", "nopl", "nopw", "jmp", "cltq", "cqto",
                         "cltd", "endbr64", "ud2"}))
        return;
    if (name.starts_with("mov")) {  // a conversion of width is free or an instruction; a move is neither
        work.integer += name.starts_with("movzb") || name.starts_with("movzw");
        return;
    }
    if (name.starts_with("xor") && only_moves(at.operands)) {  // of a register with itself: zero
        const std::size_t comma = at.operands.find(", ");
        if (at.operands.substr(0, comma) == at.operands.substr(comma + 2)) return;
    }
    if ((name.starts_with("sub") || name.starts_with("add")) && at.operands.ends_with("%rsp")) return;
    if (name.size() > 2 && name[0] == 'v' && name != "verr") name.remove_prefix(1);
    const bool is_single = name.ends_with("ss") || name.ends_with("ps"),
               is_double = name.ends_with("sd") || name.ends_with("pd");
    if (name.starts_with("sqrt") || name.starts_with("rcp") || name.starts_with("rsqrt"))
        return work.add(is_double ? root_double : root_single);
    if (name.starts_with("div") && (is_single || is_double))
        return work.add(is_double ? divided_double : divided_single);
    if (name.starts_with("div") || name.starts_with("idiv"))
        return work.add(name.ends_with('q') ? divided_long : divided_integer);
    if ((is_single || is_double) && !name.starts_with("cvt")) {
        const bool is_product = name.starts_with("mul");
        (is_product ? work.products : work.additions)[is_double] += 1;
        if (name.starts_with("fm")) work.products[is_double] += 1;
        return;
    }
    ++work.integer;
}

// ---- AArch64

void count_on_arm(const Instruction& at, BlockWork& work) {
    const std::string_view name = at.name;
    if (name == "bl") {
        if (const Expansion* const function = expansion_of(at.operands)) work.add(*function);
        return;
    }
    if (is_one_of(name, {"b",   "br",  "blr", "ret", "nop",  "mov",  "movk", "movz", "movn",  "adrp", "adr",
                         "ldp", "stp", "ldr", "str", "ldrb", "strb", "ldrh", "strh", "ldrsw", "fmov", "hint"}))
        return;
    const bool is_double = at.operands.starts_with("d"), is_single = at.operands.starts_with("s");
    if (name == "fdiv") {
        work.add(is_double ? divided_double : divided_single);
    } else if (name == "fsqrt") {
        work.add(is_double ? root_double : root_single);
    } else if (is_one_of(name, {"sdiv", "udiv"})) {
        work.add(at.operands.starts_with("x") ? divided_long : divided_integer);
    } else if (name.size() > 1 && name[0] == 'f' && !name.starts_with("fcvt") && (is_single || is_double)) {
        const bool is_product = name.starts_with("fmul") || name.starts_with("fnmul");
        (is_product ? work.products : work.additions)[is_double] += 1;
        if (name.starts_with("fmadd") || name.starts_with("fmsub")) work.products[is_double] += 1;
    } else {
        ++work.integer;
    }
}

/// A no-op that holds the counts. On x86-64: nopl counts(%rcx), of 9, 9, 8 and 6 bits. On AArch64: mov wzr, #counts,
/// of 6, 5, 3 and 2 bits. (check/core/symbols.cpp decodes it.)
std::string mark(const BlockWork& work, bool is_arm) {
    // nvcc unrolls a loop over a local array, so that its elements are registers and no index is left.
    const unsigned counts[] = {work.indexes_locals ? 0 : work.integer, work.floating(0), work.floating(1),
                               work.special};
    const unsigned bits_on_x86[] = {9, 9, 8, 6}, bits_on_arm[] = {6, 5, 3, 2};
    unsigned packed = 0, position = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned bits = (is_arm ? bits_on_arm : bits_on_x86)[i];
        packed |= std::min(counts[i], (1u << bits) - 1) << position;
        position += bits;
    }
    if (is_arm) return "\t.long 0x5280001f + " + std::to_string(packed) + " * 32\n";
    return "\t.byte 0x0f, 0x1f, 0x81\n\t.long " + std::to_string(packed) + "\n";
}

bool is_mark(std::string_view line) {
    return line.starts_with(".Lsimt_") || line.starts_with("\t.byte 0x0f, 0x1f, 0x8") || line.starts_with("\t.long ");
}

}  // namespace

// Where the call of the handler is, if a conditional jump at line `i` jumps over it: the check of an array's index, which
// no GPU makes. 0: it is another jump.
std::size_t end_of_bounds_check(const std::vector<std::string_view>& lines, std::size_t i) {
    constexpr std::size_t farthest = 12;
    for (std::size_t k = i + 1; k < std::min(lines.size(), i + farthest); ++k) {
        if (lines[k].find("\t__ubsan_handle_out_of_bounds") != std::string_view::npos) return k;
        if (lines[k].starts_with(".L") && !lines[k].starts_with(".Lsimt_")) return 0;
    }
    return 0;
}

std::string mark_work(std::string_view assembly) {
    const std::vector<std::string_view> lines = lines_of(assembly);
    std::vector<BlockWork> blocks;
    std::vector<std::size_t> mark_after(lines.size(), 0);  // the block whose mark follows a line, counted from 1
    SourceFiles files;
    bool is_inside = false, is_arm = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        files.read(lines[i]);
        const Role role = role_of(lines[i]);
        if (role == Role::end) is_inside = false;
        if (role == Role::entry) {
            blocks.emplace_back();
            is_inside = true;
            is_arm = lines[i].starts_with("\tbl\t");
            std::size_t last = i;
            while (last + 1 < lines.size() && is_mark(lines[last + 1])) ++last;
            mark_after[last] = blocks.size();
        } else if (const std::size_t end = role == Role::branch ? end_of_bounds_check(lines, i) : 0; end > 0) {
            if (is_inside) blocks.back().indexes_locals = true;
            i = end;
        } else if (is_inside && !files.is_emulation()) {
            const Instruction instruction = instruction_of(lines[i]);
            if (instruction.name.empty()) continue;
            const unsigned integer = blocks.back().integer;
            (is_arm ? count_on_arm : count_on_x86)(instruction, blocks.back());
            if (files.is_foreign()) blocks.back().integer = integer;  // how it calls, not what it computes
        }
    }
    std::string marked;
    marked.reserve(assembly.size() + assembly.size() / 16);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        marked += lines[i];
        if (mark_after[i] > 0) marked += mark(blocks[mark_after[i] - 1], is_arm);
    }
    return marked;
}

}  // namespace simcc
