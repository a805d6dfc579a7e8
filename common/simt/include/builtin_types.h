// SPDX-License-Identifier: MIT
// Part of cuda_runtime.h.
#pragma once
#define __BUILTIN_TYPES_H__  // programs test for it

#include "cuda_runtime.h"
