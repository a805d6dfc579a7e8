// SPDX-License-Identifier: MIT
#pragma once
#ifdef __CUDACC__
#pragma simcc absent cuFFT's interface of FFTW
#else
#include "the simulator does not have cuFFT's interface of FFTW; the program needs nvcc and a GPU"  // ends the compilation with these words
#endif
