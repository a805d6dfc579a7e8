// SPDX-License-Identifier: MIT
#pragma once
#ifdef __CUDACC__
#pragma simcc absent NPP
#else
#include "the simulator does not have NPP; the program needs nvcc and a GPU"  // ends the compilation with these words
#endif
