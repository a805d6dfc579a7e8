// SPDX-License-Identifier: MIT
// The driver API's name for cuda_profiler_api.h.
#pragma once

#include "cuda_profiler_api.h"
