// SPDX-License-Identifier: MIT
#pragma once
#ifdef __CUDACC__
#pragma simcc absent cuSOLVER
#else
#include "the simulator does not have cuSOLVER; the program needs nvcc and a GPU"  // ends the compilation with these words
#endif
