// SPDX-License-Identifier: MIT
// The libraries of a CUDA toolkit, as linkers name them and programs include them.
#pragma once

#include <string>
#include <string_view>

namespace simcc {

/// Whether the simulator has this library, such as "cublas" or "cudart_static", so that the program needs no other.
/// Throws UsageError, about `argument`, if the library is a toolkit's and has no counterpart.
bool has_library(const std::string& name, const std::string& argument);

/// Why a header such as "cusparse.h" or "cub/device/device_topk.cuh", if it is not the simulator's, is refused; empty if
/// it is not.
std::string refusal_of_header(std::string_view header);

}  // namespace simcc
