// SPDX-License-Identifier: MIT
// How a reduction combines elements: for the kernels and for the host.
#pragma once

// An average is a sum that is divided by the number of ranks at the end.
enum class Reduction { sum, product, minimum, maximum, average };
