// SPDX-License-Identifier: MIT
// What simcc has written into checked code: no-ops that say where a basic block's branch is and which lines of the
// source a place belongs to. They are there whatever debug information the program has. driver/assembly.cpp and
// driver/places.cpp write them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace simt::check {

// The branch at the end of the basic block whose report returns to `code`.
struct BranchMark {
    bool is_known = false;
    uintptr_t address = 0;  // as a return address; 0: the block has none that counts
};
BranchMark branch_mark_at(uintptr_t code);

struct MarkedLine {
    std::string path;
    unsigned line = 0;
};

// The place of a call or a jump in the program's own source.
struct PlaceMark {
    bool is_known = false;
    std::vector<MarkedLine> lines;  // from the innermost function out to the kernel; none in the simulator's own code
    bool in_launch_statement = false, in_system_header = false;
    uintptr_t function = 0;  // a number of the function that contains the code
    std::string kernel;      // mangled, if that function is a launch and the kernel is inlined into it
};

// `pc`: a return address. Any number may be asked for: what is not checked code has no mark.
PlaceMark place_mark_at(uintptr_t pc);

}  // namespace simt::check
