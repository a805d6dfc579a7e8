// SPDX-License-Identifier: MIT
// What a conference tutorial (CUDA and Applications to Task-based Programming, Eurographics 2021) uses shared memory for.
#include "common/measure/lectures.hpp"

const Lectures lectures = {
    {"tutorial", "Inter-thread communication", "search-flag"},
    {"tutorial", "Indexed access: local", "indexed-local"},
    {"tutorial", "Indexed access: shared", "indexed-shared-own"},
    {"tutorial", "Combine costly operations", "offsets-block-aggregated"},
};
