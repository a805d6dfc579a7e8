// SPDX-License-Identifier: MIT
// The kernels as text, and compiled around an expression for a GPU.
#pragma once

#include <string>
#include <vector>

#include "common/io/dtype.hpp"
#include "tools/trapezoid/device_code.hpp"
#include "tools/trapezoid/expression.hpp"

// What the kernels are called in their source.
const std::vector<std::string>& kernel_names();

// Compiles those of kernel_names(), in that order, for numbers of that type and a GPU of this compute capability: 90 is
// 9.0.
DeviceCode compile_kernels(const Expression& function, DType dtype, int capability);
