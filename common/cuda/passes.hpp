// nvcc reads a source once for the host and then again for each architecture, of which it takes the kernels. What has none
// it need not read again: a program's source keeps it within #if HOST_PASS. Every kernel has to be instantiated outside,
// as a table of variants does.
#pragma once

#if defined(__CUDA_ARCH__) && !defined(__SIMCC__)
#define HOST_PASS 0
#else
#define HOST_PASS 1
#endif
