// SPDX-License-Identifier: MIT
#pragma once
#ifdef __CUDACC__
#pragma simcc absent nvJPEG
#else
#include "the simulator does not have nvJPEG; the program needs nvcc and a GPU"  // ends the compilation with these words
#endif
