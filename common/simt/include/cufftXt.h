// SPDX-License-Identifier: MIT
// cuFFT's functions that name their types. (Those for several devices and with callbacks are not there.)
#pragma once
#define _CUFFTXT_H_  // programs test for it

#include "cufft.h"

#ifdef __cplusplus
extern "C" {
#endif
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long int* n, long long int* inembed,
                                long long int istride, long long int idist, cudaDataType inputtype,
                                long long int* onembed, long long int ostride, long long int odist,
                                cudaDataType outputtype, long long int batch, size_t* workSize,
                                cudaDataType executiontype);
cufftResult cufftXtExec(cufftHandle plan, void* input, void* output, int direction);
#ifdef __cplusplus
}
#endif
