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

}  // namespace simcc
