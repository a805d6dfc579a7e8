// SPDX-License-Identifier: MIT
// The planted defects of memcheckdemo. Each is a file of its own, from which --export makes a program: kernels, a run()
// that uses them, an input for each seed, and the right result. FAULTY selects its faulty or its corrected version.
//
// Reports print the names of functions and files. So a name says what the code computes, never what is wrong with it.
// --export leaves out lines that begin with "//!", and comments from "//!" on: they are for those who work on the
// plants. "here" marks the line that a report names (for a race there may be two).
//
// Below its licence, a plant has a head of such lines, from which make writes its row of the table: "//! KEY: VALUE",
// and "//!     " before the rest of a long value. The keys are
//     plant      NAME, row NUMBER: the list is in the order of these numbers, and where they are equal, of the files
//     defect     in one line
//     class      unreported, if no tool is for such defects (without this key, the class is the tool)
//     tool       TOOL FLAGS, since TOOLKIT: what of compute-sanitizer reports the defect, and from which toolkit on;
//                "in no toolkit" if it does not
//     report     the first line of its report, as a regular expression; only if there is one
//     line       not named, if the report names no line
//     bare       what a GPU shows without a tool
//     hangs      yes, if the plant never ends by itself
//     simulator  MARK FLAGS: the checked simulator finds Y the same, + what no tool of 13.0 does, ~ part of it; FLAGS
//                are those that it needs besides --check
//     finding    the first line of its report, if that is another
//     hint 1     and 2 and 3, from the symptom to the place
//     cure       the defect and its cure
//     note       what else to know of the code
// class, line, hangs and note are optional, and so is finding where there is a report.
#pragma once

#include <cuda_pipeline.h>
#include <cuda/barrier>

#include "kernels/memcheckdemo/textbook.cuh"

namespace BACKEND {

namespace faulty {
#define FAULTY 1
#include "build/plant_table.inc"
#undef FAULTY
}  // namespace faulty

namespace fixed {
#define FAULTY 0
#include "build/plant_table.inc"
#undef FAULTY
}  // namespace fixed

}  // namespace BACKEND
