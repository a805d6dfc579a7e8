// SPDX-License-Identifier: MIT
// The header that simcc includes before every .cu file, as nvcc does: the runtime API, its C++ forms, and the device
// language (built-in variables, launches, barriers, warps, atomics, math).
#pragma once
#define __CUDA_RUNTIME_H__  // programs test for it

// nvcc's header brings these along, and programs rely on it.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <new>
#include <utility>

#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "host_defines.h"
#include "library_types.h"
#include "vector_functions.h"
#include "simt/device_language.hpp"
#include "simt/memory_templates.hpp"
#include "simt/symbol_templates.hpp"
#include "simt/kernel_templates.hpp"
