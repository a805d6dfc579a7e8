// SPDX-License-Identifier: MIT
// The libraries of a CUDA toolkit, as a linker names them.
#pragma once

#include <string>

namespace simcc {

/// Whether the simulator has this library, such as "cublas" or "cudart_static", so that the program needs no other.
/// Throws UsageError, about `argument`, if the library is a toolkit's and has no counterpart.
bool has_library(const std::string& name, const std::string& argument);

}  // namespace simcc
