// SPDX-License-Identifier: MIT
#pragma once
#ifdef __CUDACC__
#pragma simcc absent NVML
#else
#include "the simulator does not have NVML; the program needs nvcc and a GPU"  // ends the compilation with these words
#endif
