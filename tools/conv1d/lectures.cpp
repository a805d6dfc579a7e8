// SPDX-License-Identifier: MIT
// What university slides (ANU, COMP4300) count for an average of three in blocks of 128 threads: loads from global memory.
#include "common/measure/lectures.hpp"

const Lectures lectures = {
    {"slides", "convolve with global memory or convolve", "global", "", "", 1 << 20, {{"loads_per_block", "384"}}},
    {"slides", "convolve with shared memory", "shared", "", "", 1 << 20, {{"loads_per_block", "130"}}},
};
