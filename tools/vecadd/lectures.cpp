// SPDX-License-Identifier: MIT
// The kernel of a university course after D. Kirk and W. Hwu, without figures.
#include "common/measure/lectures.hpp"

const Lectures lectures = {
    {"course", "vecAddKernel or vecAdd", "one-per-thread"},
};
