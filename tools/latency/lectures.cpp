// SPDX-License-Identifier: MIT
// What lectures say that an access takes: a conference tutorial (CUDA and Applications to Task-based Programming,
// Eurographics 2021), university slides (ANU, COMP4300) for the V100, a university course after D. Kirk and W. Hwu, and
// notes on the book "Professional CUDA C Programming".
#include "common/measure/lectures.hpp"

const Lectures lectures = {
    {"tutorial", "L1 cached access", "global", "p_level=l1", "", 0, {{"cycles", "30"}}},
    {"tutorial", "L2 cached access", "global", "p_level=l2", "", 0, {{"cycles", "190"}}},
    {"tutorial", "non-cached coalesced access", "global", "p_level=dram", "", 0, {{"cycles", "375"}}},
    {"slides", "L1", "global", "p_level=l1", "V100", 0, {{"cycles", "28"}}},
    {"slides", "L2", "global", "p_level=l2", "V100", 0, {{"cycles", "193"}}},
    {"slides", "global memory", "global", "p_level=dram", "V100", 0, {{"cycles_at_most", "1029"}}},
    {"slides", "shared memory", "shared", "", "V100", 0, {{"cycles", "19"}}},
    {"course", "registers", "register", "", "", 0, {{"cycles", "1"}}},
    {"course", "shared memory", "shared", "", "", 0, {{"cycles", "5"}}},
    {"course", "global memory", "global", "p_level=dram", "", 0, {{"cycles", "500"}}},
    {"course", "constant memory", "constant", "", "", 0, {{"cycles", "5"}}},
    {"book", "arithmetic operations", "register", "", "", 0, {{"cycles_at_least", "10"}, {"cycles_at_most", "20"}}},
    {"book",
     "global memory accesses",
     "global",
     "p_level=dram",
     "",
     0,
     {{"cycles_at_least", "400"}, {"cycles_at_most", "800"}}},
};
