// SPDX-License-Identifier: MIT
#pragma once
// Adds space between the variables of checked code, so that an index past the end of one does not reach the next.

#include <string>

namespace simcc {

/// The compiler's assembly with 128 unused bytes after every uninitialized thread-local variable, such as __shared__
/// variables, and before all other variables, such as __device__ ones. Sizes in the symbol table are unchanged, so the
/// checkers know where each variable ends.
std::string with_red_zones(const std::string& assembly);

}  // namespace simcc
