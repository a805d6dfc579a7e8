// SPDX-License-Identifier: MIT
// The planted defects of memcheckdemo. Each is a file of its own, from which --export makes a program: kernels, a run()
// that uses them, an input for each seed, and the right result. FAULTY selects its faulty or its corrected version.
//
// Reports print the names of functions and files. So a name says what the code computes, never what is wrong with it.
// --export leaves out lines that begin with "//!", and comments from "//!" on: they are for those who work on the
// plants. "here" marks the line that a report names (for a race there may be two).
#pragma once

#include <cuda_pipeline.h>
#include <cuda/barrier>

#include "kernels/memcheckdemo/textbook.cuh"

namespace BACKEND {

namespace faulty {
#define FAULTY 1
#include "kernels/memcheckdemo/every.inc"
#undef FAULTY
}  // namespace faulty

namespace fixed {
#define FAULTY 0
#include "kernels/memcheckdemo/every.inc"
#undef FAULTY
}  // namespace fixed

}  // namespace BACKEND
