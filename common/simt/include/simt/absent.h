// SPDX-License-Identifier: MIT
// Included by headers of libraries that the simulator does not have. simcc says so on the program's line (see
// driver/libraries.cpp); other compilers say it here.
#ifndef __NVCC__
#error "the simulator does not have this library; the program needs nvcc and a GPU"
#endif
