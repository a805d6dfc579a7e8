// What simcc changes in g++'s assembly of checked code, between the compiler and the assembler.
#pragma once

#include <string>
#include <string_view>

namespace simcc {

/// Marks the basic blocks that end in a branch. Every basic block begins with a call of __sanitizer_cov_trace_pc;
/// behind the call of one whose end has a conditional or computed jump comes an instruction that does nothing (nopl)
/// but hold the distance to the jump: so the counters know a branch also where all lanes always go the same way, and
/// its line of the source. On other processors than x86-64 the assembly stays as it is.
std::string mark_branches(std::string_view assembly);

/// Calls of operator delete become calls of the simulator's function for them (device_heap.cpp): the program's own
/// operator, if it has one, does not know what kernels have from the device's heap.
std::string with_heap_deletes(std::string_view assembly);

}  // namespace simcc
