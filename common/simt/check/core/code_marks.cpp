// SPDX-License-Identifier: MIT
#include "common/simt/check/core/code_marks.hpp"

#include <link.h>

#include <algorithm>
#include <cstring>

namespace simt::check {
namespace {

// A loaded part of the program or of one of its libraries.
struct Segment {
    uintptr_t begin = 0, end = 0;
    bool contains(uintptr_t address, size_t bytes) const { return address >= begin && address + bytes <= end; }
};

// What an address has been found in: the code, and the module's parts that can be read.
struct Module {
    uintptr_t address = 0;
    Segment code;
    std::vector<Segment> readable;
};

int find_module(dl_phdr_info* module, size_t, void* data) {
    auto& wanted = *static_cast<Module*>(data);
    std::vector<Segment> readable;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
        const auto& part = module->dlpi_phdr[i];
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_R)) continue;
        const uintptr_t begin = module->dlpi_addr + part.p_vaddr;
        const Segment segment{begin, begin + part.p_filesz};
        readable.push_back(segment);
        if ((part.p_flags & PF_X) && segment.contains(wanted.address, 1)) wanted.code = segment;
    }
    if (wanted.code.end == 0) return 0;
    wanted.readable = std::move(readable);
    return 1;
}

Module module_of(uintptr_t address) {
    Module module;
    module.address = address;
    dl_iterate_phdr(find_module, &module);
    return module;
}

enum class Mark { branch, place };

#if defined(__x86_64__)
constexpr size_t mark_bytes = 7;
// nopl distance(%rax), nopl distance(%rbx)
bool read_mark(uintptr_t code, Mark kind, uintptr_t& distance) {
    unsigned char bytes[mark_bytes];
    std::memcpy(bytes, reinterpret_cast<const void*>(code), sizeof bytes);
    if (bytes[0] != 0x0f || bytes[1] != 0x1f || bytes[2] != (kind == Mark::branch ? 0x80 : 0x83)) return false;
    uint32_t number = 0;
    std::memcpy(&number, bytes + 3, sizeof number);
    distance = number;
    return number < uint32_t{1} << 31;
}
#elif defined(__aarch64__)
constexpr size_t mark_bytes = 4;
// movz xzr, #distance / 4 and movn xzr, #distance / 4, the number in bits 5 to 22
bool read_mark(uintptr_t code, Mark kind, uintptr_t& distance) {
    uint32_t instruction = 0;
    std::memcpy(&instruction, reinterpret_cast<const void*>(code), sizeof instruction);
    distance = uintptr_t{instruction >> 5 & 0x3ffff} * 4;
    return (instruction & 0xff80001f) == (kind == Mark::branch ? 0xd280001f : 0x9280001f);
}
#else
constexpr size_t mark_bytes = 1;
bool read_mark(uintptr_t, Mark, uintptr_t&) { return false; }
#endif

// As driver/places.cpp writes it. Distances are from the record itself.
struct Record {
    int32_t file;    // 0: the code is the simulator's
    uint32_t line;   // with the flags below
    int32_t caller;  // the record of the place that this code was inlined at; 0: none
    int32_t function;
};
constexpr uint32_t line_mask = (1u << 28) - 1, in_launch_statement = 1u << 28, in_system_header = 1u << 29;

bool can_read(const Module& module, uintptr_t address, size_t bytes) {
    return std::any_of(module.readable.begin(), module.readable.end(),
                       [=](const Segment& segment) { return segment.contains(address, bytes); });
}

// The text at this address; none if it is not in the module.
std::string text_at(const Module& module, uintptr_t address) {
    std::string text;
    for (; can_read(module, address, 1); ++address) {
        const char c = *reinterpret_cast<const char*>(address);
        if (c == '\0') return text;
        text += c;
    }
    return "";
}

// The records of a function begin with the distance to the name of the kernel that is inlined into it, or 0.
std::string kernel_of(const Module& module, uintptr_t records) {
    int32_t name = 0;
    if (!module.code.contains(records, sizeof name)) return "";
    std::memcpy(&name, reinterpret_cast<const void*>(records), sizeof name);
    return name == 0 ? "" : text_at(module, records + name);
}

PlaceMark read_records(const Module& module, uintptr_t address) {
    constexpr int deepest = 1000;
    PlaceMark mark;
    for (int depth = 0; depth < deepest; ++depth) {
        Record record;
        if (!module.code.contains(address, sizeof record)) return {};
        std::memcpy(&record, reinterpret_cast<const void*>(address), sizeof record);
        if (depth == 0) {
            mark.is_known = true;
            mark.function = address + record.function;
            mark.kernel = kernel_of(module, mark.function);
            mark.in_launch_statement = record.line & in_launch_statement;
            mark.in_system_header = record.line & in_system_header;
        }
        if (record.file != 0) {
            mark.lines.push_back({text_at(module, address + record.file), record.line & line_mask});
        }
        if (record.caller == 0) break;
        address += record.caller;
    }
    return mark;
}

}  // namespace

BranchMark branch_mark_at(uintptr_t code) {
    uintptr_t distance = 0;
    if (!read_mark(code, Mark::branch, distance)) return {};
    return {true, distance == 0 ? 0 : code + distance + 1};
}

// A call's mark is behind it, after that of a branch; a jump's is ahead of it.
PlaceMark place_mark_at(uintptr_t pc) {
    const Module module = module_of(pc);
    const auto read = [&](uintptr_t code, Mark kind, uintptr_t& distance) {
        return module.code.contains(code, mark_bytes) && read_mark(code, kind, distance);
    };
    uintptr_t distance = 0;
    uintptr_t code = read(pc, Mark::branch, distance) ? pc + mark_bytes : pc;
    if (!read(code, Mark::place, distance)) code = pc - 1 - mark_bytes;
    if (!read(code, Mark::place, distance)) return {};
    return read_records(module, code + distance);
}

}  // namespace simt::check
