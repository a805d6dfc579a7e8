// SPDX-License-Identifier: MIT
#ifndef SIMT_CUB_UTIL_DEBUG
#define SIMT_CUB_UTIL_DEBUG

#include <stdio.h>
#include <stdlib.h>

#include "../simt/cub.hpp"

CUB_NAMESPACE_OPEN

/// Reports an error on standard error, and returns it.
inline cudaError_t Debug(cudaError_t error, const char* file, int line) {
    cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", error, file, line, cudaGetErrorString(error));
        fflush(stderr);
    }
    return error;
}

CUB_NAMESPACE_CLOSE

#ifndef CubDebug
#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#endif
#ifndef CubDebugExit
#define CubDebugExit(e)                                     \
    if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) { \
        exit(1);                                            \
    }
#endif
#ifndef _CubLog
#define _CubLog(format, ...) printf(format, ##__VA_ARGS__)
#endif
#endif

#ifdef THRUST_VERSION
#include_next <cub/util_debug.cuh>
#endif
