// SPDX-License-Identifier: MIT
// The kernel of notes on the book "Professional CUDA C Programming", without figures.
#include "common/measure/lectures.hpp"

const Lectures lectures = {
    {"book", "nestedHelloWorld", "chain"},
};
