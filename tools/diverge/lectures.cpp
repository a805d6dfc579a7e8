// SPDX-License-Identifier: MIT
// The kernels of notes on the book "Professional CUDA C Programming", without figures.
#include "common/measure/lectures.hpp"

const Lectures lectures = {
    {"book", "goodPractice", "warp-parity"},
    {"book", "doesNotDivergeThanksToCompilerOptimizations", "thread-parity"},
    {"book", "willCertainlyDiverge", "two-ifs"},
};
