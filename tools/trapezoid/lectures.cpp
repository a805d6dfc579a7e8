// SPDX-License-Identifier: MIT
// What P. Pacheco and M. Malensek, "An Introduction to Parallel Programming", chapter 6, measures: table 6.8, x^2 + 1
// from -3 to 3 by 2^20 trapezoids, in blocks of 32 threads.
#include "common/measure/lectures.hpp"

const Lectures lectures = {
    {"chapter", "Original or Dev_trap", "cpu", "", "ARM Cortex-A15", 1 << 20, {{"ms", "33.6"}}},
    {"chapter", "Original or Dev_trap", "cpu", "", "Intel Core i7", 1 << 20, {{"ms", "4.48"}}},
    {"chapter", "Original or Dev_trap", "atomic", "", "GTX Titan X", 1 << 20, {{"ms", "3.08"}}},
    {"chapter", "Original or Dev_trap", "atomic", "", "GK20A", 1 << 20, {{"ms", "20.7"}}},
    {"chapter", "Warp Shuffle or Warp_sum", "shuffle", "", "GTX Titan X", 1 << 20, {{"ms", "0.210"}}},
    {"chapter", "Warp Shuffle or Warp_sum", "shuffle", "", "GK20A", 1 << 20, {{"ms", "14.4"}}},
    {"chapter", "Shared Memory or Shared_mem_sum", "dissemination", "", "GTX Titan X", 1 << 20, {{"ms", "0.206"}}},
    {"chapter", "Shared Memory or Shared_mem_sum", "dissemination", "", "GK20A", 1 << 20, {{"ms", "15.0"}}},
    {"chapter", "Exercise 6.6", "shuffle-xor"},
};
