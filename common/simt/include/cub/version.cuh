// SPDX-License-Identifier: MIT
// The version of CUB whose names and rules the simulator's headers follow.
#ifndef SIMT_CUB_VERSION
#define SIMT_CUB_VERSION
#ifndef CUB_VERSION
#define CUB_VERSION 300001
#define CUB_MAJOR_VERSION (CUB_VERSION / 100000)
#define CUB_MINOR_VERSION (CUB_VERSION / 100 % 1000)
#define CUB_SUBMINOR_VERSION (CUB_VERSION % 100)
#define CUB_PATCH_NUMBER 0
#endif
#endif

// (The toolkit's Thrust includes a few of its CUB's headers by the same names.)
#ifdef THRUST_VERSION
#include_next <cub/version.cuh>
#endif
