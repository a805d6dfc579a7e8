// SPDX-License-Identifier: MIT
// The kernel of a conference tutorial (CUDA and Applications to Task-based Programming, Eurographics 2021), without figures.
#include "common/measure/lectures.hpp"

const Lectures lectures = {
    {"tutorial", "transp", "padded"},
};
