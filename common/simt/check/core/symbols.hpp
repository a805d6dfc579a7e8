// SPDX-License-Identifier: MIT
// Maps code addresses to functions, files and lines using the debug information of the executable and its libraries,
// in them or in files beside. It uses libbacktrace, which ships with g++. Without it, or in a stripped program, checked
// code still has the lines that simcc has marked (below).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt::check {

/// One function at one place. Inlined code belongs to several.
struct Frame {
    std::string function;  ///< demangled: "tile(float const*, float*, int)"
    std::string file;      ///< without its folder
    std::string path;      ///< with it
    unsigned line = 0;
    bool is_simulator = false;  ///< in the simulator's own code or headers, or in the C++ library's
    bool is_launch = false;     ///< the simulator's call of a kernel
    bool is_statement = false;  ///< the launch statement: the lambda [](auto&&...) that simcc makes of it
};

struct Symbol {
    std::vector<Frame> frames;  ///< innermost first; empty if nothing is known
    std::string module;         ///< the executable or library, without its folder
    uintptr_t module_offset = 0;
    uintptr_t function_offset = 0;
    uintptr_t function = 0;  ///< a number of the function, if debug information is missing
    /// Whether the place is in a header that the programmer did not write, such as a toolkit's. Headers for host and
    /// device have some tables twice, and the simulator, which compiles for the host, sees the host's copy.
    bool in_system_header = false;
    bool in_launch_statement = false;  ///< in the code that passes the arguments to the kernel
    bool has_debug_lines = false;      ///< debug information names the lines
    std::string lacks_lines_of;  ///< the module of checked code if it has been stripped of debug information, else ""
};

/// `pc`: a return address. The result stays valid.
const Symbol& symbol_of(const void* pc);

/// The name of a function or a variable as in the source, with a function's parameters.
std::string demangled(const char* name);

/// What is missing in a report that names places of this module, Symbol::lacks_lines_of, and the remedy. Empty if
/// nothing is missing, or if it has been said before.
std::string note_on_missing_lines(const std::string& module);

/// The call path in a kernel, from the program's innermost function out to the kernel itself.
std::vector<Frame> device_frames(const Symbol& symbol);

/// The callers of the calling function, innermost first: return addresses.
std::vector<const void*> host_backtrace();

/// The runtime API function that the program called: "cudaMalloc"; "cudaLaunchKernel" for <<<>>>; "" if the program has
/// no symbols.
std::string api_function(const std::vector<const void*>& backtrace);

/// "Host Frame: main in a.cu:12 [0x1234] in a.out" for each function of the program, out to main(), without what
/// surrounds the kernels of our own programs.
std::vector<std::string> describe_backtrace(const std::vector<const void*>& backtrace);

// ---- what simcc has written into checked code

// These are no-ops that say where a basic block's branch is and which lines of the
// source a place belongs to. They are there whatever debug information the program has. driver/assembly.cpp and
// driver/places.cpp write them.

/// The branch at the end of the basic block whose report returns to `code`.
struct BranchMark {
    bool is_known = false;
    uintptr_t address = 0;  ///< as a return address; 0: the block has none that counts
};
BranchMark branch_mark_at(uintptr_t code);

/// How many instructions a basic block has whose report returns to `code`, by class, without accesses and calls.
struct WorkMark {
    bool is_known = false;
    unsigned integer = 0, single = 0, double_ = 0;  ///< a multiplication and an addition count once
    unsigned special = 0;                           ///< divisions, roots and mathematical functions
};
WorkMark work_mark_at(uintptr_t code);

struct MarkedLine {
    std::string path;
    unsigned line = 0;
};

/// The place of a call or a jump in the program's own source.
struct PlaceMark {
    bool is_known = false;
    std::vector<MarkedLine> lines;  ///< from the innermost function out to the kernel; none in the simulator's own code
    bool in_launch_statement = false, in_system_header = false;
    uintptr_t function = 0;  ///< a number of the function that contains the code
    std::string kernel;      ///< mangled, if that function is a launch and the kernel is inlined into it
};

/// `pc`: a return address. Any number may be asked for: what is not checked code has no mark.
PlaceMark place_mark_at(uintptr_t pc);

}  // namespace simt::check
