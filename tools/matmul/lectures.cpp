// SPDX-License-Identifier: MIT
// What a university course after D. Kirk and W. Hwu counts: of tiles, the loads of a block from global memory and the
// additions and multiplications that it makes of them; of the kernel without tiles, what 150 GB/s of a Fermi GPU allow and what it does.
#include "common/measure/lectures.hpp"

const Lectures lectures = {
    {"course", "MatrixMulOnHost", "cpu"},
    {"course", "MatrixMulKernel", "naive", "", "Fermi", 0, {{"gflop_per_s_at_most", "37.5"}, {"gflop_per_s", "25"}}},
    {"course",
     "MatrixMulKernel: TILE_WIDTH 16",
     "tiled-16",
     "",
     "",
     0,
     {{"loads_per_block", "512"}, {"operations_per_block", "8192"}}},
    {"course",
     "MatrixMulKernel: TILE_WIDTH 32",
     "tiled-32",
     "",
     "",
     0,
     {{"loads_per_block", "2048"}, {"operations_per_block", "65536"}}},
};
