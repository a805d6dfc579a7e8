// SPDX-License-Identifier: MIT
// Bfloat16 is in cuda_bf16.h.
#pragma once

#include "cuda_bf16.h"
