// SPDX-License-Identifier: MIT
// 8-bit floating point is in cuda_fp8.h.
#pragma once

#include "cuda_fp8.h"
