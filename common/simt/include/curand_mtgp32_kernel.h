// SPDX-License-Identifier: MIT
#pragma once
#ifdef __CUDACC__
#pragma simcc absent cuRAND's MTGP32
#else
#include "the simulator does not have cuRAND's MTGP32; the program needs nvcc and a GPU"  // ends the compilation with these words
#endif
