// Included before CUB's headers: leaves out CUB's ranges for profilers, which take a third of the time that the compiler
// spends on these headers. (Element types are not left out: without half, CUB 3.0 reduces floats by function calls.)
#pragma once

#define CCCL_DISABLE_NVTX
