// The planted defects of memcheckdemo. Each is a file of its own, of which --export makes a program: kernels, a run()
// that uses them, an input for each seed, and the right result. Its faulty and its corrected version differ by FAULTY.
//
// Reports print the names of functions and files. So here a name says what the code computes, and never what is wrong
// with it. --export leaves out lines that begin with "//!", and comments from "//!" on: they are for those who work on
// the plants. "here" marks the line that a report names (for a race there may be two).
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
