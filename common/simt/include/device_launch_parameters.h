// The built-in variables (threadIdx, blockIdx, blockDim, gridDim) need no declaration: simcc translates their names.
#pragma once

#include "vector_types.h"
