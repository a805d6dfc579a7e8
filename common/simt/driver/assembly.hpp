// simcc's changes to g++'s assembly of checked code, between the compiler and the assembler.
#pragma once

#include <string>
#include <string_view>

namespace simcc {

/// Marks the basic blocks that end in a branch. Every basic block begins with a call of __sanitizer_cov_trace_pc; if
/// the block ends with a conditional or computed jump, this adds an instruction without effect after the call, which
/// holds the distance to the jump. So the counters know every branch and its source line, even if all lanes always go
/// the same way. The assembly is x86-64's or AArch64's, whatever processor simcc itself runs on; another processor's is
/// unchanged.
std::string mark_branches(std::string_view assembly);

/// Without the calls of __sanitizer_cov_trace_pc in functions that have a place for a patch (.LPFE): the simulator's own,
/// where g++ 11 compiles them, which knows no attribute for it (SIMT_WITHOUT_COVERAGE in include/simt/identity.hpp).
std::string without_coverage(std::string_view assembly);

/// Calls of operator delete become calls of the simulator's function for them (device_heap.cpp): the program's own
/// operator, if it has one, does not know memory from the device heap.
std::string with_heap_deletes(std::string_view assembly);

}  // namespace simcc
