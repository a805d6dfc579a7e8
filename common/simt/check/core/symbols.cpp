// SPDX-License-Identifier: MIT
#include "common/simt/check/core/symbols.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <utility>

#if __has_include(<backtrace.h>)
#include <backtrace.h>
#define SIMT_HAS_LIBBACKTRACE 1
#endif

namespace simt::check {

// ---- what simcc has written into checked code

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

enum class Mark { branch, place, work };

#if defined(__x86_64__)
constexpr size_t mark_bytes = 7;
// nopl distance(%rax), nopl distance(%rbx), nopl counts(%rcx)
bool read_mark(uintptr_t code, Mark kind, uintptr_t& distance) {
    unsigned char bytes[mark_bytes];
    std::memcpy(bytes, reinterpret_cast<const void*>(code), sizeof bytes);
    const unsigned char third = kind == Mark::branch ? 0x80 : kind == Mark::place ? 0x83 : 0x81;
    if (bytes[0] != 0x0f || bytes[1] != 0x1f || bytes[2] != third) return false;
    uint32_t number = 0;
    std::memcpy(&number, bytes + 3, sizeof number);
    distance = number;
    return number < uint32_t{1} << 31;
}
constexpr unsigned bits_of_work[] = {9, 9, 8, 6};
#elif defined(__aarch64__)
constexpr size_t mark_bytes = 4;
// movz xzr, #distance / 4 and movn xzr, #distance / 4, the number in bits 5 to 22; movz wzr, #counts, in bits 5 to 20
bool read_mark(uintptr_t code, Mark kind, uintptr_t& distance) {
    uint32_t instruction = 0;
    std::memcpy(&instruction, reinterpret_cast<const void*>(code), sizeof instruction);
    distance = uintptr_t{instruction >> 5 & 0x3ffff} * (kind == Mark::work ? 1 : 4);
    return (instruction & 0xff80001f) == (kind == Mark::branch  ? 0xd280001f
                                          : kind == Mark::place ? 0x9280001f
                                                                : 0x5280001f);
}
constexpr unsigned bits_of_work[] = {6, 5, 3, 2};
#else
constexpr size_t mark_bytes = 1;
bool read_mark(uintptr_t, Mark, uintptr_t&) { return false; }
constexpr unsigned bits_of_work[] = {8, 8, 8, 8};
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

WorkMark work_mark_at(uintptr_t code) {
    uintptr_t number = 0;
    for (const Mark other : {Mark::branch, Mark::place})
        if (read_mark(code, other, number)) code += mark_bytes;
    if (!read_mark(code, Mark::work, number)) return {};
    WorkMark mark;
    mark.is_known = true;
    unsigned position = 0, which = 0;
    for (unsigned* const count : {&mark.integer, &mark.single, &mark.double_, &mark.special}) {
        const unsigned bits = bits_of_work[which++];
        *count = number >> position & ((1u << bits) - 1);
        position += bits;
    }
    return mark;
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

// ---- debug information

std::string demangled(const char* name) {
    if (std::strncmp(name, "_Z", 2) != 0) return name;  // by itself "v" would be the type void
    int status = 0;
    char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    const std::string result = status == 0 && text ? text : name;
    std::free(text);
    return result.substr(0, result.find(" [clone"));
}

namespace {

std::string without_folder(const std::string& path) { return path.substr(path.rfind('/') + 1); }

#ifdef SIMT_HAS_LIBBACKTRACE

// Code that the programmer did not write: the simulator, built or installed, and system headers.
bool is_foreign(const std::string& path) {
    constexpr const char* folders[] = {"common/simt/", "lib/gridutils/include/", "/usr/include/", "/usr/lib/",
                                       "/include/c++/"};
    for (const char* folder : folders) {
        if (path.find(folder) != std::string::npos) return true;
    }
    return false;
}

Frame make_frame(const char* file, int line, const char* function) {
    Frame frame;
    const std::string& path = frame.path = file ? file : "";
    frame.function = function ? demangled(function) : "";
    frame.file = without_folder(path);
    frame.line = static_cast<unsigned>(line);
    frame.is_simulator = path.empty() || is_foreign(path);
    frame.is_launch = frame.is_simulator && frame.file == "launch.hpp" &&
                      (frame.function.rfind("call<", 0) == 0 || frame.function.find("::call<") != std::string::npos);
    const bool is_variadic_lambda = function && std::strstr(function, "UlDpOT_E") != nullptr;
    frame.is_statement = is_variadic_lambda || frame.function.rfind("operator()<", 0) == 0;
    return frame;
}

void ignore_error(void*, const char*, int) {}

int add_frame(void* data, uintptr_t, const char* file, int line, const char* function) {
    if (file || function) static_cast<Symbol*>(data)->frames.push_back(make_frame(file, line, function));
    return 0;
}

struct FunctionStart {
    const char* name = nullptr;
    uintptr_t address = 0;
};

void note_function(void* data, uintptr_t, const char* name, uintptr_t address, uintptr_t) {
    *static_cast<FunctionStart*>(data) = {name, address};
}

int count_loaded(dl_phdr_info* module, size_t, void* count) {
    *static_cast<unsigned long long*>(count) = module->dlpi_adds;
    return 1;
}

// libbacktrace reads the modules that are loaded when it starts; after a dlopen() it starts again.
backtrace_state* current_state() {
    static backtrace_state* state = nullptr;
    static unsigned long long modules_read = 0;
    unsigned long long modules = 0;
    dl_iterate_phdr(count_loaded, &modules);
    if (!state || modules != modules_read) state = backtrace_create_state(nullptr, 0, ignore_error, nullptr);
    modules_read = modules;
    return state;
}

void look_up(uintptr_t address, Symbol& symbol) {
    backtrace_state* const state = current_state();
    if (!state) return;
    backtrace_pcinfo(state, address, add_frame, ignore_error, &symbol);
    FunctionStart start;
    backtrace_syminfo(state, address, note_function, ignore_error, &start);
    if (start.address) symbol.function_offset = address + 1 - start.address;
    symbol.has_debug_lines =
        std::any_of(symbol.frames.begin(), symbol.frames.end(), [](const Frame& frame) { return frame.line > 0; });
    // Debug information often names the outermost function without its parameters; the symbol table has them.
    if (start.name && symbol.frames.empty()) symbol.frames.push_back(make_frame(nullptr, 0, start.name));
    if (start.name && !symbol.frames.empty() && demangled(start.name) != start.name) {
        symbol.frames.back().function = demangled(start.name);
    }
}

#else

void look_up(uintptr_t, Symbol&) {}

#endif

// Without debug information, what simcc has marked: lines, but only the outermost function's name. That is a kernel
// inlined into the simulator's launch, or the function in the symbol table.
void add_marked(uintptr_t pc, Symbol& symbol) {
    const PlaceMark mark = place_mark_at(pc);
    if (!mark.is_known) return;
    symbol.function = mark.function;
    symbol.lacks_lines_of = symbol.module;
    symbol.in_launch_statement = mark.in_launch_statement;
    symbol.in_system_header = mark.in_system_header;
    if (mark.lines.empty()) return;
    const std::string outermost = symbol.frames.empty() ? "" : symbol.frames.back().function;
    symbol.frames.clear();
    for (const MarkedLine& place : mark.lines) {
        Frame frame;
        frame.path = place.path;
        frame.file = without_folder(place.path);
        frame.line = place.line;
        symbol.frames.push_back(std::move(frame));
    }
    const bool is_launch = outermost.find("simt::") != std::string::npos || outermost.rfind("_ZN4simt", 0) == 0;
    symbol.frames.back().function = !mark.kernel.empty() ? demangled(mark.kernel.c_str()) : is_launch ? "" : outermost;
}

// A launch statement that is not inlined into the launch: simcc's function has any number of parameters, and a name that
// not every library can demangle.
bool is_launch_statement(const std::string& function) {
    const bool is_mangled = function.find("UlDpOT_E") != function.npos;
    return is_mangled || function.rfind("decltype ((void)(", 0) == 0;
}

bool is_api_function(const std::string& function) {
    return function.rfind("cuda", 0) == 0 || function.find(" cuda") != std::string::npos ||
           function.find("simt::") != std::string::npos;
}

std::string describe(const Frame& frame, const Symbol& symbol) {
    char place[32];
    std::snprintf(place, sizeof place, "[0x%zx]", static_cast<size_t>(symbol.module_offset));
    std::string text = "Host Frame: ";
    if (!frame.function.empty()) text += frame.function + " ";
    if (frame.line > 0) text += "in " + frame.file + ":" + std::to_string(frame.line) + " ";
    return text + place + " in " + symbol.module;
}

}  // namespace

const Symbol& symbol_of(const void* pc) {
    static std::mutex mutex;
    static auto& known = *new std::unordered_map<const void*, Symbol>;
    const std::lock_guard lock(mutex);
    const auto [position, is_new] = known.try_emplace(pc);
    Symbol& symbol = position->second;
    if (!is_new) return symbol;
    const uintptr_t inside_call = reinterpret_cast<uintptr_t>(pc) - 1;  // the line of the call, not the next one
    Dl_info module;
    if (dladdr(pc, &module)) {
        symbol.module = without_folder(module.dli_fname ? module.dli_fname : "");
        symbol.module_offset = inside_call + 1 - reinterpret_cast<uintptr_t>(module.dli_fbase);
    }
    look_up(inside_call, symbol);
    if (!symbol.has_debug_lines) add_marked(inside_call + 1, symbol);
    if (symbol.has_debug_lines) {
        const Frame& innermost = symbol.frames.front();
        symbol.in_launch_statement = innermost.is_statement;
        symbol.in_system_header =
            innermost.path.rfind('/', 0) == 0 && innermost.path.find("/include/") != std::string::npos;
    }
    return symbol;
}

std::string note_on_missing_lines(const std::string& module) {
    static std::atomic<bool> is_said = false;
    if (module.empty() || is_said.exchange(true)) return "";
    return module + " has no debug information, so some functions and lines are unknown; for all of them, " +
           "install its debug file beside it (make install DEBUG=1), or run the program from its build folder";
}

std::vector<Frame> device_frames(const Symbol& symbol) {
    std::vector<Frame> frames;
    for (const Frame& frame : symbol.frames) {
        if (frame.is_launch) {
            // The launch statement is itself a function, which calls the kernel.
            if (frames.size() > 1 && frames.back().is_statement) frames.pop_back();
            break;
        }
        if (!frame.is_simulator) frames.push_back(frame);
    }
    if (frames.size() > 1 && is_launch_statement(frames.back().function)) frames.pop_back();
    return frames;
}

std::vector<const void*> host_backtrace() {
    constexpr int deepest = 24;
    void* addresses[deepest];
    const int count = backtrace(addresses, deepest);
    return std::vector<const void*>(addresses + 1, addresses + std::max(count, 1));
}

std::string api_function(const std::vector<const void*>& backtrace) {
    std::string function;
    for (const void* pc : backtrace) {
        for (const Frame& frame : symbol_of(pc).frames) {
            if (!frame.is_simulator) return function;
            if (frame.function.rfind("simt::submit", 0) == 0) function = "cudaLaunchKernel";
            // The API functions have other names for the linker, so that they can coexist with a toolkit's.
            std::string name = frame.function.substr(frame.function.rfind("simt_", 0) == 0 ? 5 : 0);
            if (name.rfind("cudaError ", 0) == 0) name.erase(0, std::strlen("cudaError "));
            if (name.rfind("cuda", 0) == 0) function = name.substr(0, name.find_first_of("(<"));
        }
    }
    return function;
}

// What surrounds the kernels of our own programs: from main() to the launch. And what turns a lambda into a pointer.
static bool is_scaffolding(const Frame& frame) {
    for (const char* folder : {"common/cli/", "common/measure/", "common/gang/"}) {
        if (frame.path.find(folder) != std::string::npos) return true;
    }
    return frame.function == "_FUN" || frame.function.find("::_FUN(") != std::string::npos;
}

std::vector<std::string> describe_backtrace(const std::vector<const void*>& backtrace) {
    std::vector<std::string> lines;
    for (const void* pc : backtrace) {
        const Symbol& symbol = symbol_of(pc);
        for (const Frame& frame : symbol.frames) {
            if (frame.function.rfind("__libc_start", 0) == 0) return lines;  // main() has lost its name
            const bool on_the_way_in = frame.is_simulator || is_api_function(frame.function);
            if (lines.empty() && on_the_way_in) continue;
            if (!frame.is_simulator && !is_scaffolding(frame)) lines.push_back(describe(frame, symbol));
            if (frame.function == "main") return lines;
        }
    }
    return lines;
}

}  // namespace simt::check
#ifdef SIMT_HAS_LIBBACKTRACE
#undef SIMT_HAS_LIBBACKTRACE
#endif
