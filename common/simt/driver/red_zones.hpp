#pragma once
// Room beside the variables of checked code, so that an index past the end of one does not reach the next.

#include <string>

namespace simcc {

/// The compiler's assembly with 128 bytes of nothing behind every uninitialised thread-local variable, as __shared__
/// variables are, and ahead of all others, the __device__ variables among them. Their sizes in the symbol table stay as
/// they are: the checkers know where each one ends.
std::string with_red_zones(const std::string& assembly);

}  // namespace simcc
