// SPDX-License-Identifier: MIT
// The built-in variables (threadIdx, blockIdx, blockDim, gridDim) need no declaration: simcc translates their names.
#pragma once
#define __DEVICE_LAUNCH_PARAMETERS_H__  // programs test for it

#include "vector_types.h"
